package gogetter

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strings"

	getter "github.com/hashicorp/go-getter"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// AddressError says why [Config.Address] cannot be the address of a mirror. It does not show the address where that may
// hold a secret.
type AddressError struct {
	Address string // redacted
	Problem string
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("go-getter address %q: %s", e.Address, e.Problem)
}

// The kinds of address.
const (
	kindS3   = "s3"
	kindGCS  = "gcs"
	kindHTTP = "https"
	kindGit  = "git"
	kindFile = "file"
)

// address is a go-getter address, taken apart.
type address struct {
	kind string
	url  *url.URL // without the subdirectory; of git, without ref, sshkey and depth
	dir  string   // the subdirectory in a repository, slashed and clean; "" is its root

	ref    string // of a repository; "" is its default branch
	sshKey string // of a repository, in Base64; "" means git's own keys
	secret []string
}

// String returns the address without credentials.
func (a *address) String() string {
	forced := a.kind + "::"
	if a.kind == kindHTTP || a.kind == kindFile {
		forced = ""
	}
	text := forced + web.Redact(a.url)
	if a.dir != "" {
		text += "//" + a.dir
	}
	if a.ref != "" {
		text += " at " + a.ref
	}
	return text
}

// detectors are go-getter's, but for the one that asks a server what an address means.
var detectors = []getter.Detector{
	new(getter.GitHubDetector), new(getter.GitLabDetector), new(getter.GitDetector),
	new(getter.S3Detector), new(getter.GCSDetector), new(getter.FileDetector),
}

var forcedPattern = regexp.MustCompile(`^([A-Za-z0-9]+)::(.+)$`)

// parseAddress reads an address. It does no I/O.
func parseAddress(text string, plainHTTP bool) (*address, error) {
	refused := func(problem string) error { return &AddressError{Address: withoutSecrets(text), Problem: problem} }
	detected, err := getter.Detect(text, "", detectors)
	if err != nil {
		return nil, refused("is not the full address of anything; a path must be absolute")
	}
	forced, rest := "", detected
	if match := forcedPattern.FindStringSubmatch(detected); match != nil {
		forced, rest = match[1], match[2]
	}
	rest, dir := getter.SourceDirSubdir(rest)
	u, err := url.Parse(rest)
	if err != nil {
		return nil, refused("is not a URL")
	}
	a := &address{kind: cmp.Or(forced, u.Scheme), url: u, dir: dir}
	if a.kind == "http" {
		a.kind = kindHTTP
	}
	if problem := a.complete(plainHTTP); problem != "" {
		return nil, refused(problem)
	}
	return a, nil
}

// complete checks an address, and brings its parts into order. It returns what is wrong.
func (a *address) complete(plainHTTP bool) string {
	a.secret = secretsOf(a.url)
	if problem := a.checkDir(); problem != "" {
		return problem
	}
	if problem := a.checkScheme(plainHTTP); problem != "" {
		return problem
	}
	query := a.url.Query()
	for _, name := range []string{"archive", "checksum", "filename", "version"} {
		if query.Has(name) {
			return fmt.Sprintf("the parameter %q is about a single file, and a mirror has many", name)
		}
	}
	if a.url.Fragment != "" {
		return "a fragment is about a single file, and a mirror has many"
	}
	switch a.kind {
	case kindGit:
		return a.completeGit(query)
	case kindFile:
		return a.completeFile()
	}
	a.url.Path, a.url.RawPath = path.Join("/", a.url.Path, a.dir), ""
	a.dir = ""
	return a.completeStore()
}

func (a *address) checkDir() string {
	a.dir = strings.Trim(a.dir, "/")
	if a.dir == "" {
		return ""
	}
	a.dir = path.Clean(a.dir)
	if a.dir == ".." || strings.HasPrefix(a.dir, "../") || strings.ContainsAny(a.dir, "\\\x00") {
		return "the subdirectory leads out of the mirror"
	}
	return ""
}

// schemes are those of the URLs in each kind of address; true are those without encryption.
var schemes = map[string]map[string]bool{
	kindS3:   {"https": false, "http": true},
	kindGCS:  {"https": false},
	kindHTTP: {"https": false, "http": true},
	kindGit:  {"https": false, "ssh": false, "file": false, "http": true, "git": true},
	kindFile: {"file": false},
}

func (a *address) checkScheme(plainHTTP bool) string {
	allowed, ok := schemes[a.kind]
	if !ok {
		return fmt.Sprintf("there is no mirror of kind %q; there are s3, gcs, git, https and file", a.kind)
	}
	plain, ok := allowed[a.url.Scheme]
	switch {
	case !ok:
		return fmt.Sprintf("%q is not the scheme of a mirror of kind %s", a.url.Scheme, a.kind)
	case a.url.Scheme != "file" && a.url.Hostname() == "":
		return "the URL names no host"
	case plain && !plainHTTP && !isLoopback(a.url.Hostname()):
		return a.url.Scheme + " without encryption is accepted for loopback addresses only; use https"
	}
	return ""
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// amazonHost is how AWS writes a region's host today. Of such a host go-getter takes "s3" for the name of a bucket; it
// understands the older form, and uses neither for anything but the region.
var amazonHost = regexp.MustCompile(`^s3\.([a-z0-9-]+\.amazonaws\.com(\.cn)?)$`)

// completeStore refuses what the getters would take for the address of a bucket without a name.
func (a *address) completeStore() string {
	if a.kind == kindS3 {
		a.url.Host = amazonHost.ReplaceAllString(a.url.Host, "s3-$1")
	}
	switch {
	case a.kind == kindS3 && a.url.User != nil, a.kind == kindGCS && a.url.User != nil:
		return "credentials of an object store are parameters, not a user name"
	case a.kind == kindS3 && !strings.HasSuffix(a.url.Host, ".amazonaws.com") && a.url.Path == "/":
		return "the bucket is missing: it is the first segment of the path"
	case a.kind == kindGCS && (a.url.Host != "www.googleapis.com" || strings.Count(a.url.Path, "/") < 3):
		return "it begins like https://www.googleapis.com/storage/v1/BUCKET"
	}
	return ""
}

// refPattern is what a branch, a tag or a commit looks like, and nothing that git could take for an option or a refspec.
var refPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+#=-]{0,254}$`)

func (a *address) completeGit(query url.Values) string {
	a.ref, a.sshKey = query.Get("ref"), query.Get("sshkey")
	for _, name := range []string{"ref", "sshkey", "depth"} {
		query.Del(name)
	}
	a.url.RawQuery = query.Encode()
	switch {
	case a.ref != "" && (!refPattern.MatchString(a.ref) || strings.Contains(a.ref, "..")):
		a.ref = ""
		return "the parameter ref is not the name of a branch, a tag or a commit"
	case a.url.Scheme == "file" && a.url.Host != "":
		return "a file URL has three slashes: file:///srv/mirror.git"
	}
	return ""
}

func (a *address) completeFile() string {
	if a.url.Host != "" || a.url.RawQuery != "" || a.url.User != nil || a.url.Path == "" {
		return "a directory is a path, as in file:///srv/providers, and nothing else"
	}
	return ""
}
