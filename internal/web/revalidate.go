package web

import (
	"bytes"
	"container/list"
	"net/http"
	"sync"
)

// maxRemembered bounds the documents that are kept to be asked for again, in bytes, and so does perDocument: there can
// be no end of small ones.
const (
	maxRemembered = 8 << 20
	perDocument   = 1 << 10 // what each takes besides its body, its key and its validator, generously
)

// maxValidator is the longest validator that is sent back, of documents and archives, in bytes.
const maxValidator = 1 << 10

// documentKey is what an answer depends on.
type documentKey struct{ url, accept, token string }

func (g Get) key() documentKey { return documentKey{g.URL.String(), g.Accept, g.Token} }

// remembered is a document that its server can confirm, which costs less than sending it again.
type remembered struct {
	key      documentKey
	document Document
	tag      string // ETag, weak ones too
	date     string // Last-Modified
}

// library keeps the documents that were used last. The zero value is ready; it is safe for concurrent use.
type library struct {
	mu     sync.Mutex
	byKey  map[documentKey]*list.Element
	recent list.List // of *remembered; the last used first
	bytes  int
}

// find returns a document to be confirmed; nil if there is none.
func (l *library) find(key documentKey) *remembered {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.byKey[key]
	if !ok {
		return nil
	}
	l.recent.MoveToFront(e)
	return e.Value.(*remembered)
}

// keep remembers an answer, if its server says how to ask whether it has changed.
func (l *library) keep(key documentKey, doc *Document, h http.Header) {
	r := &remembered{key: key, document: *doc, tag: h.Get("ETag"), date: h.Get("Last-Modified")}
	r.document = *r.copy()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(l.byKey[key])
	if named := len(r.tag) + len(r.date); named == 0 || named > maxValidator || r.weight() > maxRemembered {
		return
	}
	if l.byKey == nil {
		l.byKey = make(map[documentKey]*list.Element)
	}
	l.byKey[key] = l.recent.PushFront(r)
	for l.bytes += r.weight(); l.bytes > maxRemembered; {
		l.drop(l.recent.Back())
	}
}

func (l *library) forget(key documentKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(l.byKey[key])
}

func (l *library) drop(e *list.Element) {
	if e == nil {
		return
	}
	r := l.recent.Remove(e).(*remembered)
	delete(l.byKey, r.key)
	l.bytes -= r.weight()
}

// copy returns the document for somebody who may change it.
func (r *remembered) copy() *Document {
	doc := r.document
	doc.Body = bytes.Clone(doc.Body)
	return &doc
}

// weight is about how many bytes of memory a document takes.
func (r *remembered) weight() int {
	return len(r.document.Body) + len(r.key.url) + len(r.key.accept) + len(r.key.token) + len(r.tag) + len(r.date) + perDocument
}

// ask makes a request one for changes only.
// https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests
func (r *remembered) ask(h http.Header) {
	if r.tag != "" {
		h.Set("If-None-Match", r.tag)
	} else {
		h.Set("If-Modified-Since", r.date)
	}
}

// confirmedBy reports whether the answer "not modified" comes from where the document is from: a redirect may lead
// elsewhere by now.
func (r *remembered) confirmedBy(resp *http.Response) bool {
	return resp.Request.URL.String() == r.document.URL.String()
}
