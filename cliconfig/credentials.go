package cliconfig

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/internal/memo"
	"github.com/purveyor-dev/purveyor/sources"
)

// CredentialsHelper is a credentials_helper block: a program that knows tokens.
type CredentialsHelper struct {
	Name    string
	Args    []string  // before the arguments of the protocol
	Program string    // path of terraform-credentials-<name>; "" if [Load] did not find it, and always after [Parse]
	Range   hcl.Range // of the block's type
}

const helperPrefix = "terraform-credentials-"

func (d *decoder) helper(b *Block) {
	helper := CredentialsHelper{Name: b.labels[0], Args: b.Strings("args"), Range: b.Range}
	if helper.Name == "" || filepath.Base(helper.Name) != helper.Name {
		d.fail(b.Range, "Invalid credentials_helper block", "The label is the name of a helper, not a path: \"x\" stands for the program %sx.", helperPrefix)
	}
	b.warnUnknown()
	d.layer.helpers = append(d.layer.helpers, helper)
}

// findHelper looks for the helper's program. Like the clients, it goes on without one: requests are anonymous then.
func (m *merger) findHelper(env Environment) {
	helper := m.config.Helper
	if helper == nil {
		return
	}
	name := helperPrefix + helper.Name
	if env.windows() {
		name += ".exe"
	}
	for _, dir := range env.dataDirs() {
		for _, path := range inside(filepath.Join(dir, "plugins"), name, env.platform().String()+"/"+name) {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				helper.Program = env.absolute(path)
				return
			}
		}
	}
	m.warn(helper.Range, "Credentials helper not found", "There is no program %s in the plugin directories: requests will carry no credentials from it.", name)
}

// Credentials finds tokens for hosts: in the environment, in credentials blocks, and then by asking the credentials
// helper, once per host. It is safe for concurrent use.
type Credentials struct {
	tokens map[sources.Host]sources.Token
	helper *helperProgram // nil: none
	known  memo.Map[sources.Host, sources.Token]
}

var _ sources.Credentials = (*Credentials)(nil)

// Credentials returns the configured credentials. What the helper says is remembered for the lifetime of the result; its
// failures are not.
func (c *Config) Credentials() *Credentials {
	credentials := &Credentials{tokens: c.Tokens}
	if c.Helper != nil && c.Helper.Program != "" && c.env != nil {
		credentials.helper = &helperProgram{path: c.Helper.Program, args: c.Helper.Args, env: c.env()}
	}
	return credentials
}

// String says where tokens come from, but not which.
func (c *Credentials) String() string {
	if c.helper == nil {
		return fmt.Sprintf("tokens for %d hosts", len(c.tokens))
	}
	return fmt.Sprintf("tokens for %d hosts, and the helper %s", len(c.tokens), c.helper.path)
}

// Format prints String whatever the verb.
func (c *Credentials) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// Token returns the token for a host, "" if there is none. The error is a [*HelperError], or the
// context's.
func (c *Credentials) Token(ctx context.Context, host sources.Host) (sources.Token, error) {
	if token, ok := c.tokens[host]; ok || c.helper == nil {
		return token, nil
	}
	return c.known.Get(ctx, host, func(ctx context.Context) (sources.Token, error) {
		return c.helper.get(ctx, host)
	})
}
