// This library runs the standard library of Go and golang.org/x/crypto for the benchmarks, which load it: see
// src/rivals/go.rs.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/poly1305"
)

import "C"

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

func newBlock(algorithm string) cipher.Block {
	return must(aes.NewCipher(key(must(strconv.Atoi(algorithm[3:6])))))
}

func newAEAD(algorithm string) cipher.AEAD {
	if algorithm == "chachapoly" {
		return must(chacha20poly1305.New(key(256)))
	}
	return must(cipher.NewGCM(newBlock(algorithm)))
}

// newStream returns what starts a key stream.
func newStream(algorithm string) func() cipher.Stream {
	if algorithm != "chacha20" {
		block := newBlock(algorithm)
		return func() cipher.Stream { return cipher.NewCTR(block, iv) }
	}
	k := key(256)
	return func() cipher.Stream {
		stream := must(chacha20.NewUnauthenticatedCipher(k, nonce))
		stream.SetCounter(1)
		return stream
	}
}

// operations work on the buffer that they are given.
var operations []func([]byte)

//export go_version
func go_version() *C.char { return C.CString(runtime.Version()) }

// go_prepare returns the number of a new operation.
//
//export go_prepare
func go_prepare(operation, algorithm *C.char, length C.size_t) C.size_t {
	operations = append(operations, prepare(C.GoString(operation), C.GoString(algorithm), int(length)))
	return C.size_t(len(operations) - 1)
}

//export go_run
func go_run(number C.size_t, count uint64, buffer *byte, length C.size_t) {
	run, out := operations[number], unsafe.Slice(buffer, int(length))
	for range count {
		run(out)
	}
}

// go_collect collects the garbage of a sample after it, or the collector runs beside the next library.
//
//export go_collect
func go_collect() { runtime.GC() }

func prepare(operation, algorithm string, length int) func([]byte) {
	switch operation {
	case "-":
		if algorithm == "poly1305" {
			k, text := [32]byte(key(256)), message(length)
			return func(buffer []byte) { poly1305.Sum((*[16]byte)(buffer), text, &k) }
		}
		start := newStream(algorithm)
		return func(buffer []byte) { start().XORKeyStream(buffer, buffer) }
	case "seal":
		aead := newAEAD(algorithm)
		return func(buffer []byte) { aead.Seal(buffer[:0], nonce, buffer[:length], aad) }
	case "seal-to":
		aead, text := newAEAD(algorithm), message(length)
		return func(buffer []byte) { aead.Seal(buffer[:0], nonce, text, aad) }
	case "open":
		aead := newAEAD(algorithm)
		sealed := aead.Seal(nil, nonce, message(length), aad)
		return func(buffer []byte) {
			copy(buffer, sealed)
			must(aead.Open(buffer[:0], nonce, buffer, aad))
		}
	case "newkey":
		return func(buffer []byte) { newAEAD(algorithm).Seal(buffer[:0], nonce, buffer[:length], aad) }
	}
	panic("no such operation: " + operation)
}

func main() {}
