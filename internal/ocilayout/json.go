package ocilayout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// list is an array of at most [MaxEntries] elements: within few bytes there could be very many.
type list[T any] []T

// UnmarshalJSON implements [json.Unmarshaler].
func (l *list[T]) UnmarshalJSON(src []byte) error {
	return eachElement(src, MaxEntries, func(element T) error {
		*l = append(*l, element)
		return nil
	})
}

var errNoArray = errors.New("there is something else where an array has to be")

// eachElement calls each with one element of a JSON array after the other. Null, and nothing, are like an empty array.
func eachElement[T any](src []byte, most int, each func(T) error) error {
	decoder := json.NewDecoder(bytes.NewReader(src))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		if len(src) == 0 || string(src) == "null" {
			return nil
		}
		return errNoArray
	}
	for n := 0; decoder.More(); n++ {
		var element T
		if n == most {
			return fmt.Errorf("%w: there are more than %d elements in an array", ErrTooLarge, most)
		}
		if err := decoder.Decode(&element); err != nil {
			return err
		}
		if err := each(element); err != nil {
			return err
		}
	}
	return nil
}

// decode reads the JSON of a file in the layout.
func decode(entry string, data []byte, into any) error {
	return malformed(entry, json.Unmarshal(data, into))
}

// malformed says that a document is not what it should be; nil if nothing is wrong.
func malformed(entry string, err error) error {
	var known *Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, ErrTooLarge):
		return &Error{Entry: entry, Kind: ErrTooLarge, Detail: err.Error()}
	}
	return &Error{Entry: entry, Kind: ErrMalformed, Detail: err.Error()}
}

// encode returns the JSON of a document.
func encode(document any) []byte {
	data, err := json.Marshal(document)
	if err != nil {
		panic(err) // texts and numbers, which always have a JSON form
	}
	return data
}
