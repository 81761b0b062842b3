package signature_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/purveyor-dev/purveyor/hashing/signature"
)

// What a registry serves: a document, its signature (binary; in base64 here) and the author's key, made by gpg.
const (
	exampleSums = `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  terraform-provider-example_1.0.0_linux_amd64.zip
`
	exampleSignature = `
iHUEABYIAB0WIQQA6wgKWzQ9yVRvAB648TMqQAr3+QUCZZN9JQAKCRC48TMqQAr3+TMtAQDiwR5V
LxNWH/ao+1y4LhhEia0cBz1jk7eYht8Oa7BrCAEAxeAN3ZRa8lhK5irQ4C6bPnjyBmdVPZIRru2h
11XYPQs=
`
	exampleKey = `
-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEZZN9JRYJKwYBBAHaRw8BAQdAsVU9tIfkzuu1PRrxYj0mOVunDW34w3NVourY
YuQg1WO0I0V4YW1wbGUgQXV0aG9yIDxhdXRob3JAZXhhbXBsZS5jb20+iJAEExYI
ADgWIQQA6wgKWzQ9yVRvAB648TMqQAr3+QUCZZN9JQIbAwULCQgHAgYVCgkICwIE
FgIDAQIeAQIXgAAKCRC48TMqQAr3+dT/AQCu00sQ6a2AmgnQTzHcQ3RVHtSnwUV1
TgIostvDVvT5cwD/fipnbFSn5NihEv9Z0wYy/y37iFbdBrfhJTsvKYXf2wU=
=HQ+F
-----END PGP PUBLIC KEY BLOCK-----
`
)

func ExampleVerify() {
	sig, err := base64.StdEncoding.DecodeString(exampleSignature)
	if err != nil {
		fmt.Println(err)
		return
	}
	signer, err := signature.Verify([]byte(exampleSums), sig, []string{exampleKey}, time.Time{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(signer.Identity)
	fmt.Println(signer.KeyID)

	_, err = signature.Verify([]byte("something else"), sig, []string{exampleKey}, time.Time{})
	fmt.Println(errors.Is(err, signature.ErrBadSignature))
	// Output:
	// Example Author <author@example.com>
	// B8F1332A400AF7F9
	// true
}
