package telemetry_test

import (
	"slices"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/purveyor-dev/purveyor/examples/telemetry"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestSpans(t *testing.T) {
	t.Parallel()
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.2.3"}}})
	recorder := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(recorder)).Tracer("test")
	ctx, parent := tracer.Start(t.Context(), "parent")

	in := &installer.Installer{Source: direct.New(direct.Config{Client: srv.Client()}), Dir: t.TempDir(), Notify: telemetry.Bridge(ctx, tracer)}
	_, err := in.Install(ctx, installer.Request{Requirements: installer.Requirements{
		sources.MustParseProvider("registry.example.com/acme/rocket"): sources.Constraints{},
		sources.MustParseProvider("registry.example.com/acme/absent"): sources.Constraints{},
	}})
	if err == nil {
		t.Fatal("no error for a provider that is not there")
	}
	parent.End()
	spans := map[string]trace.ReadOnlySpan{}
	for _, span := range recorder.Ended() {
		for _, a := range span.Attributes() {
			if a.Key == telemetry.AttributeProvider {
				spans[a.Value.AsString()] = span
			}
		}
	}
	if len(spans) != 2 || len(recorder.Started()) != 3 {
		t.Fatalf("%d spans have ended, %d were started", len(spans), len(recorder.Started()))
	}
	rocket, absent := spans["registry.example.com/acme/rocket"], spans["registry.example.com/acme/absent"]
	if rocket.Parent().SpanID() != parent.SpanContext().SpanID() || rocket.Status().Code == codes.Error {
		t.Errorf("the span is %+v", rocket)
	}
	for _, want := range []attribute.KeyValue{
		attribute.String(telemetry.AttributeVersion, "1.2.3"), attribute.String(telemetry.AttributeAuthority, "signed"),
	} {
		if !slices.Contains(rocket.Attributes(), want) {
			t.Errorf("%v is not among %v", want, rocket.Attributes())
		}
	}
	if absent.Status().Code != codes.Error {
		t.Errorf("the failure's span is %+v", absent.Status())
	}
}
