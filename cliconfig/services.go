package cliconfig

import (
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/sources"
)

// providersService is the identifier of the provider registry protocol in service discovery:
// https://opentofu.org/docs/internals/provider-registry-protocol/.
const providersService = "providers.v1"

// RegistryProtocols is a registry_protocols block: how patient to be with registries and network mirrors. Archives of
// packages are another matter.
type RegistryProtocols struct {
	RetryCount *int           // further attempts at a document; negative is like 0; nil: the default
	Timeout    *time.Duration // of one attempt; zero or less: none; nil: the default
}

// or fills in what p does not say.
func (p RegistryProtocols) or(q RegistryProtocols) RegistryProtocols {
	if p.RetryCount == nil {
		p.RetryCount = q.RetryCount
	}
	if p.Timeout == nil {
		p.Timeout = q.Timeout
	}
	return p
}

func (d *decoder) hostLabel(b *Block) (sources.Host, bool) {
	host, err := sources.ParseHost(b.labels[0])
	if err != nil {
		d.fail(b.Range, "Invalid hostname", "The label of this %s block is wrong: %s.", b.Type, err)
	}
	return host, err == nil
}

// host reads a host block, which replaces service discovery. Services of other kinds than providers can have any value;
// only strings are kept.
func (d *decoder) host(b *Block) {
	host, ok := d.hostLabel(b)
	if !ok {
		return
	}
	services := map[string]string{}
	if b.Has("services") {
		d.services(b, services)
	}
	put(&d.layer.services, host, services)
}

func (d *decoder) services(b *Block, services map[string]string) {
	list, err := entries(b.Attribute("services").Expr)
	if err != nil {
		b.Fail("services", "Invalid host block", "The argument \"services\" must be %s.", err)
	}
	for _, service := range list {
		v, ok := literalValue(service.expr)
		text, err := stringOf(v)
		switch {
		case ok && err == nil:
			services[service.name] = text
		case service.name == providersService:
			d.fail(service.expr.Range(), "Invalid host block", "The service %q must be a string, the base URL of the registry.", providersService)
		}
	}
}

func (d *decoder) credentials(b *Block) {
	host, ok := d.hostLabel(b)
	if !ok || !b.Has("token") {
		return
	}
	v, ok := literalValue(b.Attribute("token").Expr)
	token, err := stringOf(v)
	if !ok || err != nil || token == "" {
		d.warn(b.attrs["token"].NameRange, "Unusable credentials", "The token for %s is not a string, or empty: requests will carry no credentials.", host)
		return
	}
	put(&d.layer.tokens, host, sources.Token(token))
}

func (d *decoder) protocols(b *Block) {
	if d.protocolsAt != nil {
		d.fail(b.Range, "Duplicate registry_protocols block", "There is one already on line %d; a file has at most one.", d.protocolsAt.Start.Line)
		return
	}
	d.protocolsAt = &b.Range
	d.layer.protocols.RetryCount = b.Int("retry_count")
	if seconds := b.Int("request_timeout_seconds"); seconds != nil {
		timeout := time.Duration(*seconds) * time.Second
		d.layer.protocols.Timeout = &timeout
	}
	b.warnUnknown()
}

// assignedProtocols reads "registry_protocols = {…}", which the clients accept, other than for the blocks that decide
// about origins.
func (d *decoder) assignedProtocols(body hcl.Body) {
	native, ok := body.(*hclsyntax.Body)
	if !ok {
		return
	}
	attr, ok := native.Attributes["registry_protocols"]
	if !ok {
		return
	}
	list, err := entries(attr.Expr)
	if err != nil {
		d.fail(attr.Expr.Range(), "Invalid registry_protocols block", "The value must be %s.", err)
		return
	}
	block := &Block{Type: attr.Name, Range: attr.NameRange, report: &d.report, attrs: hcl.Attributes{}}
	for _, e := range list {
		block.attrs[e.name] = &hcl.Attribute{Name: e.name, NameRange: e.at, Range: e.at, Expr: e.expr}
	}
	d.protocols(block)
}
