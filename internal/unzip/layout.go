package unzip

import (
	"cmp"
	"slices"
)

const localHeaderLen = 30 // without name and extra field, APPNOTE.TXT 4.3.7

// place finds out where each entry lies and refuses archives in which two share a byte, or one lies
// outside. Such sharing is how a small archive becomes a bomb, https://www.bamsoftware.com/hacks/zipbomb/,
// and no packer makes it.
//
// The length of a local header is known for certain only once it is read: here each is taken to be at its
// shortest, and open compares again.
func (d *directory) place() ([]entry, error) {
	entries := make([]entry, len(d.files))
	all := make([]*entry, len(d.files))
	for i, f := range d.files {
		offset, err := d.where.headerOffset(f)
		if err != nil {
			return nil, err
		}
		entries[i] = entry{File: f, offset: offset}
		all[i] = &entries[i]
	}
	limit := d.offset
	for _, i := range slices.Backward(byOffset(all)) {
		e := all[i]
		if e.limit = limit; !e.fits() {
			return nil, refuse(e.Name, ErrOverlap, "%d bytes of data, header at %d, reach beyond %d, where other things begin", e.CompressedSize64, e.offset, limit)
		}
		limit = e.offset
	}
	return entries, nil
}

// fits reports whether the entry's header and data can lie between its offset and its limit.
func (e *entry) fits() bool {
	if e.offset < 0 || e.offset > e.limit {
		return false
	}
	room, header := uint64(e.limit-e.offset), uint64(localHeaderLen+len(e.Name))
	return header <= room && e.CompressedSize64 <= room-header
}

// byOffset returns the indexes of entries in the order in which they lie in the archive.
func byOffset(entries []*entry) []int {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entries[a].offset, entries[b].offset) })
	return order
}
