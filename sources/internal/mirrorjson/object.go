package mirrorjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object whose members keep their values as they are written. Where members have fixed names, their case
// does not matter, as it does not for those who read them with package json, the clients among them.
type object map[string]json.RawMessage

// parseObject reads an object; nothing at all, and null, are one without members.
func parseObject(data []byte) (object, error) {
	o := object{}
	if len(data) == 0 {
		return o, nil
	}
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) && !bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil, errors.New("it is not a JSON object")
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, err
	}
	if o == nil {
		o = object{}
	}
	return o, nil
}

// get returns the value of a member; nil if there is none.
func (o object) get(name string) json.RawMessage {
	if value, ok := o[name]; ok {
		return value
	}
	for _, other := range slices.Sorted(maps.Keys(o)) {
		if strings.EqualFold(other, name) {
			return o[other]
		}
	}
	return nil
}

// set replaces a member.
func (o object) set(name string, value any) {
	o.unset(name)
	o[name] = marshal(value)
}

func (o object) unset(name string) {
	maps.DeleteFunc(o, func(other string, _ json.RawMessage) bool { return strings.EqualFold(other, name) })
}

// member returns the object that is a member.
func (o object) member(name string) (object, error) {
	inner, err := parseObject(o.get(name))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return inner, nil
}

func marshal(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts, and JSON that was parsed, which always have a JSON form
	}
	return data
}

// bytes returns the object as the clients write it: members sorted, two spaces of indent, no newline at the end.
func (o object) bytes() []byte {
	var text bytes.Buffer
	if err := json.Indent(&text, marshal(o), "", "  "); err != nil {
		panic(err) // as above
	}
	return text.Bytes()
}
