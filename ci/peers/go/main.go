// Command peer is Go's crypto/tls for `cargo xtask peers`: an echo server for two connections, or a client
// that makes two, sends standard input on each and expects it back.
//
// It fails unless the other side ends each connection with close_notify: io.ReadAll and io.Copy would return
// io.ErrUnexpectedEOF.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Arguments: 1.2 or 1.3; a certificate, the server's own or the one that the client trusts; the address of the
// server, for a client; the server's key.
func main() {
	config := &tls.Config{MinVersion: tls.VersionTLS13, MaxVersion: tls.VersionTLS13}
	if os.Args[1] == "1.2" {
		config.MinVersion, config.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	}
	if address := os.Args[3]; address != "" {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(must(os.ReadFile(os.Args[2])))
		config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
		input := must(io.ReadAll(os.Stdin))
		for i := 0; i < 2; i++ {
			exchange(must(tls.Dial("tcp", address, config)), input)
		}
		return
	}
	config.Certificates = []tls.Certificate{must(tls.LoadX509KeyPair(os.Args[2], os.Args[4]))}
	listener := must(tls.Listen("tcp", "127.0.0.1:0", config))
	fmt.Println("listening on", listener.Addr())
	for i := 0; i < 2; i++ {
		conn := must(listener.Accept()).(*tls.Conn)
		closed(conn, must(io.Copy(conn, conn)))
	}
}

// exchange sends the input while it reads what comes back.
func exchange(conn *tls.Conn, input []byte) {
	go func() {
		must(conn.Write(input))
		must(0, conn.CloseWrite())
	}()
	echo := must(io.ReadAll(conn))
	if !bytes.Equal(echo, input) {
		panic("what came back is not what was sent")
	}
	closed(conn, int64(len(echo)))
}

func closed(conn *tls.Conn, count int64) {
	must(0, conn.Close())
	state := conn.ConnectionState()
	fmt.Printf("closed: %s, resumed %t, %d bytes\n", tls.CipherSuiteName(state.CipherSuite), state.DidResume, count)
}
