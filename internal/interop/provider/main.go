// Command provider is a small but real provider plugin: a resource "echo_note" that says its text louder. It talks
// plugin protocol 5 (https://developer.hashicorp.com/terraform/plugin/terraform-plugin-protocol) and keeps nothing
// anywhere but in the state.
//
// The tests build it, publish it on a test registry, install it with the library and let terraform start it.
package main

import (
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
)

func main() {
	server := func() tfprotov5.ProviderServer { return &echo{} }
	if err := tf5server.Serve("registry.example.com/acme/echo", server); err != nil {
		log.Fatal(err)
	}
}
