// Package telemetry makes OpenTelemetry spans of an installer's events: "provider resolve" for the selection of a provider's
// version, and "provider package" for each of its packages that is installed, locked or fetched. It is a module of its own,
// so that the library does not depend on OpenTelemetry; copy it, or import it as it is.
//
//	in.Notify = telemetry.Bridge(ctx, otel.Tracer("example.com/tool"))
package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// The names of attributes. The events of a span have the names of [installer.EventKind].
const (
	AttributeProvider  = "provider.address"   // registry.opentofu.org/hashicorp/random
	AttributeVersion   = "provider.version"   // 3.6.2
	AttributePlatform  = "provider.platform"  // linux_amd64; of packages
	AttributeLocation  = "provider.location"  // a URL or a path, without credentials
	AttributeBytes     = "provider.bytes"     // of the archive
	AttributeAuthority = "provider.authority" // "signed", "reported" or "unverified"
	AttributeSigner    = "provider.signer"    // fingerprint
	AttributeCarried   = "provider.carried"   // true: a mirror brought the key, which proves nothing unless it is pinned
)

// Bridge returns a function for Installer.Notify, good for one call of one of its methods. The spans are children of that in ctx.
func Bridge(ctx context.Context, tracer trace.Tracer) func(installer.Event) {
	b := &bridge{ctx: ctx, tracer: tracer, open: map[key]trace.Span{}}
	return b.notify // calls do not overlap
}

// key is what has a span: a sequence of events, see [installer.Event].
type key struct {
	provider sources.Provider
	platform sources.Platform // zero: the selection of a version
}

type bridge struct {
	ctx    context.Context
	tracer trace.Tracer
	open   map[key]trace.Span
}

func (b *bridge) notify(e installer.Event) {
	k := key{e.Provider, e.Platform}
	span, ok := b.open[k]
	if !ok {
		span = b.start(k)
		b.open[k] = span
	}
	if e.Kind != installer.EventProgress {
		span.AddEvent(string(e.Kind), trace.WithTimestamp(time.Now()))
	}
	describe(span, e)
	if e.Kind.Last() {
		span.End()
		delete(b.open, k)
	}
}

func (b *bridge) start(k key) trace.Span {
	name, attributes := "provider resolve", []attribute.KeyValue{attribute.String(AttributeProvider, k.provider.String())}
	if !k.platform.IsZero() {
		name, attributes = "provider package", append(attributes, attribute.String(AttributePlatform, k.platform.String()))
	}
	_, span := b.tracer.Start(b.ctx, name, trace.WithAttributes(attributes...))
	return span
}

// describe adds what an event says.
func describe(span trace.Span, e installer.Event) {
	if !e.Version.IsZero() {
		span.SetAttributes(attribute.String(AttributeVersion, e.Version.String()))
	}
	if e.Location != "" {
		span.SetAttributes(attribute.String(AttributeLocation, e.Location))
	}
	if e.Kind == installer.EventFetching && e.Size > 0 {
		span.SetAttributes(attribute.Int64(AttributeBytes, e.Size))
	}
	if e.Proof != nil {
		span.SetAttributes(attribute.String(AttributeAuthority, e.Proof.Authority.String()))
		if e.Proof.Signer != nil {
			span.SetAttributes(attribute.String(AttributeSigner, e.Proof.Signer.Fingerprint))
			if e.Proof.Signer.Carried {
				span.SetAttributes(attribute.Bool(AttributeCarried, true))
			}
		}
	}
	if e.Err != nil {
		span.RecordError(e.Err)
	}
	if e.Kind == installer.EventFailed {
		span.SetStatus(codes.Error, e.Err.Error())
	}
}
