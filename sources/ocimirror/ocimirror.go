package ocimirror

import (
	"errors"
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// Source is the source that asks OCI registries.
type Source struct {
	connection *connection
	spellings  remote.Spellings
}

// New returns a source. It makes no request, and looks for no credentials. The error is a [*sources.FieldError].
func New(config Config) (*Source, error) {
	connection, err := newConnection(config)
	if err != nil {
		return nil, err
	}
	return &Source{connection: connection}, nil
}

// String returns "OCI mirror NAME".
func (s *Source) String() string {
	if name := s.connection.config.Name; name != "" {
		return "OCI mirror " + shown(name)
	}
	return "OCI mirror"
}

var _ sources.Source = (*Source)(nil)

// problems returns what is wrong about where credentials are looked for, for people.
func (s *Source) problems() []string {
	teller, ok := s.connection.config.Credentials.(interface{ Problems() []error })
	if !ok {
		return nil
	}
	var texts []string
	for _, err := range teller.Problems() {
		texts = append(texts, err.Error())
	}
	return remote.Bounded(texts)
}

// explain adds to a refusal why there may be no credentials.
func (s *Source) explain(err error) error {
	problems := s.problems()
	if len(problems) == 0 || !errors.Is(err, sources.ErrUnauthorized) {
		return err
	}
	return fmt.Errorf("%w (%s)", err, problems[0])
}
