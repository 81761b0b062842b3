package sources

import "slices"

// asked gives an account of all rules, those that do not match among them.
func (c Chain) asked(p Provider, listings []Listing, errs []error) []Asked {
	account := make([]Asked, len(c))
	next := 0 // of the rules that match
	for i, rule := range c {
		account[i].Source = rule.Source.String()
		if !rule.Matches(p) {
			account[i].Filtered = true
			continue
		}
		account[i].Err = errs[next]
		for _, a := range listings[next].Versions {
			account[i].Versions = append(account[i].Versions, a.Version)
		}
		next++
	}
	return account
}

// union is a listing that grows.
type union struct {
	Listing
	index map[Version]int // of Versions
}

// add merges what the named source lists.
func (u *union) add(more Listing, from string) {
	u.Warnings = append(u.Warnings, more.Warnings...)
	if u.index == nil {
		u.index = make(map[Version]int, len(more.Versions))
	}
	for _, a := range more.Versions {
		a.From = append([]string{from}, a.From...)
		i, listed := u.index[a.Version]
		if !listed {
			u.index[a.Version] = len(u.Versions)
			u.Versions = append(u.Versions, a)
			continue
		}
		u.Versions[i].merge(a)
	}
}

// merge adds another source's knowledge of the same version. What one of them leaves unsaid stays unsaid.
func (a *Available) merge(other Available) {
	a.From = append(a.From, other.From...)
	a.Platforms = unionOrUnsaid(a.Platforms, other.Platforms)
	a.Protocols = unionOrUnsaid(a.Protocols, other.Protocols)
}

func unionOrUnsaid[T comparable](a, b []T) []T {
	if a == nil || b == nil {
		return nil
	}
	union := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(union, v) {
			union = append(union, v)
		}
	}
	return union
}
