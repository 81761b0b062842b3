package ocimirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// authorizer is the transport of requests for one repository. Those to the registry itself are authenticated when it
// asks for that (https://distribution.github.io/distribution/spec/auth/token/); all others are sent as they are. It
// follows no redirects: that is left to the client above, which brings them here again.
type authorizer struct {
	ref        registry.Reference
	origin     string // of the registry
	secure     bool   // what is sent to the registry cannot be read on the way
	connection *connection
	transport  http.RoundTripper
	cache      auth.Cache
	state      *state
}

// state is what is known about the credentials for a repository.
type state struct {
	anonymous atomic.Bool // there are none: tokens are those that everybody gets
	renewable atomic.Bool // there is an access token, and a token to get another
	spent     atomic.Bool // the registry has refused the access token
}

func newAuthorizer(base *url.URL, ref registry.Reference, c *connection) *authorizer {
	return &authorizer{
		ref:        ref,
		origin:     web.Origin(base),
		secure:     isSecure(base),
		connection: c,
		transport:  c.documents,
		cache:      auth.NewSingleContextCache(),
		state:      new(state),
	}
}

// over returns one that shares everything with a, but uses another transport.
func (a *authorizer) over(transport http.RoundTripper) *authorizer {
	other := *a
	other.transport = transport
	return &other
}

// strict is what secrets are entrusted to: https, and http that does not leave the machine.
var strict web.Client

func isSecure(u *url.URL) bool { return strict.CheckURL(u) == nil }

// RoundTrip implements [http.RoundTripper].
func (a *authorizer) RoundTrip(req *http.Request) (*http.Response, error) {
	if !a.isOwn(req) {
		return a.transport.RoundTrip(req)
	}
	spent := a.state.spent.Load()
	resp, err := a.authenticated(req)
	if err != nil || spent || resp.StatusCode != http.StatusUnauthorized || !a.state.renewable.Load() || req.Body != nil {
		return resp, err
	}
	resp.Body.Close()
	a.state.spent.Store(true)
	return a.authenticated(req)
}

func (a *authorizer) authenticated(req *http.Request) (*http.Response, error) {
	ctx := auth.AppendRepositoryScope(req.Context(), a.ref, auth.ActionPull)
	exchange := &exchange{authorizer: a, target: req.URL.String()}
	client := &auth.Client{
		Client:     &http.Client{Transport: exchange, CheckRedirect: stay},
		Credential: exchange.credential,
		Cache:      a.cache,
		ClientID:   "purveyor",
	}
	resp, err := client.Do(req.Clone(ctx))
	if err != nil {
		return nil, exchange.explain(req.Method, err)
	}
	return resp, nil
}

var _ http.RoundTripper = (*authorizer)(nil)

// isOwn reports whether a request is to the registry, and was not made to it by anybody else: a redirect from another
// origin gets no credentials.
func (a *authorizer) isOwn(req *http.Request) bool {
	for {
		switch {
		case web.Origin(req.URL) != a.origin:
			return false
		case req.Response == nil:
			return true
		case req.Response.Request == nil:
			return false // nobody knows who sent it here
		}
		req = req.Response.Request
	}
}

// stay makes a redirect the answer.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// exchange is one request to the registry and what it takes to authenticate it: the request without or with a token of
// before, the request for a token, the request again.
type exchange struct {
	*authorizer
	target string // the URL of the request; all others are about tokens
}

// credential implements [auth.CredentialFunc].
func (x *exchange) credential(ctx context.Context, _ string) (auth.Credential, error) {
	if !x.secure || x.connection.config.Credentials == nil {
		x.state.anonymous.Store(true)
		return auth.EmptyCredential, nil
	}
	name := registryName(x.ref.Registry)
	credential, err := x.connection.config.Credentials.Credential(ctx, name, x.ref.Repository)
	if err != nil {
		return auth.EmptyCredential, &CredentialsError{Registry: name, Err: err}
	}
	x.state.anonymous.Store(credential.IsZero())
	if credential.AccessToken != "" && credential.RefreshToken != "" {
		x.state.renewable.Store(true)
		if x.state.spent.Load() {
			credential.AccessToken = ""
		}
	}
	return credential.oras(), nil
}

// RoundTrip implements [http.RoundTripper].
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.String() != x.target {
		return x.token(req)
	}
	resp, err := x.transport.RoundTrip(req)
	if err == nil && resp.Request == nil {
		resp.Request = req // which the client of oras relies on
	}
	return resp, err
}

var _ http.RoundTripper = (*exchange)(nil)

// maxTokenAnswer is the size of the largest answer of a token service, in bytes. A token has to fit into a header.
const maxTokenAnswer = 128 << 10

// token makes a request to the service that the registry names as the one that gives out tokens for it. It gets the
// credentials for this registry, so it must be reached as safely as the registry.
func (x *exchange) token(req *http.Request) (*http.Response, error) {
	var refused *web.RefusedError
	if errors.As(strict.CheckURL(req.URL), &refused) {
		return nil, x.failed(req, errors.New(refused.Why))
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", x.connection.config.UserAgent)
	resp, err := x.transport.RoundTrip(req)
	if err != nil {
		return nil, x.unreached(req, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenAnswer))
	switch {
	case err != nil:
		return nil, x.unreached(req, err)
	case resp.StatusCode != http.StatusOK:
		failed := x.failed(req, statusOf(resp, req))
		failed.Message = messageOf(body, req)
		return nil, failed
	}
	resp.Body, resp.Request = io.NopCloser(bytes.NewReader(body)), req
	return resp, nil
}

// unreached says that there was no answer from the token service.
func (x *exchange) unreached(req *http.Request, err error) *AuthError {
	return &AuthError{Registry: registryName(x.ref.Registry), Service: web.Redact(req.URL), Err: err}
}

// failed says that the answer of the token service, or what is known of it beforehand, is of no use.
func (x *exchange) failed(req *http.Request, err error) *AuthError {
	e := x.refused(err)
	e.Service = web.Redact(req.URL)
	if web.Transient(err) {
		e.refusal = nil
	}
	return e
}

// refused says that the registry wants to be authenticated for and that this cannot be done.
func (x *exchange) refused(err error) *AuthError {
	return &AuthError{
		Registry: registryName(x.ref.Registry),
		Err:      err,
		refusal:  &web.StatusError{URL: x.origin, Code: http.StatusUnauthorized},
	}
}

// explain turns an error of the client of oras into one that says what to do about it.
func (x *exchange) explain(method string, err error) error {
	var failed *AuthError
	var credentials *CredentialsError
	var request *url.Error
	switch {
	case errors.As(err, &failed):
		return failed
	case errors.As(err, &credentials):
		return x.refused(credentials)
	case errors.As(err, &request) && request.Op != "parse":
		return request.Err // of the request itself, whose URL the client above knows
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return x.refused(errNoCredential)
	}
	text := strings.TrimPrefix(err.Error(), fmt.Sprintf("%s %q: ", method, x.target)) // who made the request says this
	return x.refused(errors.New(shown(text)))
}

var errNoCredential = errors.New("it wants a user name and a password, and none are configured for this repository")
