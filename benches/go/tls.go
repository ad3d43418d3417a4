//go:build linux

package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
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
	config.MinVersion, config.MaxVersion = versions[version], versions[version]
	// Go chooses the suite of TLS 1.3 itself: AES-128 where there are instructions for it. `verify` looks.
	config.CipherSuites = suites[aead]
	client, server = config.Clone(), config
	client.Certificates = nil
	if resume {
		client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	}
	return client, server
}

var versions = map[string]uint16{"tls12": tls.VersionTLS12, "tls13": tls.VersionTLS13}

// suites are those of TLS 1.2 with an AEAD: the certificate decides between them.
var suites = map[string][]uint16{
	"aes128gcm":  {tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256},
	"aes256gcm":  {tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384},
	"chachapoly": {tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305},
}

// verify panics unless both ends agreed on what the case says.
func verify(conn *tls.Conn, terms string, resumed bool) {
	state := conn.ConnectionState()
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tls.CipherSuiteName(state.CipherSuite)))
	version, aead, _ := strings.Cut(terms, "-")
	aead = strings.Replace(aead, "chachapoly", "chacha20poly1305", 1)
	agreed := strings.Contains(name, aead) && state.Version == versions[version] && state.DidResume == resumed
	if !agreed || state.CurveID != tls.X25519 && !resumed {
		panic(fmt.Sprintf("not %s: %s, resumed %v, curve %v", terms, name, state.DidResume, state.CurveID))
	}
}
