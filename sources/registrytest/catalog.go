package registrytest

import (
	"slices"
	"sync"
)

// catalog is what the registry offers, in the order of addition. Its entries never change, they are only replaced.
type catalog struct {
	mu   sync.RWMutex
	list []*published
}

func (c *catalog) add(p *published) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, old := range c.list {
		if old.addr == p.addr && old.release.Version == p.release.Version {
			c.list[i] = p
			return
		}
	}
	c.list = append(c.list, p)
}

func (c *catalog) remove(addr address, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(p *published) bool {
		return p.addr == addr && p.release.Version == version
	})
}

// versions returns the releases of a provider that a request for addr may see, one for each version.
func (c *catalog) versions(addr address) []*published {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var found []*published
	for _, p := range c.list {
		if !p.addr.covers(addr) {
			continue
		}
		same := func(q *published) bool { return q.release.Version == p.release.Version }
		if i := slices.IndexFunc(found, same); i < 0 {
			found = append(found, p)
		} else if p.addr.host == addr.host {
			found[i] = p // the release that is meant for this very host wins
		}
	}
	return found
}

// version returns one release of a provider, or nil.
func (c *catalog) version(addr address, version string) *published {
	for _, p := range c.versions(addr) {
		if p.release.Version == version {
			return p
		}
	}
	return nil
}

// file returns the file that a request is for, and the release that it belongs to; nil if there is none.
func (c *catalog) file(t target) (*published, *file) {
	switch p := c.version(t.addr, t.version); {
	case t.mirrored && t.kind == KindArchive:
		return c.archive(t.addr, t.file)
	case t.mirrored:
		return c.kept(t.addr, t.file)
	case p != nil:
		return p, p.files[t.file]
	}
	return nil, nil
}

// archive returns an archive of a provider by its name. The name alone does not tell where the version ends.
func (c *catalog) archive(addr address, name string) (*published, *file) {
	for _, p := range c.versions(addr) {
		for _, f := range p.archives {
			if f.name == name {
				return p, f
			}
		}
	}
	return nil, nil
}

// providers returns the addresses of all providers, as their releases name them, in the order of addition.
func (c *catalog) providers() []address {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var addrs []address
	for _, p := range c.list {
		if !slices.Contains(addrs, p.addr) {
			addrs = append(addrs, p.addr)
		}
	}
	return addrs
}

// hosts returns the hosts that releases name, sorted.
func (c *catalog) hosts() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var hosts []string
	for _, p := range c.list {
		if p.addr.host != "" {
			hosts = append(hosts, p.addr.host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// covers reports whether what a concerns includes what addr asks for: on either side, no host stands for any.
func (a address) covers(addr address) bool {
	if a.namespace != addr.namespace || a.name != addr.name {
		return false
	}
	return a.host == "" || addr.host == "" || a.host == addr.host
}
