package mirrorjson

import (
	"encoding/json"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
)

// The names of members.
const (
	versionsMember  = "versions"
	archivesMember  = "archives"
	hashesMember    = "hashes"
	urlMember       = "url"
	statementMember = "origin_statement"
)

// IndexDraft is index.json while it is being changed. Members that nobody here knows stay.
type IndexDraft struct{ document, versions object }

// ParseIndexDraft reads index.json; no bytes are one without versions.
func ParseIndexDraft(data []byte) (*IndexDraft, error) {
	document, inner, err := parseWith(data, versionsMember)
	return &IndexDraft{document, inner}, err
}

// parseWith reads an object and that member of it which is an object, too.
func parseWith(data []byte, name string) (document, inner object, err error) {
	if document, err = parseObject(data); err != nil {
		return nil, nil, err
	}
	inner, err = document.member(name)
	return document, inner, err
}

// Spellings returns the names under which the index lists a version, sorted.
func (d *IndexDraft) Spellings(v sources.Version) []string {
	var all []string
	for name := range d.versions {
		if listed, err := sources.ParseVersion(name); err == nil && listed == v {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// Add lists a version by its usual name, which is the one that terraform asks for, and by no other.
func (d *IndexDraft) Add(v sources.Version) {
	entry, ok := d.versions[v.String()]
	if !ok {
		entry = marshal(struct{}{})
	}
	d.Remove(v)
	d.versions[v.String()] = entry
}

// Remove takes a version off the list.
func (d *IndexDraft) Remove(v sources.Version) {
	for _, name := range d.Spellings(v) {
		delete(d.versions, name)
	}
}

// IsEmpty reports that there is nothing to say.
func (d *IndexDraft) IsEmpty() bool {
	return len(d.versions) == 0 && isAlone(d.document, versionsMember)
}

// Bytes returns the document.
func (d *IndexDraft) Bytes() []byte {
	d.document.set(versionsMember, d.versions)
	return d.document.bytes()
}

func isAlone(o object, name string) bool {
	return len(o) == 0 || len(o) == 1 && o.get(name) != nil
}

// VersionDraft is VERSION.json while it is being changed. Members that nobody here knows stay.
type VersionDraft struct{ document, archives object }

// ParseVersionDraft reads VERSION.json; no bytes are one without archives.
func ParseVersionDraft(data []byte) (*VersionDraft, error) {
	document, inner, err := parseWith(data, archivesMember)
	return &VersionDraft{document, inner}, err
}

// Platforms returns the platforms that there are archives for, sorted.
func (d *VersionDraft) Platforms() []sources.Platform {
	var all []sources.Platform
	for name := range d.archives {
		if on, err := sources.ParsePlatform(name); err == nil {
			all = append(all, on)
		}
	}
	slices.SortFunc(all, sources.Platform.Compare)
	return all
}

// Archive returns what the document says about a platform: the zero value if it is nothing that makes sense.
func (d *VersionDraft) Archive(on sources.Platform) Archive {
	var a Archive
	if json.Unmarshal(d.archives[on.String()], &a) != nil {
		return Archive{}
	}
	return a
}

// SetArchive describes the archive of a platform.
func (d *VersionDraft) SetArchive(on sources.Platform, a Archive) {
	entry, err := parseObject(d.archives[on.String()])
	if err != nil {
		entry = object{} // it makes no sense, and is replaced
	}
	entry.set(urlMember, a.URL)
	entry.set(hashesMember, a.Hashes)
	d.archives[on.String()] = marshal(entry)
}

// RemoveArchive forgets a platform.
func (d *VersionDraft) RemoveArchive(on sources.Platform) { delete(d.archives, on.String()) }

// IsEmpty reports that there are no archives.
func (d *VersionDraft) IsEmpty() bool { return len(d.archives) == 0 }

// Statement returns where the statement is; nil if there is none that makes sense.
func (d *VersionDraft) Statement() *Statement {
	var s *Statement
	if json.Unmarshal(d.document.get(statementMember), &s) != nil {
		return nil
	}
	return s
}

// SetStatement says where the statement is; nil says that there is none.
func (d *VersionDraft) SetStatement(s *Statement) {
	d.document.unset(statementMember)
	if s != nil {
		d.document.set(statementMember, s)
	}
}

// Bytes returns the document.
func (d *VersionDraft) Bytes() []byte {
	d.document.set(archivesMember, d.archives)
	return d.document.bytes()
}
