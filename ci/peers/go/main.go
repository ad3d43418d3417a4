// Command peer is Go's crypto/tls for `cargo xtask peers`: an echo server, or a client of one.
//
// It fails unless the other side ends each connection with close_notify: io.ReadAll and io.Copy would return
// io.ErrUnexpectedEOF.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

var (
	serve       = flag.Bool("serve", false, "be the server: echo on 127.0.0.1, at a port of the system's choice")
	address     = flag.String("connect", "", "be the client of this server: send standard input, expect it back")
	cert        = flag.String("cert", "", "certificate, PEM: the server's own, or what the client trusts")
	key         = flag.String("key", "", "the server's key, PEM")
	version     = flag.String("version", "1.3", "1.2 or 1.3")
	connections = flag.Int("connections", 1, "how many, one after the other")
)

func main() {
	flag.Parse()
	config := &tls.Config{MinVersion: tls.VersionTLS13, MaxVersion: tls.VersionTLS13}
	if *version == "1.2" {
		config.MinVersion, config.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	}
	run := client
	if *serve {
		run = server
	}
	if err := run(config); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func server(config *tls.Config) error {
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		return err
	}
	config.Certificates = []tls.Certificate{pair}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		return err
	}
	fmt.Println("listening on", listener.Addr())
	for i := 0; i < *connections; i++ {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		echoed, err := io.Copy(conn, conn)
		if err != nil {
			return err
		}
		if err := conn.Close(); err != nil {
			return err
		}
		report(conn.(*tls.Conn), echoed)
	}
	return nil
}

func client(config *tls.Config) error {
	trusted, err := os.ReadFile(*cert)
	if err != nil {
		return err
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(trusted) {
		return errors.New("no certificate to trust")
	}
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	for i := 0; i < *connections; i++ {
		if err := exchange(config, input); err != nil {
			return err
		}
	}
	return nil
}

// exchange sends the input on one connection while it reads what comes back.
func exchange(config *tls.Config, input []byte) error {
	conn, err := tls.Dial("tcp", *address, config)
	if err != nil {
		return err
	}
	defer conn.Close()
	sent := make(chan error, 1)
	go func() {
		_, err := conn.Write(input)
		if err == nil {
			err = conn.CloseWrite()
		}
		sent <- err
	}()
	echo, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	if err := <-sent; err != nil {
		return err
	}
	if !bytes.Equal(echo, input) {
		return fmt.Errorf("sent %d bytes, and %d others came back", len(input), len(echo))
	}
	report(conn, int64(len(echo)))
	return nil
}

func report(conn *tls.Conn, echoed int64) {
	state := conn.ConnectionState()
	fmt.Printf("closed: %s, resumed %t, %d bytes\n", tls.CipherSuiteName(state.CipherSuite), state.DidResume, echoed)
}
