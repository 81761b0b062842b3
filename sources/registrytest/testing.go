package registrytest

// TB is the part of [testing.TB] that [New] uses.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// New is [Start] for tests: the test fails if the server cannot start, and the server closes when the test ends.
func New(t TB, cfg Config) *Server {
	t.Helper()
	s, err := Start(cfg)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(s.Close)
	return s
}
