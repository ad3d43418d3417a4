//go:build linux

// Package cpu reads clocks of CPU time.
package cpu

import (
	"syscall"
	"time"
	"unsafe"
)

// Thread returns the CPU time of this thread, to which the caller has locked its goroutine.
func Thread() time.Duration {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		panic(errno)
	}
	return time.Duration(t.Nano())
}

// Process returns the CPU time of all threads, in user space and in the kernel.
func Process() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
