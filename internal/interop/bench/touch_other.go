//go:build !linux

package main

// touchMemory is not needed here, as far as anybody knows.
func touchMemory(int64) error { return nil }
