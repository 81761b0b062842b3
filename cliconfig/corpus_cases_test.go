package cliconfig_test

// corpusCase is a configuration file and what becomes of it. The registry of short addresses is registry.terraform.io.
type corpusCase struct {
	name    string
	src     string
	methods []string // accepted, as terraform's trace shows them
	err     string   // part of the first error; "": there is none
	warn    string   // part of a warning
	differs string   // the decision because of which terraform's verdict or methods are others; "" if they are the same
}

// The reasons why purveyor decides otherwise than terraform 1.11.
const (
	failClosed = "an item that terraform ignores, or decodes into something useless, is an error: a mistake never changes silently where providers come from"
	duplicates = "an argument set twice is an error, as for OpenTofu; terraform takes one of the two"
	weakTypes  = "booleans count as strings, as for OpenTofu"
	foreign    = "items of other features are not looked at"
	plainJSON  = "a plain object is a block in JSON, as OpenTofu's documentation has it; terraform wants a list"
	strictJSON = "JSON is JSON"
)

var corpus = []corpusCase{
	// Files with nothing about installation.
	{name: "empty file", src: "", methods: implied},
	{name: "comments only", src: "# a\n// b\n/* c\n d */\n", methods: implied},
	{name: "unknown items", src: "foo = 1\nbar \"x\" baz {\n  a = [1, {b = 2}]\n}\nqux.quux = \"z\"\n", methods: implied},
	{name: "items of the past", src: "providers {\n  aws = \"/x\"\n}\ndisable_checkpoint = true\n", methods: implied},
	{name: "unknown item of a wrong type", src: `disable_checkpoint = "yes"`, methods: implied, differs: foreign},
	{name: "empty JSON", src: "{}", methods: implied},

	// Methods.
	{name: "no methods", src: "provider_installation {}", methods: nil},
	{name: "direct", src: "provider_installation {\n  direct {}\n}\n", methods: []string{"Direct [] []"}},
	{
		name:    "include and exclude",
		src:     "provider_installation {\n  direct {\n    include = [\"acme/*\", \"example.com/*/*\"]\n    exclude = [\"acme/rocket\", \"*/*/*\"]\n  }\n}\n",
		methods: []string{"Direct [registry.terraform.io/acme/* example.com/*/*] [registry.terraform.io/acme/rocket */*/*]"},
	},
	{name: "empty lists", src: `provider_installation { direct { include = [] exclude = [] } }`, methods: []string{"Direct [] []"}},
	{
		name: "all methods in the order of the file",
		src: "provider_installation {\n  network_mirror {\n    url = \"https://mirror.example.com/p/\"\n    include = [\"*/*\"]\n  }\n" +
			"  filesystem_mirror {\n    path = \"/usr/share/tf\"\n  }\n  direct {}\n  filesystem_mirror {\n    path = \"/b\"\n  }\n}\n",
		methods: []string{
			`NetworkMirror("https://mirror.example.com/p/") [registry.terraform.io/*/*] []`, `FilesystemMirror("/usr/share/tf") [] []`,
			"Direct [] []", `FilesystemMirror("/b") [] []`,
		},
	},
	{name: "relative path, tilde and variable stay", src: "provider_installation {\n filesystem_mirror { path = \"~/$HOME/${x}\" }\n}", methods: []string{`FilesystemMirror("~/$HOME/${x}") [] []`}},
	{name: "unknown method", src: "provider_installation {\n  foo {}\n}", err: "no provider installation method \"foo\""},
	{name: "unknown method after a good one", src: "provider_installation {\n  direct {}\n  git_mirror {\n    url = \"x\"\n  }\n}", err: "git_mirror"},
	{name: "argument in place of a method", src: "provider_installation {\n  foo = 1\n}", err: "foo"},
	{name: "unknown argument", src: "provider_installation {\n  direct {\n    trust_all_hashes = true\n  }\n}", methods: []string{"Direct [] []"}, warn: `no argument "trust_all_hashes"`},
	{name: "argument of another method", src: "provider_installation {\n  filesystem_mirror {\n    path = \"/x\"\n    download_retry_count = 3\n  }\n}", methods: []string{`FilesystemMirror("/x") [] []`}, warn: `no argument "download_retry_count"`},
	{name: "path missing", src: "provider_installation {\n  filesystem_mirror {}\n}", err: `needs the argument "path"`},
	{name: "path empty", src: "provider_installation {\n  filesystem_mirror {\n    path = \"\"\n  }\n}", err: `needs the argument "path"`},
	{name: "path a number", src: "provider_installation {\n  filesystem_mirror {\n    path = 5\n  }\n}", methods: []string{`FilesystemMirror("5") [] []`}},
	{name: "path a boolean", src: "provider_installation {\n  filesystem_mirror {\n    path = true\n  }\n}", methods: []string{`FilesystemMirror("true") [] []`}, differs: weakTypes},
	{name: "path a list", src: "provider_installation {\n  filesystem_mirror {\n    path = []\n  }\n}", err: "must be a string"},
	{name: "path a block", src: "provider_installation {\n  filesystem_mirror {\n    path {\n      a = 1\n    }\n  }\n}", err: "must be a string"},
	{name: "path twice", src: "provider_installation {\n  filesystem_mirror {\n    path = \"/a\"\n    path = \"/b\"\n  }\n}", err: "already set on line 3", differs: duplicates},
	{name: "url missing", src: "provider_installation {\n  network_mirror {}\n}", err: `needs the argument "url"`},
	{name: "url plain http", src: "provider_installation {\n  network_mirror {\n    url = \"http://x/\"\n  }\n}", err: "begins with https://"},
	{name: "url without host", src: "provider_installation {\n  network_mirror {\n    url = \"https:///x\"\n  }\n}", err: "begins with https://"},
	{name: "url not a URL", src: "provider_installation {\n  network_mirror {\n    url = \"https://x/%zz\"\n  }\n}", err: "not a URL"},
	{name: "include a string", src: "provider_installation {\n  direct {\n    include = \"a/b\"\n  }\n}", err: "must be a list of strings"},
	{name: "include a block", src: "provider_installation {\n  direct {\n    include {\n      a = 1\n    }\n  }\n}", err: "must be a list of strings"},
	{name: "include with a number", src: "provider_installation {\n  direct {\n    include = [5, \"a/b\"]\n  }\n}", err: "invalid provider pattern \"5\""},
	{name: "pattern with four parts", src: "provider_installation {\n  direct {\n    include = [\"a/b/c/d\"]\n  }\n}", err: "invalid provider pattern \"a/b/c/d\""},
	{name: "pattern with a name after a wildcard", src: "provider_installation {\n  direct {\n    exclude = [\"*/a\"]\n  }\n}", err: "only wildcards can follow"},
	{name: "pattern with a bad host", src: "provider_installation {\n  direct {\n    exclude = [\"-x-/*/*\"]\n  }\n}", err: "Invalid provider pattern"},

	// The shape of provider_installation.
	{name: "equals sign", src: "provider_installation = {\n  direct {}\n}", err: "without an equals sign"},
	{name: "string", src: `provider_installation = "x"`, err: "without an equals sign"},
	{name: "label", src: "provider_installation \"x\" {\n  direct {}\n}", err: "Extraneous label"},
	{name: "twice", src: "provider_installation {}\nprovider_installation {}", err: "Duplicate provider_installation"},
	{name: "method with equals sign", src: "provider_installation {\n  direct = {}\n}", err: "Everything inside provider_installation is a block"},
	{name: "method with label", src: "provider_installation {\n  direct \"x\" {}\n}", err: "Extraneous label"},

	// dev_overrides.
	{name: "overrides", src: "provider_installation {\n  dev_overrides {\n    \"acme/rocket\" = \"/x\"\n    aws = 5\n  }\n  direct {}\n}", methods: []string{overrides, "Direct [] []"}},
	{name: "overrides with bad names", src: "provider_installation {\n  dev_overrides {\n    \"a/b/c/d\" = \"x\"\n    \"*/*\" = \"y\"\n  }\n}", err: "not a provider's source address"},
	{name: "overrides with a list", src: "provider_installation {\n  dev_overrides {\n    aws = [\"/x\"]\n  }\n}", err: "directory for aws must be a string"},
	{name: "overrides after a method", src: "provider_installation {\n  direct {}\n  dev_overrides {\n    \"a/b\" = \"/x\"\n  }\n}", err: "Misplaced dev_overrides"},
	{name: "overrides with equals sign", src: "provider_installation {\n  dev_overrides = {\n    aws = \"/x\"\n  }\n}", err: "is a block"},
	{name: "one override twice", src: "provider_installation {\n  dev_overrides {\n    aws = \"/x\"\n    aws = \"/y\"\n  }\n}", err: "already set", differs: duplicates},

	// Habits from HCL 1.
	{name: "quoted block types", src: "\"provider_installation\" {\n  \"network_mirror\" {\n    \"url\" = \"https://x/\"\n  }\n}", methods: []string{`NetworkMirror("https://x/") [] []`}},
	{name: "everything on one line", src: `provider_installation { filesystem_mirror { path = "/x" include = ["*/*"] } direct { } }`, methods: []string{`FilesystemMirror("/x") [registry.terraform.io/*/*] []`, "Direct [] []"}},
	{name: "no spaces", src: `provider_installation{filesystem_mirror{path="/x"}direct{}}`, methods: []string{`FilesystemMirror("/x") [] []`, "Direct [] []"}},
	{name: "brace on the next line", src: "provider_installation\n{\n  direct\n  {\n  }\n}", methods: []string{"Direct [] []"}},
	{name: "commas", src: `a = 1, provider_installation { filesystem_mirror { path = "/x", include = ["*/*",], }, direct {}, }`, methods: []string{`FilesystemMirror("/x") [registry.terraform.io/*/*] []`, "Direct [] []"}},
	{name: "value on the next line", src: "provider_installation {\n  filesystem_mirror {\n    path =\n      \"/x\"\n  }\n}", methods: []string{`FilesystemMirror("/x") [] []`}},
	{name: "CRLF", src: "provider_installation {\r\n  filesystem_mirror {\r\n    path = \"/x\"\r\n  }\r\n}\r\n", methods: []string{`FilesystemMirror("/x") [] []`}},
	{name: "escapes", src: `provider_installation { filesystem_mirror { path = "C:\\a\x41\101é\"" } }`, methods: []string{`FilesystemMirror("C:\\aAAé\"") [] []`}},
	{name: "template is text", src: `provider_installation { filesystem_mirror { path = "/${a "b" {c}}/%{if}/%{" } }`, methods: []string{`FilesystemMirror("/${a \"b\" {c}}/%{if}/%{") [] []`}},
	{name: "heredoc", src: "provider_installation {\n  filesystem_mirror {\n    path = <<EOF\n  /x\nEOF\n  }\n}", methods: []string{`FilesystemMirror("  /x\n") [] []`}},
	{name: "indented heredoc", src: "provider_installation {\n  filesystem_mirror {\n    path = <<-EOF\n      /x\n        /y\n      EOF\n  }\n}", methods: []string{`FilesystemMirror("/x\n  /y\n") [] []`}},
	{name: "numbers", src: "a = -1\nb = 1.5\nc = 1e3\nprovider_installation {}", methods: nil},
	{name: "label without quotes", src: "host example.com {\n  services = {}\n}\nprovider_installation {}", methods: nil},

	// Syntax errors.
	{name: "byte order mark", src: "\ufeffprovider_installation {}", err: "byte order mark"},
	{name: "not UTF-8", src: "# \xff\nprovider_installation {}", err: "not UTF-8"},
	{name: "null", src: "provider_installation {\n  direct {\n    include = null\n  }\n}", err: "there are no expressions"},
	{name: "reference", src: "provider_installation {\n  filesystem_mirror {\n    path = var.path\n  }\n}", err: "there are no expressions"},
	{name: "operator", src: "provider_installation {\n  filesystem_mirror {\n    path = \"a\" + \"b\"\n  }\n}", err: `Expected a name, but found "+"`},
	{name: "function", src: "provider_installation {\n  filesystem_mirror {\n    path = file(\"x\")\n  }\n}", err: "there are no expressions"},
	{name: "single quotes", src: "a = 'x'", err: "Single quotes"},
	{name: "unclosed block", src: "provider_installation {\n  direct {}\n", err: "no \"}\" for this brace"},
	{name: "unclosed string", src: "a = \"x\n", err: "multi-line string"},
	{name: "unclosed template", src: `a = "${x"`, err: "Unclosed string"},
	{name: "unclosed comment", src: "/* x", err: "Expected a name"},
	{name: "unclosed heredoc", src: "a = <<EOF\nx\n", err: "Unclosed heredoc"},
	{name: "unclosed list", src: "a = [1,\n", err: "Expected"},
	{name: "list without comma", src: "a = [\"x\" \"y\"]", err: `Expected "," or "]"`},
	{name: "unknown escape", src: `a = "C:\Users"`, err: "an escape that does not exist"},
	{name: "name alone", src: "foo\n", err: `Expected "=" or "{"`},
	{name: "no value", src: "foo =\n", err: "the end of the file", differs: failClosed},
	{name: "no name", src: "= 1", err: "Expected a name"},
	{name: "stray brace", src: "}", err: "Expected a name"},
	{name: "unquoted override", src: "provider_installation {\n  dev_overrides {\n    acme/rocket = \"/x\"\n  }\n}", err: `found "/"`},
	{name: "label and equals sign", src: "host \"x\" = {}", err: "a name with labels introduces a block"},
	{name: "list at the top", src: "[]", err: "Expected a name"},

	// Other items.
	{name: "cache", src: `plugin_cache_dir = "$TMPDIR/cache"`, methods: implied},
	{name: "cache missing", src: `plugin_cache_dir = "/does/not/exist"`, err: "Unusable plugin cache"},
	{name: "cache empty", src: `plugin_cache_dir = ""`, methods: implied},
	{name: "cache a list", src: `plugin_cache_dir = ["/x"]`, err: "must be a string"},
	{name: "cache twice", src: "plugin_cache_dir = \"$TMPDIR/cache\"\nplugin_cache_dir = \"$TMPDIR/cache\"", err: "already set on line 1", differs: duplicates},
	{name: "may break", src: "plugin_cache_may_break_dependency_lock_file = true", methods: implied},
	{name: "may break in quotes", src: "plugin_cache_may_break_dependency_lock_file = \"true\"", err: "true or false, without quotes"},
	{name: "may break a number", src: "plugin_cache_may_break_dependency_lock_file = 1", err: "true or false, without quotes"},
	{name: "host", src: "host \"example.com\" {\n  services = {\n    \"providers.v1\" = \"https://x/\"\n    providers.v2 = 5\n    login.v1 = { ports = [1, 2] }\n  }\n}", methods: implied},
	{name: "host with services as a block", src: "host \"example.com\" {\n  services {\n    \"providers.v1\" = \"https://x/\"\n  }\n}", methods: implied},
	{name: "host with a bad name", src: "host \"a b\" {}", err: "Invalid hostname"},
	{name: "host in punycode", src: "host \"xn--bcher-kva.example\" {}", err: "Invalid hostname"},
	{name: "host with services a string", src: "host \"example.com\" {\n  services = \"x\"\n}", err: "must be an object"},
	{name: "host with a registry that is a list", src: "host \"example.com\" {\n  services = {\n    \"providers.v1\" = [\"x\"]\n  }\n}", err: "base URL", differs: failClosed},
	{name: "host twice", src: "host \"a.com\" {}\nhost \"A.com\" {}", methods: implied},
	{name: "host without name", src: "host {\n  services = {}\n}", err: "Missing hostname", differs: failClosed},
	{name: "host as an object", src: "host = {\n  \"a.com\" = {}\n}", err: "without an equals sign", differs: failClosed},
	{name: "credentials", src: "credentials \"example.com\" {\n  token = \"s3cr3t\"\n}", methods: implied},
	{name: "credentials with a bad name", src: "credentials \"a b\" {\n  token = \"x\"\n}", err: "Invalid hostname"},
	{name: "credentials that are a list", src: "credentials \"example.com\" {\n  token = [\"s3cr3t\"]\n}", methods: implied, warn: "requests will carry no credentials"},
	{name: "credentials of another kind", src: "credentials \"example.com\" {\n  foo = \"x\"\n}", methods: implied},
	{name: "helper", src: "credentials_helper \"x\" {\n  args = [\"a\"]\n}", methods: implied, warn: "no program terraform-credentials-x"},
	{name: "helper with a string", src: "credentials_helper \"x\" {\n  args = \"a\"\n}", err: "must be a list of strings"},
	{name: "two helpers", src: "credentials_helper \"x\" {}\ncredentials_helper \"y\" {}", err: "Duplicate credentials_helper"},
	{name: "helper without name", src: "credentials_helper {}", err: "Missing name", differs: failClosed},

	// JSON.
	{name: "JSON method", src: `{"provider_installation": {"direct": [{}]}}`, methods: []string{"Direct [] []"}},
	{name: "JSON methods in order", src: `{"provider_installation": {"filesystem_mirror": [{"path": "/x"}, {"path": "/y"}], "direct": [{"exclude": ["a/*"]}]}}`, methods: []string{`FilesystemMirror("/x") [] []`, `FilesystemMirror("/y") [] []`, "Direct [] [registry.terraform.io/a/*]"}},
	{name: "JSON names twice", src: `{"provider_installation": {"direct": [{}], "filesystem_mirror": [{"path": "/x"}], "direct": [{"include": ["*/*"]}]}}`, methods: []string{"Direct [] []", `FilesystemMirror("/x") [] []`, "Direct [registry.terraform.io/*/*] []"}},
	{name: "JSON after spaces", src: " \n\t{\"provider_installation\": {}}", methods: nil},
	{name: "JSON plain objects", src: `{"provider_installation": {"filesystem_mirror": {"path": "/x"}, "direct": {}}}`, methods: []string{`FilesystemMirror("/x") [] []`, "Direct [] []"}, differs: plainJSON},
	{name: "JSON text is text", src: `{"provider_installation": {"filesystem_mirror": [{"path": "/${x}/%{y}"}]}}`, methods: []string{`FilesystemMirror("/${x}/%{y}") [] []`}},
	{name: "JSON installation null", src: `{"provider_installation": null}`, err: "must be an object"},
	{name: "JSON installation empty list", src: `{"provider_installation": []}`, err: "must be an object"},
	{name: "JSON installation string", src: `{"provider_installation": "x"}`, err: "JSON object or a JSON array"},
	{name: "JSON method null", src: `{"provider_installation": {"direct": null}}`, err: "must be an object"},
	{name: "JSON method empty list", src: `{"provider_installation": {"direct": []}}`, err: "must be an object"},
	{name: "JSON method string", src: `{"provider_installation": {"direct": "x"}}`, err: "JSON object or a JSON array"},
	{name: "JSON method a list of strings", src: `{"provider_installation": {"direct": ["x"]}}`, err: "JSON object is required"},
	{name: "JSON unknown method", src: `{"provider_installation": {"foo": [{}]}}`, err: "no provider installation method \"foo\""},
	{name: "JSON unknown method, empty", src: `{"provider_installation": {"foo": {}}}`, err: "no provider installation method \"foo\"", differs: failClosed},
	{name: "JSON two installations", src: `{"provider_installation": [{"direct": [{}]}, {"direct": [{}]}]}`, err: "Duplicate provider_installation"},
	{name: "JSON overrides", src: `{"provider_installation": {"dev_overrides": {"acme/rocket": "/x", "aws": 5}, "direct": [{}]}}`, methods: []string{overrides, "Direct [] []"}},
	{name: "JSON overrides with bad names", src: `{"provider_installation": {"dev_overrides": {"*/*": "/y"}}}`, err: "not a provider's source address"},
	{name: "JSON overrides after a method", src: `{"provider_installation": {"direct": [{}], "dev_overrides": {"a/b": "/x"}}}`, err: "Misplaced dev_overrides"},
	{name: "JSON credentials", src: `{"credentials": {"example.com": {"token": "x"}, "example.org": {"token": "y"}}}`, methods: implied},
	{name: "JSON no credentials", src: `{"credentials": {}}`, methods: implied},
	{name: "JSON credentials with a bad name", src: `{"credentials": {"a b": {"token": "y"}}}`, err: "Invalid hostname"},
	{name: "JSON host", src: `{"host": {"a.com": {"services": {"providers.v1": "https://x/"}}}}`, methods: implied},
	{name: "JSON helper", src: `{"credentials_helper": {"x": {"args": ["a"]}}}`, methods: implied, warn: "no program"},
	{name: "JSON comment property", src: `{"//": "x", "plugin_cache_dir": null}`, methods: implied},
	{name: "JSON trailing comma", src: `{"a": 1,}`, err: "JSON", differs: strictJSON},
	{name: "JSON after a comment", src: "// x\n{}", err: "Expected a name"},
	{name: "JSON cut short", src: `{"provider_installation": {"direct": [{}]`, err: "Unclosed object", differs: strictJSON},
}

// implied is what an absent provider_installation block stands for in a home without directories.
var implied = []string{"Direct [] []"}

// overrides is the row of a dev_overrides block.
const overrides = "overrides registry.terraform.io/acme/rocket=/x registry.terraform.io/hashicorp/aws=5"
