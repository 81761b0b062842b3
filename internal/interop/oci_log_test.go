package interop_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ociRequest is a request as a registry's access log has it, once it was answered.
type ociRequest struct {
	method, path string
	status       int
	bytes        int64 // sent in the body
}

// The combined format: https://httpd.apache.org/docs/2.4/logs.html#combined
var ociLogLine = regexp.MustCompile(`"(GET|HEAD|POST|PUT|PATCH|DELETE) (\S+) HTTP/[0-9.]+" (\d{3}) (\d+)`)

// requests returns those since the last forget, in the order of their answers.
func (r *ociRegistry) requests(t *testing.T) []ociRequest {
	t.Helper()
	log, err := os.ReadFile(r.accessLog)
	if err != nil {
		t.Fatal(err)
	}
	var all []ociRequest
	for line := range strings.Lines(string(log[r.seen:])) {
		m := ociLogLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("the access log has the line %q", line)
		}
		status, _ := strconv.Atoi(m[3])           // digits
		size, _ := strconv.ParseInt(m[4], 10, 64) // digits
		all = append(all, ociRequest{method: m[1], path: m[2], status: status, bytes: size})
	}
	return all
}

// forget makes requests begin anew.
func (r *ociRegistry) forget(t *testing.T) {
	t.Helper()
	info, err := os.Stat(r.accessLog)
	if err != nil {
		t.Fatal(err)
	}
	r.seen = info.Size()
}

// successful returns the requests with one of the methods, to paths that contain a text, that were not refused.
func (r *ociRegistry) successful(t *testing.T, methods, part string) []ociRequest {
	t.Helper()
	var some []ociRequest
	for _, q := range r.requests(t) {
		if strings.Contains(methods, q.method) && strings.Contains(q.path, part) && q.status < 400 {
			some = append(some, q)
		}
	}
	return some
}

// writes returns the requests that changed something, or tried to.
func (r *ociRegistry) writes(t *testing.T) []ociRequest {
	t.Helper()
	return r.successful(t, "POST PUT PATCH DELETE", "/")
}
