package netmirror

import "sync/atomic"

// Stats counts what a [Handler] has done since it was made; for a program that shows them to a monitoring system. They are
// read one after the other, while work goes on.
type Stats struct {
	Requests int64 // all of them

	Documents      int64 // that were served
	StaleDocuments int64 // of them, those that are older than they should be because the source fails
	ArchiveHits    int64 // archives that were served from the store at once
	ArchiveMisses  int64 // requests that waited for an archive, or would have
	Denied         int64 // requests that were refused by Authorize, a ticket, Allow, Deny or MinAge
	Failed         int64 // requests that were answered by a status of 500 or more

	Questions      int64 // to the source, each of which may take several requests
	SourceFailures int64 // questions that were not answered
	Fetched        int64 // archives that were fetched, verified and stored
	FetchFailures  int64 // archives for which that failed
	Damaged        int64 // times that an archive in the store was found not to be what it was
	Onward         int64 // archives that were published to HandlerConfig.Onward
	OnwardFailures int64 // archives for which that failed

	Fetching int64 // archives that are being fetched now
}

type counters struct {
	requests, documents, staleDocuments, archiveHits, archiveMisses, denied, failed atomic.Int64
	questions, sourceFailures, fetched, fetchFailures, damaged                      atomic.Int64
	onward, onwardFailures, fetching                                                atomic.Int64
}

// Stats returns the counters.
func (h *Handler) Stats() Stats {
	c := &h.counters
	return Stats{
		Requests:       c.requests.Load(),
		Documents:      c.documents.Load(),
		StaleDocuments: c.staleDocuments.Load(),
		ArchiveHits:    c.archiveHits.Load(),
		ArchiveMisses:  c.archiveMisses.Load(),
		Denied:         c.denied.Load(),
		Failed:         c.failed.Load(),
		Questions:      c.questions.Load(),
		SourceFailures: c.sourceFailures.Load(),
		Fetched:        c.fetched.Load(),
		FetchFailures:  c.fetchFailures.Load(),
		Damaged:        c.damaged.Load(),
		Onward:         c.onward.Load(),
		OnwardFailures: c.onwardFailures.Load(),
		Fetching:       c.fetching.Load(),
	}
}
