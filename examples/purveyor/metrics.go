package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

// observe serves /metrics, for Prometheus, and /healthz.
func observe(handler *netmirror.Handler) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{handler})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := handler.Healthy(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
}

// collector turns what a mirror counts into metrics.
type collector struct{ handler *netmirror.Handler }

var _ prometheus.Collector = collector{}

// metric is one of the numbers.
type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(netmirror.Stats) int64
}

func counter(name, help string, value func(netmirror.Stats) int64) metric {
	return metric{prometheus.NewDesc("purveyor_mirror_"+name+"_total", help, nil, nil), prometheus.CounterValue, value}
}

var metrics = []metric{
	counter("requests", "Requests.", func(s netmirror.Stats) int64 { return s.Requests }),
	counter("documents", "Documents served.", func(s netmirror.Stats) int64 { return s.Documents }),
	counter("stale_documents", "Documents served that are older than they should be.", func(s netmirror.Stats) int64 { return s.StaleDocuments }),
	counter("archive_hits", "Archives served from the store at once.", func(s netmirror.Stats) int64 { return s.ArchiveHits }),
	counter("archive_misses", "Requests that waited for an archive.", func(s netmirror.Stats) int64 { return s.ArchiveMisses }),
	counter("denied", "Requests refused by a rule.", func(s netmirror.Stats) int64 { return s.Denied }),
	counter("failed", "Requests answered by a status of 500 or more.", func(s netmirror.Stats) int64 { return s.Failed }),
	counter("questions", "Questions to the source.", func(s netmirror.Stats) int64 { return s.Questions }),
	counter("source_failures", "Questions that the source did not answer.", func(s netmirror.Stats) int64 { return s.SourceFailures }),
	counter("fetched", "Archives fetched, verified and stored.", func(s netmirror.Stats) int64 { return s.Fetched }),
	counter("fetch_failures", "Archives that could not be fetched.", func(s netmirror.Stats) int64 { return s.FetchFailures }),
	counter("damaged", "Archives found damaged in the store.", func(s netmirror.Stats) int64 { return s.Damaged }),
	counter("onward", "Archives published to the other mirror.", func(s netmirror.Stats) int64 { return s.Onward }),
	counter("onward_failures", "Archives that could not be published there.", func(s netmirror.Stats) int64 { return s.OnwardFailures }),
	{prometheus.NewDesc("purveyor_mirror_fetching", "Archives that are being fetched.", nil, nil), prometheus.GaugeValue,
		func(s netmirror.Stats) int64 { return s.Fetching }},
}

// Describe implements [prometheus.Collector].
func (collector) Describe(all chan<- *prometheus.Desc) {
	for _, m := range metrics {
		all <- m.desc
	}
}

// Collect implements [prometheus.Collector].
func (c collector) Collect(all chan<- prometheus.Metric) {
	stats := c.handler.Stats()
	for _, m := range metrics {
		all <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(stats)))
	}
}
