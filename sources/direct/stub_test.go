package direct_test

import (
	"net/http"
	"net/http/httptest"
)

// roundTripper is a transport without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var _ http.RoundTripper = roundTripper(nil)

// recorder makes a response.
type recorder struct{ *httptest.ResponseRecorder }

func newRecorder() recorder { return recorder{httptest.NewRecorder()} }

func (w recorder) response(r *http.Request) *http.Response {
	resp := w.Result()
	resp.Request = r
	return resp
}
