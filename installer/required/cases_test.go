package required_test

// readCase is a configuration and what it requires.
type readCase struct {
	name    string
	archive string
	want    string // lines
	tofu    bool   // uses what terraform does not know
}

var readCases = []readCase{
	{name: "nothing", archive: "-- main.tf --\nlocals {\n  a = 1\n}\n"},
	{
		name: "entries in all their forms",
		archive: `
-- main.tf --
terraform {
  required_version = ">= 1.5"
  required_providers {
    full      = { source = "registry.example.com/Acme/Rocket", version = "~> 1.0" }
    short     = { source = "acme/short" }
    type      = { source = "typed", version = "1.2.3" }
    legacy    = { version = ">= 2.0, < 3" }
    empty     = {}
    shorthand = "!= 1.5.0"
    number    = 2
    UPPER     = "3.0"
    quoted    = { "source" : "acme/quoted", "version" : ("1.0") }
    terraform-provider = { source = "acme/local" }
    several = {
      source  = "acme/several"
      version = <<EOT
>= 1.0,
< 2.0
EOT
      configuration_aliases = [several.east, several.west]
    }
  }
}
`,
		want: `registry.example.com/acme/rocket ~> 1.0
acme/local
acme/quoted 1.0.0
acme/several >= 1.0.0, < 2.0.0
acme/short
hashicorp/empty
hashicorp/legacy >= 2.0.0, < 3.0.0
hashicorp/number 2.0.0
hashicorp/shorthand != 1.5.0
hashicorp/typed 1.2.3
hashicorp/upper 3.0.0
`,
	},
	{
		name: "blocks that imply providers",
		archive: `
-- main.tf --
resource "alpha_thing" "x" {}
resource "BETA_thing" "x" {}
resource "gamma" "x" {}
data "delta_thing" "x" {}
ephemeral "epsilon_thing" "x" {}
provider "zeta" {}
resource "alpha_thing" "y" {
  provider = eta.west
}
resource "alpha_thing" "z" {
  provider = "theta.west"
}
check "health" {
  data "iota_thing" "x" {}
  assert {
    condition     = data.iota_thing.x.ok
    error_message = "No."
  }
}
import {
  to = kappa_thing.x
  id = "1"
}
import {
  to       = alpha_thing.w
  id       = "2"
  provider = lambda.west
}
`,
		want: `hashicorp/alpha
hashicorp/beta
hashicorp/delta
hashicorp/epsilon
hashicorp/eta
hashicorp/gamma
hashicorp/iota
hashicorp/kappa
hashicorp/lambda
hashicorp/theta
hashicorp/zeta
`,
	},
	{
		name: "local names lead to sources",
		archive: `
-- a.tf --
resource "rocket_engine" "x" {}
provider "rocket" {}
data "other_thing" "x" {
  provider = rocket
}
-- b.tf --
terraform {
  required_providers {
    rocket = { source = "acme/missile" }
  }
}
`,
		want: "acme/missile\n",
	},
	{
		name: "built-in provider",
		archive: `
-- main.tf --
resource "terraform_data" "x" {}
data "terraform_remote_state" "x" {
  backend = "local"
}
`,
		want: "terraform.io/builtin/terraform\n",
	},
	{
		name: "a provider called terraform",
		archive: `
-- main.tf --
terraform {
  required_providers {
    terraform = { source = "acme/terraform" }
  }
}
resource "terraform_data" "x" {}
`,
		want: "acme/terraform\n",
	},
	{
		name: "version of provider blocks",
		archive: `
-- main.tf --
terraform {
  required_providers {
    rocket = { source = "acme/rocket", version = ">= 1.0" }
  }
}
provider "rocket" {
  version = "< 2.0"
}
provider "rocket" {
  alias   = "west"
  version = "!= 1.5.0"
}
provider "other" {
  version = 3
}
provider "nothing" {
  version = null
}
`,
		want: "acme/rocket >= 1.0.0, != 1.5.0, < 2.0.0\nhashicorp/nothing\nhashicorp/other 3.0.0\n",
	},
	{
		name: "two local names of one provider",
		archive: `
-- main.tf --
terraform {
  required_providers {
    one = { source = "acme/rocket", version = ">= 1.0" }
    two = { source = "acme/rocket", version = "< 2.0" }
  }
}
`,
		want: "acme/rocket >= 1.0.0, < 2.0.0\n",
	},
	{
		name: "JSON",
		archive: `
-- main.tf.json --
{
  "//": "a comment",
  "terraform": {
    "required_providers": {
      "//": "another",
      "rocket": {"source": "acme/rocket", "version": "~> 1.0", "configuration_aliases": ["rocket.west"]},
      "short": "~> 2.0"
    }
  },
  "resource": {
    "alpha_thing": {"x": {}, "y": {"provider": "beta.west"}}
  },
  "data": {"gamma_thing": {"x": {"provider": "delta"}}},
  "provider": {"epsilon": [{}, {"alias": "west", "version": "1.0"}]},
  "module": {"child": {"source": "./child"}}
}
-- child/main.tf.json --
{"terraform": [{"required_providers": [{"rocket": {"source": "acme/rocket", "version": "!= 1.1.0"}}]}]}
`,
		want: `acme/rocket ~> 1.0, != 1.1.0
hashicorp/alpha
hashicorp/beta
hashicorp/delta
hashicorp/epsilon 1.0.0
hashicorp/short ~> 2.0
`,
	},
	{
		name: "ignored files",
		archive: `
-- main.tf --
provider "seen" {}
-- .hidden.tf --
provider "hidden" {}
-- backup.tf~ --
provider "backup" {}
-- #autosave.tf# --
provider "autosave" {}
-- unit.tftest.hcl --
provider "tested" {}
-- terraform.tfvars --
provider = "variable"
-- directory.tf/main.tf --
provider "directory" {}
-- modules/unused/main.tf --
provider "unused" {}
`,
		want: "hashicorp/seen\n",
	},
	{
		name: "overrides",
		archive: `
-- a_override.tf --
terraform {
  required_providers {
    rocket = { source = "acme/missile" }
    added  = { source = "acme/added" }
  }
}
resource "thing_x" "moved" {
  provider = elsewhere
}
resource "thing_x" "stays" {
  count = 1
}
provider "versioned" {
  version = "2.0"
}
provider "created" {}
module "child" {
  source = "./other"
}
-- main.tf --
terraform {
  required_providers {
    rocket = { source = "acme/rocket", version = "~> 1.0" }
    kept   = { source = "acme/kept" }
  }
}
resource "rocket_engine" "x" {}
resource "thing_x" "moved" {}
resource "thing_x" "stays" {
  provider = kept
}
provider "versioned" {
  version = "1.0"
}
module "child" {
  source = "./child"
}
-- override.tf.json --
{"terraform": {"required_providers": {"added": {"source": "acme/last"}}}}
-- child/main.tf --
provider "child" {}
-- other/main.tf --
provider "othermodule" {}
`,
		want: `acme/kept
acme/last
acme/missile
hashicorp/created
hashicorp/elsewhere
hashicorp/othermodule
hashicorp/versioned 2.0.0
`,
	},
	{
		name: "modules",
		archive: `
-- main.tf --
module "a" {
  source = "./modules/a"
}
module "again" {
  source = "./modules/a/"
}
terraform {
  required_providers {
    rocket = { source = "acme/rocket", version = ">= 1.0" }
  }
}
-- modules/a/main.tf --
module "b" {
  source    = "../b"
  providers = { acmerocket = rocket }
}
terraform {
  required_providers {
    rocket = { source = "acme/rocket", version = "< 2.0" }
  }
}
-- modules/b/main.tf --
resource "rocket_engine" "implies_another_provider" {}
terraform {
  required_providers {
    acmerocket = { source = "acme/rocket", version = "!= 1.5.0" }
  }
}
`,
		want: "acme/rocket >= 1.0.0, != 1.5.0, < 2.0.0\nhashicorp/rocket\n",
	},
	{
		name: "module without files",
		archive: `
-- main.tf --
module "a" {
  source = "./a"
}
-- a/README.md --
Nothing yet.
`,
	},
	{
		name:    "line ends of Windows",
		archive: "-- main.tf --\nterraform {\r\n  required_providers {\r\n    rocket = {\r\n      source = \"acme/rocket\"\r\n    }\r\n  }\r\n}\r\n",
		want:    "acme/rocket\n",
	},
	{
		name: "files for tofu hide those for terraform", tofu: true,
		archive: `
-- main.tf --
provider "terraformonly" {}
-- main.tofu --
provider "tofuonly" {}
-- main.tf.json --
{"provider": {"terraformjson": {}}}
-- main.tofu.json --
{"provider": {"tofujson": {}}}
-- other.tf --
terraform {
  required_providers {
    both = { source = "acme/both", version = "1.0" }
  }
}
-- override.tf --
terraform {
  required_providers {
    both = { source = "acme/hidden" }
  }
}
-- override.tofu --
terraform {
  required_providers {
    both = { source = "acme/shown" }
  }
}
`,
		want: "acme/shown\nhashicorp/tofujson\nhashicorp/tofuonly\n",
	},
	{
		name: "references to one of many configurations", tofu: true,
		archive: `
-- main.tf --
resource "thing_x" "x" {
  provider = rocket.by_region[each.key]
}
resource "thing_x" "y" {
  provider = alpha.by_region["east"]
}
`,
		want: "hashicorp/alpha\nhashicorp/rocket\n",
	},
	{
		name: "actions", tofu: true,
		archive: "-- main.tf --\naction \"alpha_restart\" \"x\" {}\n",
		want:    "hashicorp/alpha\n",
	},
	{
		name: "installed modules", tofu: true,
		archive: `
-- main.tf --
module "net" {
  source  = "acme/net/cloud"
  version = "1.0.0"
}
module "dynamic" {
  source = var.where
}
-- .terraform/modules/modules.json --
{"Modules": [
  {"Key": "", "Source": "", "Dir": "."},
  {"Key": "net", "Source": "registry.example.com/acme/net/cloud", "Version": "1.0.0", "Dir": ".terraform/modules/net"},
  {"Key": "net.subnets", "Source": "git::https://example.com/subnets.git", "Dir": ".terraform/modules/net.subnets/sub"},
  {"Key": "dynamic", "Source": "git::https://example.com/dynamic.git", "Dir": ".terraform/modules/dynamic"}
]}
-- .terraform/modules/net/main.tf --
provider "net" {}
module "local" {
  source = "./local"
}
module "subnets" {
  source = "git::https://example.com/subnets.git"
}
-- .terraform/modules/net/local/main.tf --
provider "local" {}
-- .terraform/modules/net.subnets/sub/main.tf --
provider "subnets" {}
-- .terraform/modules/dynamic/main.tf --
provider "dynamic" {}
`,
		want: "hashicorp/dynamic\nhashicorp/local\nhashicorp/net\nhashicorp/subnets\n",
	},
}
