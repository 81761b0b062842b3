package required

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// node is one module in the tree of calls.
type node struct {
	key    string // "network.subnets", as in modules.json; "" for the root
	dir    string
	parent *node // nil for the root
	call   call
}

// path returns "module.network.module.subnets".
func (n *node) path() string {
	if n.parent == nil {
		return ""
	}
	return strings.TrimPrefix(n.parent.path()+".module."+n.call.name, ".")
}

// ancestors counts the modules above, and reports whether one of them is in the directory.
func (n *node) ancestors(dir string) (depth int, found bool) {
	for ; n != nil; n = n.parent {
		depth++
		found = found || n.dir == dir
	}
	return depth, found
}

// sourceRange returns where the source argument is, or the block if there is none.
func (c call) sourceRange() hcl.Range {
	if c.source == nil {
		return c.at
	}
	return c.source.Expr.Range()
}

// tree reads the root module and all that it calls, breadth first.
func (l *loader) tree() {
	queue := []*node{{dir: l.root}}
	for len(queue) > 0 {
		n := queue[0]
		queue = append(queue[1:], l.visit(n)...)
	}
}

// visit adds what a module requires, and returns the modules that it calls.
func (l *loader) visit(n *node) (children []*node) {
	m, err := l.module(n.dir)
	if err != nil {
		l.unreadable(n, err)
		return nil
	}
	path := n.path()
	for _, required := range m.origins {
		origin := required.origin
		origin.Module = path
		l.result.add(required.provider, origin)
	}
	for _, c := range m.calls {
		if child := l.child(n, c); child != nil {
			children = append(children, child)
		}
	}
	return children
}

func (l *loader) unreadable(n *node, err error) {
	detail := "The module's directory cannot be read: %s."
	if errors.Is(err, fs.ErrNotExist) {
		detail = "The module's directory does not exist: %s."
	}
	l.fail(n.call.sourceRange(), "Unreadable module directory", detail, err)
}

// child finds the directory of a module that is called, within the limits.
func (l *loader) child(parent *node, c call) *node {
	n := &node{key: strings.TrimPrefix(parent.key+"."+c.name, "."), parent: parent, call: c}
	var ok bool
	if n.dir, ok = l.locate(n); !ok {
		return nil
	}
	depth, circular := parent.ancestors(n.dir)
	l.callCount++
	switch {
	case circular:
		l.fail(c.sourceRange(), "Circular module call", "The module %q is in %s, which is calling it.", c.name, n.dir)
	case depth > MaxDepth:
		l.fail(c.sourceRange(), "Too many module levels", "Modules call each other at most %d levels deep.", MaxDepth)
	case l.callCount == MaxModules+1:
		l.fail(c.sourceRange(), "Too many modules", "A configuration has at most %d module calls.", MaxModules)
	case l.callCount <= MaxModules:
		return n
	}
	return nil
}

// locate returns a module's directory: next to its caller if the source is local, otherwise where it is installed.
func (l *loader) locate(n *node) (string, bool) {
	if n.call.source == nil {
		l.fail(n.call.at, "Missing module source", "The module %q has no source.", n.call.name)
		return "", false
	}
	source, isLiteral := literalString(n.call.source.Expr)
	if isLiteral && isLocal(source) {
		return filepath.Join(n.parent.dir, filepath.FromSlash(strings.ReplaceAll(source, `\`, "/"))), true
	}
	if dir, ok := l.installedModules()[n.key]; ok {
		return dir, true
	}
	if !isLiteral {
		l.fail(n.call.sourceRange(), "Unknown module source", "The source is not a literal string, and the module is not installed in %s. %s", l.opts.DataDir, installFirst)
		return "", false
	}
	l.fail(n.call.sourceRange(), "Module not installed", "The module %q (%s) is not installed in %s. %s", n.key, source, l.opts.DataDir, installFirst)
	return "", false
}

const installFirst = `Run "terraform get" or "tofu get" first.`

// isLocal reports whether a module source is a path. Others are registry addresses or URLs.
func isLocal(source string) bool {
	return slices.ContainsFunc([]string{"./", "../", `.\`, `..\`}, func(prefix string) bool {
		return strings.HasPrefix(source, prefix)
	})
}
