package telemetry_test

import (
	"path/filepath"
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
	spans := ended(recorder)
	if len(spans) != 3 || len(recorder.Started()) != 4 {
		t.Fatalf("%d spans have ended, %d were started", len(spans), len(recorder.Started()))
	}
	rocket, absent := spans["provider package registry.example.com/acme/rocket"], spans["provider resolve registry.example.com/acme/absent"]
	if rocket == nil || rocket.Parent().SpanID() != parent.SpanContext().SpanID() || rocket.Status().Code == codes.Error {
		t.Fatalf("the span is %+v", rocket)
	}
	for _, want := range []attribute.KeyValue{
		attribute.String(telemetry.AttributeVersion, "1.2.3"), attribute.String(telemetry.AttributeAuthority, "signed"),
	} {
		if !slices.Contains(rocket.Attributes(), want) {
			t.Errorf("%v is not among %v", want, rocket.Attributes())
		}
	}
	if absent == nil || absent.Status().Code != codes.Error {
		t.Errorf("the failure's span is %+v", absent)
	}
}

// ended returns the spans that have ended, by name and provider.
func ended(recorder *tracetest.SpanRecorder) map[string]trace.ReadOnlySpan {
	spans := map[string]trace.ReadOnlySpan{}
	for _, span := range recorder.Ended() {
		for _, a := range span.Attributes() {
			if a.Key == telemetry.AttributeProvider {
				spans[span.Name()+" "+a.Value.AsString()] = span
			}
		}
	}
	return spans
}

// Whatever is called, all spans end.
func TestSpansEnd(t *testing.T) {
	t.Parallel()
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.2.3"}}})
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	req := installer.Request{Requirements: installer.Requirements{rocket: {}}}
	for name, test := range map[string]struct {
		call func(*installer.Installer) error
		want int
	}{
		"Resolve": {func(in *installer.Installer) error { _, err := in.Resolve(t.Context(), req); return err }, 1},
		"Lock":    {func(in *installer.Installer) error { _, err := in.Lock(t.Context(), req, nil); return err }, 2},
		"Fetch": {func(in *installer.Installer) error {
			_, err := in.Fetch(t.Context(), rocket, sources.MustParseVersion("1.2.3"), sources.CurrentPlatform(), filepath.Join(t.TempDir(), "archive.zip"))
			return err
		}, 1},
	} {
		recorder := tracetest.NewSpanRecorder()
		tracer := trace.NewTracerProvider(trace.WithSpanProcessor(recorder)).Tracer("test")
		in := &installer.Installer{Source: direct.New(direct.Config{Client: srv.Client()}), Notify: telemetry.Bridge(t.Context(), tracer)}
		if err := test.call(in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(recorder.Started()) != test.want || len(recorder.Ended()) != test.want {
			t.Errorf("%s: %d spans were started, %d have ended, want %d", name, len(recorder.Started()), len(recorder.Ended()), test.want)
		}
	}
}
