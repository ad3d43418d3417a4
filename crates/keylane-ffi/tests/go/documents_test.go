package documents

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"testing"

	"documents/sealing"
)

func TestSealing(t *testing.T) {
	key, nonce := bytes.Repeat([]byte{7}, 32), make([]byte, 12)
	block, _ := aes.NewCipher(key)
	gcm, _ := cipher.NewGCM(block)
	for _, message := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("message"), 100)} {
		mac := hmac.New(sha256.New, key)
		mac.Write(message)
		tag := mac.Sum(nil)
		check := sealing.Check
		if !check(key, message, tag) || check(key, message, tag[1:]) || check(key, []byte("another"), tag) {
			t.Fatal("Check is wrong")
		}
		sealed, err := sealing.Seal(key, nonce, message, message)
		if err != nil || !bytes.Equal(sealed, gcm.Seal(nil, nonce, message, message)) {
			t.Fatal("sealed otherwise:", err)
		}
	}
	if _, err := sealing.Seal(key[1:], nonce, nil, nil); err == nil {
		t.Fatal("a key of 31 bytes is no error")
	}
}
