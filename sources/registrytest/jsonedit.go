package registrytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SetJSON returns an edit, for the fields of a [Fault] that take one, that sets a place in a JSON document to a value:
// anything that [encoding/json] encodes, nil for null. The place is a JSON Pointer, https://www.rfc-editor.org/rfc/rfc6901:
// "/manifests/0/platform/os". Its last part may name a new member of an object; "-" is a new element at the end of an array.
//
// A document that has no such place becomes a text that says so, which is no JSON. The members of objects are sorted.
func SetJSON(pointer string, value any) func([]byte) []byte {
	return edit(func(body []byte) ([]byte, error) {
		return changed(body, pointer, func(any) (any, error) { return value, nil })
	})
}

// DeleteJSON is like [SetJSON] for an edit that removes a member of an object or an element of an array.
func DeleteJSON(pointer string) func([]byte) []byte {
	return edit(func(body []byte) ([]byte, error) {
		return changed(body, pointer, func(old any) (any, error) { return nothing{}, mustExist(old) })
	})
}

// CopyJSON is like [SetJSON] for an edit that sets a place to the value that another one has.
func CopyJSON(from, to string) func([]byte) []byte {
	return edit(func(body []byte) ([]byte, error) {
		var value json.RawMessage
		_, err := changed(body, from, func(old any) (any, error) { value = encoded(old); return old, mustExist(old) })
		if err != nil {
			return nil, err
		}
		return SetJSON(to, value)(body), nil
	})
}

// Edits returns an edit that does all of the given ones, in this order.
func Edits(edits ...func([]byte) []byte) func([]byte) []byte {
	return func(body []byte) []byte {
		for _, edit := range edits {
			body = edit(body)
		}
		return body
	}
}

// edit makes errors visible, without a way to return them.
func edit(try func([]byte) ([]byte, error)) func([]byte) []byte {
	return func(body []byte) []byte {
		out, err := try(body)
		if err != nil {
			return fmt.Appendf(nil, "registrytest: cannot edit this: %v", err)
		}
		return out
	}
}

// nothing is the value of a place that does not exist, before or after.
type nothing struct{}

var errNoPlace = errors.New("there is no such place")

func mustExist(old any) error {
	if _, none := old.(nothing); none {
		return errNoPlace
	}
	return nil
}

// changed returns a document with the value at a place replaced.
func changed(body []byte, pointer string, change func(old any) (any, error)) ([]byte, error) {
	if pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("%q: a pointer begins with a slash", pointer)
	}
	var doc any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // large numbers are to stay as they are
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	doc, err := at(doc, strings.Split(pointer, "/")[1:], change)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", pointer, err)
	}
	return json.Marshal(doc)
}

// at returns a node with the value at a path below it replaced.
func at(node any, path []string, change func(old any) (any, error)) (any, error) {
	if len(path) == 0 {
		return change(node)
	}
	switch node := node.(type) {
	case map[string]any:
		return inObject(node, path, change)
	case []any:
		return inArray(node, path, change)
	}
	return nil, errNoPlace
}

func inObject(object map[string]any, path []string, change func(old any) (any, error)) (any, error) {
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	var old any = nothing{}
	if value, ok := object[name]; ok {
		old = value
	}
	value, err := at(old, path[1:], change)
	if _, gone := value.(nothing); gone {
		delete(object, name)
	} else {
		object[name] = value
	}
	return object, err
}

func inArray(array []any, path []string, change func(old any) (any, error)) (any, error) {
	if path[0] == "-" {
		array = append(array, nothing{})
		path[0] = strconv.Itoa(len(array) - 1)
	}
	i, err := strconv.Atoi(path[0])
	if err != nil || i < 0 || i >= len(array) {
		return nil, errNoPlace
	}
	value, err := at(array[i], path[1:], change)
	if _, gone := value.(nothing); gone {
		return slices.Delete(array, i, i+1), err
	}
	array[i] = value
	return array, err
}
