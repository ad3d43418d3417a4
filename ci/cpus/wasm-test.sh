#!/bin/bash
# wasm-test.sh CARGO-ARGS...: runs cargo for wasm32-wasip1, the tests by node (20 or newer).
#   For example: wasm-test.sh test --package keylane
#   SIMD=1   with vectors of 128 bits (simd128), which the compiler then uses as it likes
#
# Debian's rustc has no standard library for it: it is built from source, over Debian's wasi-libc. A panic unwinds, which
# the library that others distribute cannot: tests may catch one.
. "$(dirname "${BASH_SOURCE[0]}")/buildstd.sh"
unpack "$CROSS/wasi" wasi-libc/trixie libclang-rt-19-dev-wasm32/trixie
libc=$CROSS/wasi/usr/lib/wasm32-wasi
# Debian's rustc calls the linker by a name that only rustup's has. Without RUSTC: the one that `cargo` goes with.
lld=$(rustc --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld
flags="-Clinker=$lld -Clink-self-contained=no -Clink-arg=$libc/crt1-command.o -L$libc -Clink-arg=--allow-undefined"
[ -z "${SIMD:-}" ] || flags="$flags -Ctarget-feature=+simd128"
export CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="$flags -Cpanic=unwind ${XFLAGS:-}"
export CARGO_TARGET_WASM32_WASIP1_RUNNER=$HERE/wasi-run.mjs
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cpus/wasm}
# These would replace the flags of the target.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
command=$1
shift
exec $NICE cargo "$command" -Zbuild-std=std,panic_unwind --target wasm32-wasip1 "$@"
