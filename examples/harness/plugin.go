package harness

import (
	"context"
	"errors"
	"os/exec"
	"slices"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
)

// handshake is what providers expect of whoever starts them,
// https://developer.hashicorp.com/terraform/plugin/terraform-plugin-protocol.
var handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
	MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
}

// schemaMethods are the gRPC methods that return the schema, by the version of the protocol.
var schemaMethods = map[int]string{
	5: "/tfplugin5.Provider/GetSchema",
	6: "/tfplugin6.Provider/GetProviderSchema",
}

// provider is a provider that runs.
type provider struct {
	client *plugin.Client
	conn   *grpc.ClientConn
}

func start(executable string) (*provider, error) {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: map[int]plugin.PluginSet{5: {}, 6: {}},
		Cmd:              exec.Command(executable),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.NewNullLogger(),
	})
	protocol, err := client.Client()
	if err != nil {
		client.Kill()
		return nil, err
	}
	grpcClient, ok := protocol.(*plugin.GRPCClient)
	if !ok {
		client.Kill()
		return nil, errors.New("the provider does not speak gRPC")
	}
	return &provider{client: client, conn: grpcClient.Conn}, nil
}

func (p *provider) stop() { p.client.Kill() }

// resourceTypes asks for the schema. The question has no fields, and of the answer only the keys of one map are of
// interest here: so no code generated from the protocol's definition is needed.
func (p *provider) resourceTypes(ctx context.Context) ([]string, error) {
	var answer []byte
	method := schemaMethods[p.client.NegotiatedVersion()]
	if err := p.conn.Invoke(ctx, method, []byte{}, &answer, grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(256<<20)); err != nil {
		return nil, err
	}
	const resourceSchemas, key = 2, 1 // numbers of fields in both versions of the protocol
	var names []string
	err := fields(answer, func(number protowire.Number, entry []byte) error {
		if number != resourceSchemas {
			return nil
		}
		return fields(entry, func(number protowire.Number, name []byte) error {
			if number == key {
				names = append(names, string(name))
			}
			return nil
		})
	})
	slices.Sort(names)
	return names, err
}

// fields calls visit for the fields of a message that have a length: strings and messages.
func fields(message []byte, visit func(protowire.Number, []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return protowire.ParseError(n)
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message)
			if err := visit(number, value); err != nil {
				return err
			}
		}
		message = message[n:]
	}
	return nil
}

// raw sends and receives messages as the bytes that they are.
type raw struct{}

func (raw) Name() string                  { return "proto" }
func (raw) Marshal(v any) ([]byte, error) { return v.([]byte), nil }
func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = slices.Clone(data)
	return nil
}
