package gogetter

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// methodName is the type of the blocks of [Mirrors.Method].
const methodName = "go_getter_mirror"

// Mirror is a go_getter_mirror block.
type Mirror struct {
	// Address is a go-getter address. It does not show itself, since it can hold credentials.
	Address sources.Token

	// TrustAllHashes lets the mirror's hashes of other platforms into the dependency lock file.
	TrustAllHashes bool
}

// Mirrors makes sources of the blocks in a CLI configuration, and closes them:
//
//	provider_installation {
//	  go_getter_mirror {
//	    address          = "s3::https://s3.eu-central-1.amazonaws.com/bucket/providers"
//	    trust_all_hashes = true                            # optional
//	    include          = ["registry.example.com/*/*"]    # optional, and so is exclude
//	  }
//	}
//
// terraform and tofu do not know this block. The zero value is ready to use; it is safe for concurrent use, and must not be
// copied after first use.
type Mirrors struct {
	// Config is for all sources, but for the fields Address, TrustAllHashes, Client and UserAgent: those come from the
	// block and from the [cliconfig.SourceOptions].
	Config Config

	mu     sync.Mutex
	opened []*Source
}

// Method returns the row for the table in [cliconfig.Options]: that of go_getter_mirror blocks.
func (m *Mirrors) Method() cliconfig.MethodType {
	return cliconfig.MethodType{Name: methodName, Decode: m.decode, Build: m.build}
}

// Close closes the sources that were made. The error joins theirs.
func (m *Mirrors) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, source := range m.opened {
		errs = append(errs, source.Close())
	}
	m.opened = nil
	return errors.Join(errs...)
}

func (m *Mirrors) decode(b *cliconfig.Block) cliconfig.Location {
	address := b.RequiredString("address")
	trust := b.Bool("trust_all_hashes")
	if address == "" {
		return nil
	}
	if _, err := parseAddress(address, m.Config.PlainHTTPInsecure); err != nil {
		b.Fail(placeOf(address), "Invalid address of a go-getter mirror", "The argument \"address\" is not an address of a mirror: %s.", err)
	}
	return Mirror{Address: sources.Token(address), TrustAllHashes: trust != nil && *trust}
}

// placeOf returns the argument to point at: none, which is the block, when the line of the address may hold a secret.
func placeOf(address string) string {
	if strings.ContainsAny(address, "?@") {
		return ""
	}
	return "address"
}

func (m *Mirrors) build(location cliconfig.Location, _ *cliconfig.Config, opts cliconfig.SourceOptions) (sources.Source, error) {
	block, ok := location.(Mirror)
	if !ok {
		return nil, fmt.Errorf("a gogetter.Mirror is needed, not %T", location)
	}
	config := m.Config
	config.Address, config.TrustAllHashes = string(block.Address), block.TrustAllHashes
	config.Client, config.UserAgent = opts.Client, opts.UserAgent
	source, err := New(config)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = append(m.opened, source)
	return sources.Memo(source), nil
}
