package main

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// noteSchema is that of the resource echo_note.
var noteSchema = &tfprotov5.Schema{Block: &tfprotov5.SchemaBlock{Attributes: []*tfprotov5.SchemaAttribute{
	{Name: "text", Type: tftypes.String, Required: true},
	{Name: "loud", Type: tftypes.String, Computed: true},
}}}

var noteType = noteSchema.ValueType()

// louder fills in what is computed: loud is text in capitals. A note that is absent stays absent, and one whose text
// is not known yet stays unknown.
func louder(note *tfprotov5.DynamicValue) (*tfprotov5.DynamicValue, error) {
	value, err := note.Unmarshal(noteType)
	if err != nil || value.IsNull() {
		return note, err
	}
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		return nil, err
	}
	if attributes["loud"], err = capitals(attributes["text"]); err != nil {
		return nil, err
	}
	filled, err := tfprotov5.NewDynamicValue(noteType, tftypes.NewValue(noteType, attributes))
	return &filled, err
}

func capitals(text tftypes.Value) (tftypes.Value, error) {
	if !text.IsKnown() {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue), nil
	}
	var s string
	if err := text.As(&s); err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(tftypes.String, strings.ToUpper(s)), nil
}
