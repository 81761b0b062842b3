// Command credentials is a credentials helper for the tests:
// https://developer.hashicorp.com/terraform/internals/credentials-helpers. Its arguments are a directory, "get", and a
// host. The token of a host is in the file of its name in that directory; the hosts asked for are noted in the file asked.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || args[1] != "get" {
		return fmt.Errorf("the arguments are DIR get HOST, not %q", args)
	}
	dir, host := args[0], args[2]
	if err := note(filepath.Join(dir, "asked"), host); err != nil {
		return err
	}
	token, err := os.ReadFile(filepath.Join(dir, host))
	if os.IsNotExist(err) {
		fmt.Println("{}")
		return nil
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"token": string(token)})
}

func note(path, line string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(file, line); err != nil {
		return err
	}
	return file.Close()
}
