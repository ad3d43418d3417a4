//go:build linux

package main

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// pipe is one direction of a connection in memory.
type pipe struct {
	sync.Mutex
	changed sync.Cond
	bytes.Buffer
}

func newPipe() *pipe {
	p := new(pipe)
	p.changed.L = &p.Mutex
	return p
}

// end is one end of a connection in memory. Reading waits for the other end.
type end struct {
	net.Conn
	in, out *pipe
	// CPU time of the thread that was spent here, mostly on waiting for the other end.
	spent time.Duration
	timed bool
}

func duplex() (*end, *end) {
	up, down := newPipe(), newPipe()
	return &end{in: down, out: up}, &end{in: up, out: down}
}

func (e *end) Read(b []byte) (int, error) {
	defer e.spend()()
	e.in.Lock()
	defer e.in.Unlock()
	for e.in.Len() == 0 {
		e.in.changed.Wait()
	}
	return e.in.Read(b)
}

func (e *end) Write(b []byte) (int, error) {
	defer e.spend()()
	e.out.Lock()
	defer e.out.Unlock()
	e.out.changed.Signal()
	return e.out.Write(b)
}

func (e *end) spend() func() {
	if !e.timed {
		return func() {}
	}
	start := threadTime()
	return func() { e.spent += threadTime() - start }
}

func (*end) Close() error                     { return nil }
func (*end) SetDeadline(time.Time) error      { return nil }
func (*end) SetWriteDeadline(time.Time) error { return nil }

// pair returns both ends after their handshake, and the CPU time that each took without its transport.
func pair(clientConfig, serverConfig *tls.Config) (
	client, server *tls.Conn, clientTime, serverTime time.Duration,
) {
	near, far := duplex()
	client, server = tls.Client(near, clientConfig), tls.Server(far, serverConfig)
	shake := func(conn *tls.Conn, e *end) time.Duration {
		e.timed = true
		start := threadTime()
		check(conn.Handshake())
		time := threadTime() - start
		e.timed = false
		return time - e.spent
	}
	done := make(chan time.Duration)
	go func() {
		runtime.LockOSThread()
		time := shake(client, near)
		// A TLS 1.3 client meets its ticket when it reads.
		must(io.ReadFull(client, make([]byte, 1)))
		done <- time
	}()
	serverTime = shake(server, far)
	must(server.Write([]byte{0}))
	return client, server, <-done, serverTime
}

// Parts: terms, key, full or resumed.
func handshakes(given credentials, parts []string) func() figures {
	resumed := parts[2] == "resumed"
	clientConfig, serverConfig := given.configs(parts[0], parts[1], false, resumed)
	pair(clientConfig, serverConfig)
	client, _, _, _ := pair(clientConfig, serverConfig)
	verify(client, parts[0], resumed)
	return func() figures {
		const count = 8
		var clientSum, serverSum time.Duration
		for range count {
			_, _, clientTime, serverTime := pair(clientConfig, serverConfig)
			clientSum, serverSum = clientSum+clientTime, serverSum+serverTime
		}
		each := func(time time.Duration) float64 { return time.Seconds() * 1e6 / count }
		return figures{"server": each(serverSum), "client": each(clientSum)}
	}
}

// Parts: terms, length of a message.
func records(given credentials, parts []string) func() figures {
	clientConfig, serverConfig := given.configs(parts[0], "ecdsa-p256", false, false)
	client, server, _, _ := pair(clientConfig, serverConfig)
	verify(client, parts[0], false)
	length := must(strconv.Atoi(parts[1]))
	messages := min(256<<10/length, 1024)
	burst, received := message(messages*length), make([]byte, messages*length)
	send := func() {
		for at := 0; at < len(burst); at += length {
			must(client.Write(burst[at : at+length]))
		}
	}
	receive := func() { must(io.ReadFull(server, received)) }
	send()
	header, known := map[string]int{"tls13-aes128gcm": 22, "tls12-chachapoly": 21}[parts[0]]
	if !known {
		header = 29
	}
	if wire := client.NetConn().(*end).out.Len(); wire != messages*(header+length) {
		panic("the records are not as long as the messages")
	}
	receive()
	if !bytes.Equal(burst, received) {
		panic("what was received is not what was sent")
	}
	// About 2 ms.
	bursts := 0
	for start := threadTime(); threadTime()-start < 2*time.Millisecond; bursts++ {
		send()
		receive()
	}
	return func() figures {
		var sending, receiving time.Duration
		for range bursts {
			start := threadTime()
			send()
			middle := threadTime()
			receive()
			sending, receiving = sending+middle-start, receiving+threadTime()-middle
		}
		each := func(time time.Duration) float64 { return time.Seconds() * 1e9 / float64(bursts*len(burst)) }
		return figures{"send": each(sending), "receive": each(receiving)}
	}
}
