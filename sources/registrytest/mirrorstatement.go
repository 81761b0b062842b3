package registrytest

import "fmt"

// keptStatement is what mirrors keep of what the origin signed, under names of their own.
type keptStatement struct {
	sums, signature *file
	keys            []*file
}

// mirrorStatementJSON is the member of VERSION.json that says where these are. Package fsmirror of this library specifies
// it; other clients pass it over.
type mirrorStatementJSON struct {
	Sums      string   `json:"shasums_url"`
	Signature string   `json:"shasums_signature_url"`
	Keys      []string `json:"signing_keys_urls"`
}

// keepStatement names the files that [Release.MirrorStatement] asks for. Without keys there is no statement.
func (p *published) keepStatement() {
	keys := p.release.keys().Keys
	if !p.release.MirrorStatement || len(keys) == 0 {
		return
	}
	base := fmt.Sprintf("%s_%x%s", p.baseName(), p.sums.sha256[:8], sumsSuffix)
	p.kept = &keptStatement{
		sums:      p.sums.named(base),
		signature: p.files[p.baseName()+signatureSuffix].named(base + sigSuffix),
	}
	for i, key := range keys {
		p.kept.keys = append(p.kept.keys, memoryFile(fmt.Sprintf("%s.key%d%s", base, i+1, keySuffix), []byte(key.Armor)))
	}
}

// named returns the same file under another name.
func (f *file) named(name string) *file {
	other := *f
	other.name = name
	return &other
}

// files returns all files, the checksums last. A nil statement has none.
func (k *keptStatement) files() []*file {
	if k == nil {
		return nil
	}
	return append(append([]*file{k.signature}, k.keys...), k.sums)
}

// member returns nil for a nil statement.
func (k *keptStatement) member(link func(name string) string) *mirrorStatementJSON {
	if k == nil {
		return nil
	}
	doc := &mirrorStatementJSON{Sums: link(k.sums.name), Signature: link(k.signature.name)}
	for _, key := range k.keys {
		doc.Keys = append(doc.Keys, link(key.name))
	}
	return doc
}

// kept returns a file of a statement that a mirror keeps, and the release that it is about; nil if there is none.
func (c *catalog) kept(addr address, name string) (*published, *file) {
	for _, p := range c.versions(addr) {
		for _, f := range p.kept.files() {
			if f.name == name {
				return p, f
			}
		}
	}
	return nil, nil
}
