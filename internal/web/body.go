package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
)

// body reads one file, or a part of it, over as many connections as it takes.
type body struct {
	client  *Client
	ctx     context.Context // of Open: it governs the reading too, as Opener prescribes
	archive Archive
	url     *url.URL // to ask: the archive's, or where that led to before

	offset    int64 // of the next byte
	end       int64 // of the part; -1: read until the file ends
	partial   bool  // only a part is wanted
	size      int64 // of the whole file; -1: unknown
	validator validator

	located    *url.URL // where the first answer came from; nil: there was none
	authorized bool     // the token came along that far
	encoding   string   // its content coding; empty: none
	ranges     bool     // the server offers them

	fruitless int           // attempts since the last new byte
	broken    *atomic.Int32 // connections in all, those of the file's parts included
	pause     backoff
	failed    error // what every further Read returns

	conn  io.ReadCloser // the current connection's body; nil: none
	stall *stallTimer
	stop  context.CancelCauseFunc // ends the current connection
	live  context.Context         // of the current connection
}

// open connects for the first time.
func (b *body) open() error {
	b.pause = b.client.newBackoff()
	for {
		err := b.connect()
		if err == nil {
			return nil
		}
		if err := b.awaitRetry(err); err != nil {
			return err
		}
	}
}

// connect asks for the file from b.offset on.
func (b *body) connect() error {
	b.live, b.stop = context.WithCancelCause(b.ctx)
	b.stall = newStallTimer(cmp.Or(b.client.Stall, DefaultStall), b.stop)
	defer b.stall.stop() // from here on only reads are timed
	resp, err := b.request()
	if err != nil {
		err = failure(b.live, b.url, err)
	} else if err = b.accept(resp); err != nil {
		resp.Body.Close()
	}
	if err != nil {
		b.disconnect()
		return err
	}
	b.conn = resp.Body
	return nil
}

func (b *body) request() (*http.Response, error) {
	req, err := b.client.newRequest(b.live, b.url)
	if err != nil {
		return nil, err
	}
	// A content coding chosen by the transport would make offsets and sizes those of other bytes.
	req.Header.Set("Accept-Encoding", "identity")
	if b.archive.Token != "" && Origin(b.url) == Origin(b.archive.URL) {
		req.Header.Set("Authorization", "Bearer "+b.archive.Token)
	}
	if b.wantsRange() {
		req.Header.Set("Range", b.rangeHeader())
		if !b.validator.isZero() {
			req.Header.Set("If-Range", b.validator.text())
		}
	}
	return b.client.archives().Do(req.WithContext(b.stall.trace(req.Context())))
}

func (b *body) wantsRange() bool { return b.partial || b.offset > 0 }

func (b *body) rangeHeader() string {
	if b.end < 0 {
		return fmt.Sprintf("bytes=%d-", b.offset)
	}
	return fmt.Sprintf("bytes=%d-%d", b.offset, b.end-1)
}

// accept checks that an answer has the bytes that come next.
func (b *body) accept(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusOK && !b.wantsRange() && (b.size < 0 || b.size == resp.ContentLength):
		return b.acceptWhole(resp)
	case resp.StatusCode == http.StatusPartialContent && b.wantsRange():
		return b.acceptRange(resp)
	case resp.StatusCode == http.StatusOK, resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return &TransferError{URL: Redact(b.url), Err: ErrChanged}
	}
	drain(resp.Body)
	return statusError(resp)
}

func (b *body) acceptWhole(resp *http.Response) error {
	coding := contentCoding(resp.Header)
	switch {
	case coding != "" && coding != "gzip":
		return &RefusedError{URL: Redact(b.url), Why: fmt.Sprintf("the answer has the content coding %.20q, which was not asked for", coding)}
	case b.located != nil:
		return b.acceptAgain(resp)
	}
	b.encoding = coding
	b.size = resp.ContentLength
	b.validator = validatorOf(resp.Header)
	b.located, b.authorized = resp.Request.URL, resp.Request.Header.Get("Authorization") != ""
	b.ranges = resp.Header.Get("Accept-Ranges") == "bytes"
	return nil
}

