// Package sourcetest checks that a [sources.Source] keeps the rules that the interface prescribes, in the manner of
// package testing/fstest. Whoever writes a source runs [TestSource] on one whose contents are known:
//
//	if err := sourcetest.TestSource(t.Context(), source, fixture); err != nil {
//		t.Error(err)
//	}
//
// Run it with the race detector, too: calls of one source side by side are among the rules.
//
// # Rules
//
// The rules are the constants of type [Rule], checked in their order. The source is asked in the ways that an installer
// and a chain ask it, packages before lists of versions among them, so it should be one that was not used before.
// Nothing is written anywhere. Archives are read into memory, up to [MaxArchive].
package sourcetest
