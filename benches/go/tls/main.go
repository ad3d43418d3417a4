//go:build linux

// This program runs Go's crypto/tls through the scenarios of keylane-tls-testkit for the benchmarks, which start it and
// talk to it.
//
// It says its version, then reads a line of JSON, the certificates, and then lines with the name of a case, such as
// throughput/tls13-aes128gcm/max/16MB. It measures that once and answers with a line of JSON: what each metric is.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// credentials are in PEM; the identities by their kind of key.
type credentials struct {
	Authority  string
	Identities map[string]struct{ Certificate, Key string }
}

type figures map[string]float64

// scenarios check what they are about to measure, and return what measures it once.
var scenarios = map[string]func(credentials, []string) func() figures{
	"throughput": throughput,
	"latency":    latency,
	"handshakes": handshakes,
	"records":    records,
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

// configs returns the client's and the server's: one version, one suite, X25519, and tickets only to resume.
func (c credentials) configs(terms, key string, dynamic, resume bool) (client, server *tls.Config) {
	version, aead, _ := strings.Cut(terms, "-")
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(c.Authority)) {
		panic("no authority")
	}
	identity := c.Identities[key]
	config := &tls.Config{
		RootCAs:                     roots,
		ServerName:                  "localhost",
		Certificates:                []tls.Certificate{must(tls.X509KeyPair([]byte(identity.Certificate), []byte(identity.Key)))},
		CurvePreferences:            []tls.CurveID{tls.X25519},
		DynamicRecordSizingDisabled: !dynamic,
		SessionTicketsDisabled:      !resume,
	}
	switch version {
	case "tls12":
		config.MinVersion, config.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
		config.CipherSuites = suites(aead)
	case "tls13":
		// Of TLS 1.3, Go chooses the suite itself: AES-128 where there are instructions for it.
		if aead != "aes128gcm" {
			panic("no such suite: " + terms)
		}
		config.MinVersion, config.MaxVersion = tls.VersionTLS13, tls.VersionTLS13
	}
	client, server = config.Clone(), config
	client.Certificates = nil
	if resume {
		client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	}
	return client, server
}

// suites are those of TLS 1.2 with this AEAD: the certificate decides between them.
func suites(aead string) []uint16 {
	switch aead {
	case "aes128gcm":
		return []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}
	case "aes256gcm":
		return []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384}
	case "chachapoly":
		return []uint16{tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256}
	}
	panic("no such AEAD: " + aead)
}

// verify panics unless both ends agreed on what the case says.
func verify(conn *tls.Conn, terms string, resumed bool) {
	state := conn.ConnectionState()
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tls.CipherSuiteName(state.CipherSuite)))
	version, aead, _ := strings.Cut(terms, "-")
	inName := map[string]string{"aes128gcm": "aes128gcm", "aes256gcm": "aes256gcm", "chachapoly": "chacha20poly1305"}[aead]
	wanted := map[string]uint16{"tls12": tls.VersionTLS12, "tls13": tls.VersionTLS13}[version]
	if !strings.Contains(name, inName) || state.Version != wanted || state.DidResume != resumed || state.CurveID != tls.X25519 && !resumed {
		panic(fmt.Sprintf("not %s: %s, resumed %v, curve %v", terms, name, state.DidResume, state.CurveID))
	}
}

func main() {
	// Or a goroutine's thread changes while it is timed.
	runtime.LockOSThread()
	lines, answers := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	fmt.Println(runtime.Version())
	var given credentials
	check(json.Unmarshal(must(lines.ReadBytes('\n')), &given))

	var name string
	var run func() figures
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if line = strings.TrimSpace(line); line != name {
			parts := strings.Split(line, "/")
			name, run = line, scenarios[parts[0]](given, parts[1:])
		}
		result := run()
		// Or the collector runs beside the next library.
		runtime.GC()
		check(answers.Encode(result))
	}
}
