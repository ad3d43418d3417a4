//go:build linux

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of this thread, to which the caller has locked its goroutine.
func threadTime() time.Duration {
	var t unix.Timespec
	check(unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return time.Duration(t.Nano())
}

// processTime returns the CPU time of all threads, in user space and in the kernel.
func processTime() time.Duration {
	var t unix.Timespec
	check(unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t))
	return time.Duration(t.Nano())
}
