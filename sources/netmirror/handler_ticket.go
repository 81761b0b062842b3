package netmirror

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"time"

	"github.com/purveyor-dev/purveyor/internal/atomicfile"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
)

// tickets makes the URLs of archives ones that end, and that only somebody who may read the documents can know. The
// protocol wants that of mirrors whose archives are not for everybody, since clients ask for archives without
// credentials: https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol#authentication.
type tickets struct{ key []byte }

const ticketKeySize = 32 // bytes

// newTickets uses the key in the store, which all processes that share it have in common. The first makes it.
func newTickets(s *store) (_ *tickets, err error) {
	path := s.private("ticket.key")
	lock, err := filelock.Lock(context.Background(), path+".lock", nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	key, err := plainfile.Read(path, ticketKeySize)
	if err == nil && len(key) == ticketKeySize {
		return &tickets{key}, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key = make([]byte, ticketKeySize)
	rand.Read(key) // never fails
	return &tickets{key}, atomicfile.Write(path, key, 0o600)
}

// query returns the query of an archive's URL. It stays the same for half of its life, so that documents do, too.
func (t *tickets) query(c parcel, now time.Time) string {
	expires := strconv.FormatInt(now.Truncate(TicketLife/2).Add(TicketLife).Unix(), 10)
	return url.Values{"expires": {expires}, "ticket": {t.seal(c, expires)}}.Encode()
}

// admits reports whether a query is that of an archive's URL, and not too old.
func (t *tickets) admits(c parcel, query url.Values, now time.Time) bool {
	expires := query.Get("expires")
	until, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && now.Unix() < until && hmac.Equal([]byte(query.Get("ticket")), []byte(t.seal(c, expires)))
}

func (t *tickets) seal(c parcel, expires string) string {
	mac := hmac.New(sha256.New, t.key)
	fmt.Fprintf(mac, "%s\n%s", sources.ArchivePath(c.provider, c.version, c.platform), expires)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
