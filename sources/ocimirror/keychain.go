package ocimirror

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purveyor-dev/purveyor/internal/memo"
)

// Keychain finds credentials the way container tools do: in entries of its own, in files in the format of Docker's
// config.json, and by running credential helpers.
//
// The most specific counts: an entry for more segments of the repository's name before one for fewer, that before one for
// the whole registry, and that before a helper for all registries. Of equally specific ones, the first counts, in the
// order of the fields; in one file, helpers come before what stands in the file itself. A helper that says that it has
// nothing is passed over. One that fails is an error: to go on without it could make a private registry look empty.
//
// Use it by pointer; it is safe for concurrent use. Files are read when credentials are needed, each time. What a helper
// says is remembered for [HelperTTL].
type Keychain struct {
	Entries       []KeychainEntry // the program's own
	DefaultHelper string          // name of the helper for all registries: "x" is the program docker-credential-x; "": none

	// ConfigFiles are the paths of files in Docker's format. Those that do not exist are passed over; so is, with an entry
	// in Problems, what cannot be read.
	ConfigFiles []string

	// ConfigFilesRequired makes errors of missing files, and of what cannot be read.
	ConfigFilesRequired bool

	// Environ is the environment of the helpers, "NAME=value", and PATH in it is where they are looked for. Usually it is
	// that of the process, [os.Environ]. Empty: no helper is found.
	Environ []string

	// Dir is the working directory of the helpers. "": that of the process.
	Dir string

	answers memo.Map[question, answer]

	mu       sync.Mutex
	problems []error
}

// KeychainEntry is the credentials for a registry, or for some of its repositories: either Credential or Helper is set.
type KeychainEntry struct {
	Registry   string // host name, perhaps with a port
	Repository string // the first segments of the repositories' names; "": all of them
	Credential Credential
	Helper     string // name of a Docker credential helper
}

var _ Credentials = (*Keychain)(nil)

// candidate is one place where the credentials for a repository may be.
type candidate struct {
	specificity int // 0: for all registries; 1: for the registry; one more for each segment of a repository's name
	credential  Credential
	helper      string
	file        string // that names the helper; "": the keychain itself
}

// Credential implements [Credentials]. The error is a [*HelperError] or a [*ConfigFileError].
func (k *Keychain) Credential(ctx context.Context, registry, repository string) (Credential, error) {
	candidates, err := k.candidates(registryName(registry), repository)
	if err != nil {
		return Credential{}, err
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.specificity, a.specificity) })
	for _, c := range candidates {
		credential := c.credential
		if c.helper != "" {
			if credential, err = k.ask(ctx, c, registryName(registry)); err != nil {
				return Credential{}, err
			}
		}
		if !credential.IsZero() {
			return credential, nil
		}
	}
	return Credential{}, nil
}

// candidates returns what is configured for a repository, in the order of the configuration.
func (k *Keychain) candidates(registry, repository string) ([]candidate, error) {
	var all []candidate
	for _, e := range k.Entries {
		key := scope{registryName(e.Registry), e.Repository}
		if n := key.specificity(registry, repository); n > 0 {
			all = append(all, candidate{specificity: n, credential: e.Credential, helper: e.Helper})
		}
	}
	all = append(all, candidate{helper: k.DefaultHelper})
	for _, path := range k.ConfigFiles {
		file, err := readConfigFile(path)
		if err == nil {
			all = append(all, file.candidates(registry, repository)...)
		}
		if err := k.report(file.problems(path, err)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// report notes problems, or makes an error of the first.
func (k *Keychain) report(problems []*ConfigFileError) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, problem := range problems {
		if k.ConfigFilesRequired {
			return problem
		}
		known := func(err error) bool { return err.Error() == problem.Error() }
		if !isMissing(problem) && !slices.ContainsFunc(k.problems, known) && len(k.problems) < maxProblems {
			k.problems = append(k.problems, problem)
		}
	}
	return nil
}

const maxProblems = 100

// Problems returns what was passed over so far because it could not be read, each a [*ConfigFileError].
func (k *Keychain) Problems() []error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.problems)
}

// scope is what credentials are for.
type scope struct {
	registry   string // by its registryName
	repository string // the first segments of the repositories' names; "": all of them
}

// specificity says how well the scope fits a repository; 0 if it does not include it.
func (s scope) specificity(registry, repository string) int {
	switch {
	case s.registry != registry:
		return 0
	case s.repository == "":
		return 1
	case repository == s.repository || strings.HasPrefix(repository, s.repository+"/"):
		return 2 + strings.Count(s.repository, "/")
	}
	return 0
}

// question is what a helper is asked.
type question struct{ helper, registry string }

// answer is what it said.
type answer struct {
	credential Credential
	at         time.Time
}

// HelperTTL is how long the answer of a credential helper is used, 5 minutes: tokens for the registries of cloud providers
// are valid for hours.
const HelperTTL = 5 * time.Minute

// ask asks a helper, or remembers what it said.
func (k *Keychain) ask(ctx context.Context, c candidate, registry string) (Credential, error) {
	q := question{c.helper, registry}
	for {
		a, err := k.answers.Get(ctx, q, func(ctx context.Context) (answer, error) {
			credential, err := k.run(ctx, c, registry)
			return answer{credential, time.Now()}, err
		})
		if err != nil || time.Since(a.at) < HelperTTL {
			return a.credential, err
		}
		k.answers.Forget(q)
	}
}
