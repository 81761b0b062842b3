package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// echo answers what terraform asks when it plans, applies and destroys notes. What it is never asked, it does not
// answer: those methods are the embedded nil interface's.
type echo struct {
	tfprotov5.ProviderServer
}

var _ tfprotov5.ProviderServer = (*echo)(nil)

func (*echo) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return &tfprotov5.GetProviderSchemaResponse{
		Provider:        &tfprotov5.Schema{Block: &tfprotov5.SchemaBlock{}},
		ResourceSchemas: map[string]*tfprotov5.Schema{"echo_note": noteSchema},
	}, nil
}

// GetResourceIdentitySchemas is asked for by terraform 1.12 and later.
func (*echo) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{}, nil
}

func (*echo) PrepareProviderConfig(_ context.Context, r *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: r.Config}, nil
}

func (*echo) ConfigureProvider(context.Context, *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	return &tfprotov5.ConfigureProviderResponse{}, nil
}

func (*echo) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

func (*echo) ValidateResourceTypeConfig(context.Context, *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return &tfprotov5.ValidateResourceTypeConfigResponse{}, nil
}

func (*echo) UpgradeResourceState(_ context.Context, r *tfprotov5.UpgradeResourceStateRequest) (*tfprotov5.UpgradeResourceStateResponse, error) {
	value, err := r.RawState.Unmarshal(noteType)
	if err != nil {
		return nil, err
	}
	state, err := tfprotov5.NewDynamicValue(noteType, value)
	return &tfprotov5.UpgradeResourceStateResponse{UpgradedState: &state}, err
}

func (*echo) ReadResource(_ context.Context, r *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	return &tfprotov5.ReadResourceResponse{NewState: r.CurrentState}, nil
}

func (*echo) PlanResourceChange(_ context.Context, r *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	planned, err := louder(r.ProposedNewState)
	return &tfprotov5.PlanResourceChangeResponse{PlannedState: planned}, err
}

func (*echo) ApplyResourceChange(_ context.Context, r *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	applied, err := louder(r.PlannedState)
	return &tfprotov5.ApplyResourceChangeResponse{NewState: applied}, err
}
