package spool

import (
	"cmp"
	"slices"
)

// span is a range of bytes that is not empty.
type span struct{ from, to int64 }

// spans are ranges in ascending order, with gaps between them. There are about as many as there are writers.
type spans []span

// find returns the first span that ends at from or later.
func (all spans) find(from int64) int {
	i, _ := slices.BinarySearchFunc(all, from, func(s span, from int64) int { return cmp.Compare(s.to, from) })
	return i
}

// add joins a range with those that it touches.
func (all *spans) add(from, to int64) {
	if from >= to {
		return
	}
	first := all.find(from)
	next := first
	for next < len(*all) && (*all)[next].from <= to {
		from, to = min(from, (*all)[next].from), max(to, (*all)[next].to)
		next++
	}
	*all = slices.Replace(*all, first, next, span{from, to})
}

// missing returns what is not there of a range.
func (all spans) missing(from, to int64) []span {
	var gaps []span
	for _, s := range all[all.find(from):] {
		if s.from >= to {
			break
		}
		if from < s.from {
			gaps = append(gaps, span{from, s.from})
		}
		from = max(from, s.to)
	}
	if from < to {
		gaps = append(gaps, span{from, to})
	}
	return gaps
}

// until returns where what is there from an offset on ends: the offset itself if nothing is.
func (all spans) until(from int64) int64 {
	if i := all.find(from); i < len(all) && all[i].from <= from {
		return all[i].to
	}
	return from
}

func (all spans) total() (n int64) {
	for _, s := range all {
		n += s.to - s.from
	}
	return n
}
