package installer

import "golang.org/x/sys/unix"

// reflink makes a copy that shares its blocks with the original; permissions come along. See clonefile(2).
func reflink(from, to string) error { return unix.Clonefile(from, to, 0) }
