//go:build linux

package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// serve runs one connection: an echo of what each read gives.
func serve(listener net.Listener, wrap func(net.Conn) net.Conn, config *tls.Config) error {
	conn := must(listener.Accept())
	server := tls.Server(wrap(conn), config)
	defer server.Close()
	_, err := io.CopyBuffer(struct{ io.Writer }{server}, struct{ io.Reader }{server}, make([]byte, 32<<10))
	return err
}

// connect dials, shakes hands, runs what is given and closes. The second error is the server's.
func connect(
	listener net.Listener, wrap func(net.Conn) net.Conn, client, server *tls.Config, run func(*tls.Conn),
) error {
	served := make(chan error)
	go func() { served <- serve(listener, wrap, server) }()
	conn := must(tls.Dial("tcp", listener.Addr().String(), client))
	run(conn)
	check(conn.Close())
	return <-served
}

func plain(conn net.Conn) net.Conn { return conn }

// Parts: terms, max or dynamic, size.
func throughput(given credentials, parts []string) func() figures {
	client, server := given.configs(parts[0], "ecdsa-p256", parts[1] == "dynamic", false)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	total := must(strconv.Atoi(strings.TrimSuffix(parts[2], "MB"))) << 20
	buffer := make([]byte, 32<<10)
	op := func(run func(*tls.Conn)) { check(connect(listener, plain, client, server, run)) }
	op(func(conn *tls.Conn) {
		verify(conn, parts[0], false)
		sent := make([]byte, len(buffer))
		for round := range 32 {
			for i := range sent {
				sent[i] = byte(uint32(i+round*7919) * 2654435761 >> 24)
			}
			must(conn.Write(sent))
			must(io.ReadFull(conn, buffer))
			if !bytes.Equal(sent, buffer) {
				panic(fmt.Sprint("not an echo in round ", round))
			}
		}
	})
	return func() figures {
		start, used := time.Now(), processTime()
		op(func(conn *tls.Conn) {
			for range total / len(buffer) {
				must(conn.Write(buffer))
				must(io.ReadFull(conn, buffer))
			}
		})
		wall, used := time.Since(start), processTime()-used
		speed := func(time time.Duration) float64 { return float64(total) / 1e6 / time.Seconds() }
		return figures{"wall": speed(wall), "cpu": speed(used)}
	}
}

// Parts: terms, max or dynamic, kbit/s.
func latency(given credentials, parts []string) func() figures {
	client, server := given.configs(parts[0], "ecdsa-p256", parts[1] == "dynamic", false)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	kbps := must(strconv.ParseFloat(strings.TrimSuffix(parts[2], "kbps"), 64))
	slow := func(conn net.Conn) net.Conn { return slowConn{conn, kbps * 1000} }
	message, first := make([]byte, 16384), make([]byte, 1)
	return func() figures {
		var latency time.Duration
		start := time.Now()
		// The client leaves in the middle of the echo: that the server minds is right.
		_ = connect(listener, slow, client, server, func(conn *tls.Conn) {
			must(conn.Write(message[:1]))
			must(io.ReadFull(conn, first))
			must(conn.Write(message))
			must(io.ReadFull(conn, first))
			latency = time.Since(start)
		})
		return figures{"first-byte": latency.Seconds() * 1e3}
	}
}

type slowConn struct {
	net.Conn
	bitsPerSecond float64
}

func (c slowConn) Write(data []byte) (int, error) {
	start, written := time.Now(), 0
	for written < len(data) {
		time.Sleep(100 * time.Microsecond)
		allowed := min(int(time.Since(start).Seconds()*c.bitsPerSecond)/8, len(data))
		if written < allowed {
			n, err := c.Conn.Write(data[written:allowed])
			written += n
			if err != nil {
				return written, err
			}
		}
	}
	return written, nil
}