// acceptAgain checks a second answer, given because the first one brought nothing. By now others may have read parts of
// the file that the first one was about.
func (b *body) acceptAgain(resp *http.Response) error {
	if contentCoding(resp.Header) != b.encoding || b.hasParts() && !b.validator.confirmedBy(resp.Header) {
		return &TransferError{URL: Redact(b.url), Err: ErrChanged}
	}
	if !b.hasParts() {
		b.size, b.validator = resp.ContentLength, validatorOf(resp.Header)
	}
	return nil
}

// hasParts reports whether parts of the file can be read beside it.
func (b *body) hasParts() bool { return b.ranges && b.encoding == "" && b.size >= 0 && b.certain() }

func (b *body) acceptRange(resp *http.Response) error {
	var first, last, size int64
	n, _ := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size)
	switch {
	case n != 3 || first != b.offset || last < first || last >= size || b.size >= 0 && size != b.size,
		!b.validator.confirmedBy(resp.Header), contentCoding(resp.Header) != b.encoding:
		return &TransferError{URL: Redact(b.url), Err: ErrChanged}
	}
	b.size = size // perhaps only now known
	return nil
}

func contentCoding(h http.Header) string {
	if coding := h.Get("Content-Encoding"); coding != "identity" {
		return coding
	}
	return ""
}

// isGone reports whether a place refuses to answer what it has answered before.
func isGone(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code >= 400 && status.Code < 500 && !Transient(err)
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	for {
		n, err := b.readConnection(p)
		if n > 0 || err == nil || err == io.EOF {
			return n, err
		}
		if b.failed = b.reconnect(err); b.failed != nil {
			return 0, b.failed
		}
	}
}

// limit is where reading ends; -1: where the server says.
func (b *body) limit() int64 {
	if b.end >= 0 {
		return b.end
	}
	return b.size
}

// readConnection reads from the current connection. Bytes and an error never come together.
func (b *body) readConnection(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err // also when the rest has arrived already
	}
	limit := b.limit()
	if limit >= 0 && b.offset >= limit {
		return 0, io.EOF
	}
	if limit >= 0 {
		p = p[:min(int64(len(p)), limit-b.offset)]
	}
	b.stall.start()
	n, err := b.conn.Read(p)
	b.stall.stop()
	if n > 0 {
		b.offset += int64(n)
		b.fruitless = 0
		b.pause = b.client.newBackoff()
		return n, nil
	}
	if err == io.EOF && limit >= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, err
}

// resumable reports whether a new connection is sure to bring the bytes that follow.
func (b *body) resumable() bool { return !b.wantsRange() || b.certain() }

// certain reports whether any part that is asked for is sure to be one of the same file.
func (b *body) certain() bool { return b.archive.Immutable || !b.validator.isZero() }

// reconnect replaces a connection that broke with cause; nil when reading can go on.
func (b *body) reconnect(cause error) error {
	err := failure(b.live, b.url, cause)
	b.disconnect()
	for {
		if !b.resumable() && Transient(err) {
			return &TransferError{URL: Redact(b.url), Err: fmt.Errorf("%w: %w", ErrChanged, err)}
		}
		if err := b.awaitRetry(err); err != nil {
			return err
		}
		if err = b.connect(); err == nil {
			return nil
		}
	}
}

// awaitRetry waits until it is time for one more attempt after err. Otherwise it returns the error to give up with.
func (b *body) awaitRetry(err error) error {
	b.fruitless++
	broken := b.broken.Add(1)
	switch {
	case b.fruitless > b.client.ArchiveRetries || !Transient(err) || errors.Is(err, ErrChanged):
		return err
	case broken >= MaxConnections:
		return &TransferError{URL: Redact(b.url), Err: fmt.Errorf("gave up after %d connections: %w", broken, err)}
	}
	return b.pause.wait(b.ctx, err)
}

// disconnect ends the current connection, if there is one.
func (b *body) disconnect() {
	b.stall.stop()
	b.stop(nil)
	if b.conn != nil {
		b.conn.Close()
		b.conn = nil
	}
}

// Close implements io.Closer. All errors have been reported by Read.
func (b *body) Close() error {
	b.disconnect()
	b.failed = errClosed
	return nil
}

var errClosed = errors.New("read after close")
