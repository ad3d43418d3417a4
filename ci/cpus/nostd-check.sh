#!/bin/bash
# nostd-check.sh TARGETS [CARGO-ARGS]: proves that a library builds with `core` alone, for example for
# thumbv7em-none-eabi,riscv32imac-unknown-none-elf.
#   STD=core,alloc   with a heap too
. "$(dirname "${BASH_SOURCE[0]}")/buildstd.sh"
targets=()
for t in ${1//,/ }; do targets+=(--target "$t"); done
shift
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cpus/nostd}
exec $NICE cargo build -Zbuild-std=${STD:-core} "${targets[@]}" --lib "$@"
