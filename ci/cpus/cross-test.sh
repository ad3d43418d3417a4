#!/bin/bash
# cross-test.sh TARGETS CARGO-ARGS...: runs cargo for other CPUs, in the folder of a cargo project.
#   TARGETS: of aarch64, armv7, i686, s390x, separated by commas   for example: cross-test.sh aarch64 test -p keylane
#
# Builds with Debian's rustc (rustweb.sh) driven by rustup's cargo, links statically with rust-lld, runs the tests
# under qemu-user. QEMU_CPU, qemu's own variable, chooses the CPU: max by default.
targets=$1 command=$2
shift 2
. "$(dirname "${BASH_SOURCE[0]}")/cross.sh"
exec $NICE cargo "$command" "${triples[@]}" "$@"
