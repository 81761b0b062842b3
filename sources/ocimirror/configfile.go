package ocimirror

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// MaxConfigFile is the size of the largest file that is read for credentials, in bytes.
const MaxConfigFile = 1 << 20

// ConfigFileError says what is wrong with a file in the format of Docker's config.json.
type ConfigFileError struct {
	File string
	Key  string // the entry that is wrong: `auths["registry.example.com"]`; "": the file as a whole
	Err  error
}

func (e *ConfigFileError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("the credentials in %s cannot be read: %v", e.File, e.Err)
	}
	return fmt.Sprintf("the credentials in %s cannot be read: %s: %v", e.File, e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *ConfigFileError) Unwrap() error { return e.Err }

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// configFile is a file in the format of Docker's config.json, as far as it is about credentials:
// https://docs.docker.com/reference/cli/docker/login/#credential-stores,
// https://github.com/containers/image/blob/v5.34.0/docs/containers-auth.json.5.md.
type configFile struct {
	path    string
	auths   map[scope]Credential
	helpers map[scope]string
	store   string // the helper for all registries
	wrong   map[string]error
}

func readConfigFile(path string) (*configFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathless(err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxConfigFile+1))
	switch {
	case err != nil:
		return nil, pathless(err)
	case len(src) > MaxConfigFile:
		return nil, fmt.Errorf("%w: it has more than %d bytes", sources.ErrTooLarge, MaxConfigFile)
	}
	return parseConfigFile(src, path)
}

// pathless leaves out the path, which the error around it has.
func pathless(err error) error {
	var wrapped *fs.PathError
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// parseConfigFile reads what can be read. The error is about the file as a whole.
func parseConfigFile(src []byte, path string) (*configFile, error) {
	var document struct {
		Auths   map[string]json.RawMessage `json:"auths"`
		Helpers map[string]json.RawMessage `json:"credHelpers"`
		Store   json.RawMessage            `json:"credsStore"`
	}
	if err := json.Unmarshal(src, &document); err != nil {
		return nil, err
	}
	if filepath.Base(path) == ".dockercfg" && document.Auths == nil {
		// This older file is what "auths" is in the newer one.
		if err := json.Unmarshal(src, &document.Auths); err != nil {
			return nil, err
		}
	}
	f := &configFile{path: path, auths: map[scope]Credential{}, helpers: map[scope]string{}, wrong: map[string]error{}}
	for _, key := range sortedKeys(document.Auths) {
		f.note("auths["+quoted(key)+"]", f.addAuth(key, document.Auths[key]))
	}
	for _, key := range sortedKeys(document.Helpers) {
		f.note("credHelpers["+quoted(key)+"]", f.addHelper(key, document.Helpers[key]))
	}
	if document.Store != nil {
		f.note("credsStore", unmarshalHelper(document.Store, &f.store))
	}
	return f, nil
}

// sortedKeys puts URLs first, so that of two entries for one registry, the one under its plain name counts.
func sortedKeys[V any](entries map[string]V) []string {
	return slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		if aURL, bURL := strings.Contains(a, "://"), strings.Contains(b, "://"); aURL != bURL {
			return map[bool]int{true: -1, false: +1}[aURL]
		}
		return strings.Compare(b, a)
	})
}

func (f *configFile) note(key string, err error) {
	if err != nil {
		f.wrong[key] = err
	}
}

// problems returns what is wrong with the file, where err is about all of it.
func (f *configFile) problems(path string, err error) []*ConfigFileError {
	if err != nil {
		return []*ConfigFileError{{File: path, Err: err}}
	}
	var problems []*ConfigFileError
	for _, key := range slices.Sorted(maps.Keys(f.wrong)) {
		problems = append(problems, &ConfigFileError{File: path, Key: key, Err: f.wrong[key]})
	}
	return problems
}

func (f *configFile) addAuth(key string, src json.RawMessage) error {
	var entry *authEntry
	if err := json.Unmarshal(src, &entry); err != nil || entry == nil {
		return err
	}
	credential, err := entry.credential()
	if err == nil && !credential.IsZero() {
		f.auths[scopeOf(key)] = credential
	}
	return err
}

func (f *configFile) addHelper(key string, src json.RawMessage) error {
	var name string
	err := unmarshalHelper(src, &name)
	if err == nil && name != "" {
		f.helpers[scopeOf(key)] = name
	}
	return err
}

func unmarshalHelper(src json.RawMessage, name *string) error {
	var text string
	if err := json.Unmarshal(src, &text); err != nil {
		return err
	}
	if !isHelperName(text) {
		return errHelperPath
	}
	*name = text
	return nil
}

// candidates returns what the file has for a repository.
func (f *configFile) candidates(registry, repository string) []candidate {
	var all []candidate
	for s, name := range f.helpers {
		if n := s.specificity(registry, repository); n > 0 {
			all = append(all, candidate{specificity: n, helper: name, file: f.path})
		}
	}
	for s, credential := range f.auths {
		if n := s.specificity(registry, repository); n > 0 {
			all = append(all, candidate{specificity: n, credential: credential, file: f.path})
		}
	}
	return append(all, candidate{helper: f.store, file: f.path})
}

// scopeOf reads the key of an entry: a host, perhaps with segments of a repository's name, or a URL of which the path has
// no meaning ("https://index.docker.io/v1/").
func scopeOf(key string) scope {
	host, isURL := key, false
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(host, scheme); ok {
			host, isURL = rest, true
		}
	}
	host, repository, _ := strings.Cut(host, "/")
	repository = strings.Trim(repository, "/")
	if isURL || repository == "v1" || repository == "v2" {
		repository = ""
	}
	return scope{registryName(host), repository}
}

// authEntry is what stands in the file itself.
type authEntry struct {
	Auth          string `json:"auth"` // base64 of "user:password"
	Username      string `json:"username"`
	Password      string `json:"password"`
	IdentityToken string `json:"identitytoken"`
	RegistryToken string `json:"registrytoken"`
}

func (e *authEntry) credential() (Credential, error) {
	username, password := e.Username, e.Password
	if e.Auth != "" {
		text, err := base64.StdEncoding.DecodeString(e.Auth)
		if err != nil {
			return Credential{}, errAuth
		}
		var colon bool
		if username, password, colon = strings.Cut(string(text), ":"); !colon {
			return Credential{}, errAuth
		}
	}
	c := newCredential(username, strings.TrimRight(password, "\x00"))
	if e.IdentityToken != "" {
		c.RefreshToken = sources.Token(e.IdentityToken)
	}
	c.AccessToken = sources.Token(e.RegistryToken)
	return c, nil
}

var errAuth = errors.New("auth is not the base64 of a user name, a colon and a password")

// tokenUser is the user name with which Docker says that the password is an identity token:
// https://docs.docker.com/reference/cli/docker/login/#credential-helper-protocol.
const tokenUser = "<token>"

func newCredential(username, password string) Credential {
	if username == tokenUser {
		return Credential{RefreshToken: sources.Token(password)}
	}
	return Credential{Username: username, Password: sources.Token(password)}
}
