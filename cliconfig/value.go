package cliconfig

import (
	"errors"
	"math/big"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// The errors continue the sentence "The argument must be …".
var (
	errNotString  = errors.New("a string")
	errNotStrings = errors.New("a list of strings, in brackets")
	errNotInt     = errors.New("a whole number")
	errNotBool    = errors.New("true or false, without quotes")
	errNotMap     = errors.New("an object, in braces")
)

// literalValue returns the value of an expression. Without an evaluation context, a JSON string stands for itself.
func literalValue(expr hcl.Expression) (cty.Value, bool) {
	v, diags := expr.Value(nil)
	return v, !diags.HasErrors() && v.IsWhollyKnown()
}

func isNull(expr hcl.Expression) bool {
	v, ok := literalValue(expr)
	return ok && v.IsNull()
}

func asString(expr hcl.Expression) (string, error) {
	v, ok := literalValue(expr)
	if !ok {
		return "", errNotString
	}
	return stringOf(v)
}

func stringOf(v cty.Value) (string, error) {
	if v.IsNull() || !v.Type().IsPrimitiveType() {
		return "", errNotString
	}
	if v.Type() == cty.Number && !reasonable(v.AsBigFloat()) {
		return "", errNotString
	}
	s, err := convert.Convert(v, cty.String)
	if err != nil {
		return "", errNotString
	}
	return s.AsString(), nil
}

// reasonable reports whether a number has a text of sensible length.
func reasonable(f *big.Float) bool {
	return !f.IsInf() && f.MantExp(nil) < 1<<10 && f.MantExp(nil) > -1<<10
}

func asStrings(expr hcl.Expression) ([]string, error) {
	v, ok := literalValue(expr)
	if !ok || v.IsNull() || !v.Type().IsTupleType() {
		return nil, errNotStrings
	}
	list := []string{}
	for _, element := range v.AsValueSlice() {
		s, err := stringOf(element)
		if err != nil {
			return nil, errNotStrings
		}
		list = append(list, s)
	}
	return list, nil
}

func asInt(expr hcl.Expression) (*int, error) {
	v, ok := literalValue(expr)
	if !ok || v.IsNull() || v.Type() != cty.Number && v.Type() != cty.String {
		return nil, errNotInt
	}
	text, err := stringOf(v)
	if err != nil {
		return nil, errNotInt
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return nil, errNotInt
	}
	small := int(n)
	return &small, nil
}

func asBool(expr hcl.Expression) (*bool, error) {
	v, ok := literalValue(expr)
	if !ok || v.IsNull() || v.Type() != cty.Bool {
		return nil, errNotBool
	}
	b := v.True()
	return &b, nil
}

// entry is a member of an object.
type entry struct {
	name string
	at   hcl.Range // of the name
	expr hcl.Expression
}

// entries returns the members of an object in the order of the file.
func entries(expr hcl.Expression) ([]entry, error) {
	pairs, diags := hcl.ExprMap(expr)
	if diags.HasErrors() {
		return nil, errNotMap
	}
	var list []entry
	for _, pair := range pairs {
		name, err := asString(pair.Key)
		if err != nil {
			return nil, errNotMap
		}
		list = append(list, entry{name, pair.Key.Range(), pair.Value})
	}
	return list, nil
}
