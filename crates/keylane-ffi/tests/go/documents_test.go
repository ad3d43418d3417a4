package documents

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"testing"

	after "documents/after"
	before "documents/before"
)

func TestBeforeAndAfterAgree(t *testing.T) {
	key, nonce := bytes.Repeat([]byte{7}, 32), make([]byte, 12)
	for _, message := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("message"), 100)} {
		mac := hmac.New(sha256.New, key)
		mac.Write(message)
		tag := mac.Sum(nil)
		for _, check := range []func(key, message, tag []byte) bool{before.Check, after.Check} {
			if !check(key, message, tag) || check(key, message, tag[1:]) || check(key, []byte("another"), tag) {
				t.Fatal("Check is wrong")
			}
		}
		expected, err := before.Seal(key, nonce, message, message)
		sealed, other := after.Seal(key, nonce, message, message)
		if err != nil || other != nil || !bytes.Equal(sealed, expected) {
			t.Fatal("sealed otherwise:", err, other)
		}
	}
	if _, err := after.Seal(key[1:], nonce, nil, nil); err == nil {
		t.Fatal("a key of 31 bytes is no error")
	}
}
