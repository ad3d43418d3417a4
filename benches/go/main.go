//go:build linux

// This program runs ciphers of Go's standard library and of golang.org/x/crypto for the benchmarks, which start it and
// talk to it.
//
// It says its version, then reads lines: OPERATION ALGORITHM TEXT_BYTES COUNT. It runs the operation that often and answers
// with a line, the CPU time of its thread in nanoseconds, and the bytes of the buffer as the last operation left it.
package main

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"io"
	"os"
	"runtime"

	"keylane-benches/go/cpu"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/poly1305"
)

// As in case.rs.
var (
	nonce = []byte{7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	iv    = []byte{7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1}
	aad   = []byte{0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 64, 0}
)

func key(bits int) []byte {
	k := make([]byte, bits/8)
	for i := range k {
		k[i] = byte(i)*37 + 11
	}
	return k
}

func message(length int) []byte {
	m := make([]byte, length)
	for i := range m {
		m[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	return m
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func newAEAD(algorithm string) cipher.AEAD {
	switch algorithm {
	case "aes128gcm":
		return must(cipher.NewGCM(must(aes.NewCipher(key(128)))))
	case "aes256gcm":
		return must(cipher.NewGCM(must(aes.NewCipher(key(256)))))
	case "chachapoly":
		return must(chacha20poly1305.New(key(256)))
	}
	panic("no such AEAD: " + algorithm)
}

// newStream returns what starts a key stream.
func newStream(algorithm string) func() cipher.Stream {
	switch algorithm {
	case "aes128ctr", "aes256ctr":
		bits := map[string]int{"aes128ctr": 128, "aes256ctr": 256}[algorithm]
		block := must(aes.NewCipher(key(bits)))
		return func() cipher.Stream { return cipher.NewCTR(block, iv) }
	case "chacha20":
		k := key(256)
		return func() cipher.Stream {
			stream := must(chacha20.NewUnauthenticatedCipher(k, nonce))
			stream.SetCounter(1)
			return stream
		}
	}
	panic("no such stream: " + algorithm)
}

// Keeps what the key set-up makes.
var made cipher.AEAD

// prepare returns the operation and the buffer that it works on.
func prepare(operation, algorithm string, length int) (func(), []byte) {
	switch operation {
	case "stream":
		start, buffer := newStream(algorithm), message(length)
		return func() { start().XORKeyStream(buffer, buffer) }, buffer
	case "seal":
		aead, buffer := newAEAD(algorithm), message(length+16)
		return func() { aead.Seal(buffer[:0], nonce, buffer[:length], aad) }, buffer
	case "seal-to":
		aead, text, buffer := newAEAD(algorithm), message(length), make([]byte, length+16)
		return func() { aead.Seal(buffer[:0], nonce, text, aad) }, buffer
	case "open":
		aead, buffer := newAEAD(algorithm), make([]byte, length+16)
		sealed := aead.Seal(nil, nonce, message(length), aad)
		return func() {
			copy(buffer, sealed)
			must(aead.Open(buffer[:0], nonce, buffer, aad))
		}, buffer
	case "key":
		return func() { made = newAEAD(algorithm) }, nil
	case "mac":
		k, text, tag := [32]byte(key(256)), message(length), new([16]byte)
		return func() { poly1305.Sum(tag, text, &k) }, tag[:]
	}
	panic("no such operation: " + operation)
}

func main() {
	runtime.LockOSThread()
	fmt.Println(runtime.Version())
	requests, answers := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		var operation, algorithm string
		var length, count int
		_, err := fmt.Fscanln(requests, &operation, &algorithm, &length, &count)
		if err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		run, buffer := prepare(operation, algorithm, length)
		start := cpu.Thread()
		for range count {
			run()
		}
		time := cpu.Thread() - start
		// Or the collector runs beside the next library.
		runtime.GC()
		fmt.Fprintln(answers, time.Nanoseconds())
		must(answers.Write(buffer))
		if err := answers.Flush(); err != nil {
			panic(err)
		}
	}
}
