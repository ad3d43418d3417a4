//go:build linux

// This program runs Go's standard library and golang.org/x/crypto for the benchmarks, which start it and talk
// to it.
//
// It says its version, then reads lines. OPERATION ALGORITHM TEXT_BYTES COUNT runs the operation that often;
// the answer is a line, the CPU time of its thread in nanoseconds, and the bytes of the buffer as the last
// operation left it. CREDENTIALS, a line of JSON, has no answer. The name of a case of keylane-tls-checks,
// such as throughput/tls13-aes128gcm/max/16MB, measures it once; the answer is a line of JSON: what each
// metric is.
package main

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

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
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
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
		block := must(aes.NewCipher(key(must(strconv.Atoi(algorithm[3:6])))))
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
	// Or a goroutine's thread changes while it is timed.
	runtime.LockOSThread()
	fmt.Println(runtime.Version())
	var given credentials
	var name string
	var run func() figures
	answers, requests := bufio.NewWriter(os.Stdout), bufio.NewScanner(os.Stdin)
	requests.Buffer(nil, 1<<20)
	for requests.Scan() {
		line := requests.Text()
		var operation, algorithm string
		var length, count int
		switch n, _ := fmt.Sscan(line, &operation, &algorithm, &length, &count); {
		case strings.HasPrefix(line, "{"):
			check(json.Unmarshal([]byte(line), &given))
			continue
		case n == 4:
			run, buffer := prepare(operation, algorithm, length)
			start := threadTime()
			for range count {
				run()
			}
			fmt.Fprintln(answers, (threadTime() - start).Nanoseconds())
			must(answers.Write(buffer))
		default:
			if line != name {
				parts := strings.Split(line, "/")
				name, run = line, scenarios[parts[0]](given, parts[1:])
			}
			check(json.NewEncoder(answers).Encode(run()))
		}
		// Or the collector runs beside the next library.
		runtime.GC()
		check(answers.Flush())
	}
	check(requests.Err())
}
