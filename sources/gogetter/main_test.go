package gogetter_test

import (
	"os"
	"testing"
)

// TestMain keeps the SDK of AWS from everything that could be on a developer's machine, from its own retries, and from
// its warnings about stores without checksums.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"AWS_CONFIG_FILE":                  os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE":      os.DevNull,
		"AWS_EC2_METADATA_DISABLED":        "true",
		"AWS_MAX_ATTEMPTS":                 "1",
		"AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
		"AWS_PROFILE":                      "",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
