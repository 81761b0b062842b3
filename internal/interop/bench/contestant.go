package main

import "os/exec"

// contestant is a client.
type contestant struct {
	name string
	path string
	args []string // that install the module in the working directory
}

const library = "purveyor"

func ours(self string) contestant {
	return contestant{library, self, []string{asClient}}
}

// realClients are those on PATH.
func realClients() []contestant {
	var found []contestant
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, contestant{name, path, []string{"init", "-input=false", "-no-color"}})
		}
	}
	return found
}
