package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

var serveCommand = &command{
	name: "serve", args: "DIR", takes: operands{what: "directory", least: 1, most: 1},
	about: "serve a network mirror from a directory, which is filled as clients ask",
	examples: `
purveyor serve -tls-cert=cert.pem -tls-key=key.pem -listen=:8443 /srv/mirror
# Only what is there, behind a proxy that speaks https:
purveyor serve -sealed /srv/mirror
# Rules, and metrics:
purveyor serve -allow='hashicorp/*' -min-age=7d -require-signature \
  -metrics=localhost:9100 /srv/mirror
`,
	more: `
Clients:
  provider_installation {
    network_mirror {
      url = "https://mirror.example.com:8443/"
    }
  }
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		v := &service{session: s}
		s.askFlags(flags)
		v.flags(flags)
		s.accountFlags(flags)
		return v.run
	},
}

// shutdownTime is how long requests and downloads may go on after an interrupt.
const shutdownTime = 30 * time.Second

// service is a run of serve.
type service struct {
	*session
	config           netmirror.HandlerConfig
	also             outlet
	allow, deny      []string
	listen, metrics  string
	certificate, key string
	tokens           string
	sealed           bool
}

func (v *service) flags(set *flag.FlagSet) {
	set.StringVar(&v.listen, "listen", "localhost:8080", "`ADDRESS` to listen at")
	set.StringVar(&v.metrics, "metrics", "", "`ADDRESS` at which /metrics, for Prometheus, and /healthz are served")
	set.StringVar(&v.certificate, "tls-cert", "", "`FILE` with the certificate; without one, http is spoken, and https is a proxy's business")
	set.StringVar(&v.key, "tls-key", "", "`FILE` with its private key")
	set.StringVar(&v.tokens, "tokens", "", "`FILE` of bearer tokens, one on each line, of which clients need one")
	set.BoolVar(&v.sealed, "sealed", false, "ask no source: serve what is in the directory")
	repeated(set, "allow", "serve only providers that match this `PATTERN`, like hashicorp/*; can be repeated", &v.allow)
	repeated(set, "deny", "do not serve providers that match this `PATTERN`; can be repeated", &v.deny)
	set.Func("min-age", "serve only versions that were first seen this `TIME` ago: 7d", func(text string) (err error) {
		v.config.MinAge, err = parseAge(text)
		return err
	})
	set.Func("also", "publish what is fetched to the OCI repositories of this `TEMPLATE`, too", v.also.setTemplate)
	v.policyFlags(set)
}

func (v *service) run(ctx context.Context) error {
	if (v.certificate == "") != (v.key == "") {
		return usagef("-tls-cert and -tls-key go together")
	}
	if err := errors.Join(checkAddress("listen", v.listen), checkAddress("metrics", v.metrics)); err != nil {
		return err
	}
	v.short = slices.ContainsFunc(slices.Concat(v.allow, v.deny), isShortPattern)
	if err := v.configure(v.registry); err != nil {
		return err
	}
	if err := v.complete(); err != nil {
		return err
	}
	handler, err := netmirror.NewHandler(v.config)
	if err != nil {
		return err
	}
	return v.serve(ctx, handler)
}

// complete makes the handler's configuration.
func (v *service) complete() (err error) {
	c := &v.config
	if c.Store, err = v.store(); err != nil {
		return err
	}
	c.Logger = slog.New(slog.DiscardHandler)
	if !v.quiet {
		c.Logger = slog.New(slog.NewTextHandler(v.stderr, nil))
	}
	if c.Allow, err = patterns(v.registry, v.allow); err != nil {
		return err
	}
	if c.Deny, err = patterns(v.registry, v.deny); err != nil {
		return err
	}
	if v.tokens != "" {
		tokens, err := readTokens(v.inModule(v.tokens))
		if err != nil {
			return err
		}
		c.Authorize = netmirror.BearerTokens(tokens...)
	}
	if v.also.to != nil {
		if c.Onward, err = v.repositories(v.also); err != nil {
			return err
		}
	}
	if !v.sealed {
		c.Source, c.Fetch = v.chain, v.fetch
	}
	return nil
}

// store returns the directory, and says if it is new: the name of another may have been mistyped.
func (v *service) store() (string, error) {
	dir, err := v.absolute(v.paths[0])
	if _, absent := os.Stat(dir); err != nil || !errors.Is(absent, os.ErrNotExist) {
		return dir, err
	}
	if v.sealed {
		return "", fmt.Errorf("there is no %s, and with -sealed nothing is fetched into it", v.show(dir))
	}
	v.note("%s is new: it was not there", v.show(dir))
	return dir, nil
}

// fetch brings an archive into the store, by the policy of the command line.
func (v *service) fetch(ctx context.Context, p sources.Provider, version sources.Version, on sources.Platform, path string) (sources.Release, error) {
	in := &installer.Installer{Source: v.chain, Policy: v.policy}
	archive, err := in.Fetch(ctx, p, version, on, path)
	var refused *installer.PolicyError
	if errors.As(err, &refused) {
		return sources.Release{}, &refusal{err}
	}
	if err != nil {
		return sources.Release{}, err
	}
	return sources.Release{Provider: p, Version: version, Archives: []sources.Archive{archive.Publishable()}, Statement: archive.Statement}, nil
}

// refusal says by which flag a package is refused, for the log.
type refusal struct{ error }

func (r *refusal) Error() string { return cause(r.error) }

func (r *refusal) Unwrap() error { return r.error }

// serve answers requests until it is interrupted, and then those that have begun.
func (v *service) serve(ctx context.Context, handler *netmirror.Handler) error {
	servers, listeners, err := v.servers(handler)
	if err != nil {
		return errors.Join(err, handler.Shutdown(context.Background()))
	}
	group, stopped := errgroup.WithContext(ctx)
	for i, server := range servers {
		group.Go(func() error { return v.listenAndServe(server, listeners[i], i == 0) })
	}
	group.Go(func() error {
		<-stopped.Done()
		last, cancel := context.WithTimeout(context.Background(), shutdownTime)
		defer cancel()
		var errs []error
		for _, server := range servers {
			errs = append(errs, server.Shutdown(last))
		}
		return errors.Join(append(errs, handler.Shutdown(last))...)
	})
	return group.Wait()
}

// servers makes the mirror's server and that of its metrics, and binds their addresses.
func (v *service) servers(handler *netmirror.Handler) (servers []*http.Server, listeners []net.Listener, err error) {
	add := func(address string, h http.Handler) error {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		servers = append(servers, &http.Server{
			Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
			ErrorLog: slog.NewLogLogger(v.config.Logger.Handler(), slog.LevelWarn),
		})
		listeners = append(listeners, listener)
		return nil
	}
	if err = add(v.listen, handler); err == nil && v.metrics != "" {
		if err = add(v.metrics, observe(handler)); err != nil {
			listeners[0].Close()
		}
	}
	return servers, listeners, err
}

func (v *service) listenAndServe(server *http.Server, listener net.Listener, mirror bool) (err error) {
	switch {
	case !mirror:
		v.note("metrics are at http://%s/metrics", listener.Addr())
		err = server.Serve(listener)
	case v.certificate != "":
		v.note("the mirror is at https://%s/", listener.Addr())
		err = server.ServeTLS(listener, v.inModule(v.certificate), v.inModule(v.key))
	default:
		v.note("the mirror is at http://%s/; clients want https: let a proxy speak it, or give -tls-cert and -tls-key", listener.Addr())
		err = server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
