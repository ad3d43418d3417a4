#!/bin/bash
# fuzzer.sh CARGO-ARGS...: runs cargo so that what it compiles is a fuzzer: libFuzzer is linked, which is told of every
# branch and comparison, and AddressSanitizer watches the memory.   For example: fuzzer.sh build --release
#
# As cargo-fuzz does with a nightly toolchain. The standard library stays as Debian compiled it: its heap and its copies are
# watched all the same.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
"$HERE/rustweb.sh" none >/dev/null
. "$HERE/clang-rt.sh"
sanitizer asan
export RUSTC=$CROSS/rustweb/rustc RUSTC_BOOTSTRAP=1
export CUSTOM_LIBFUZZER_PATH=$clang_rt/libclang_rt.fuzzer-x86_64.a
coverage=-sanitizer-coverage
# Checks of memory as calls: in line they make kernels so large that the compiler takes minutes.
export RUSTFLAGS="-Zsanitizer=address -Cllvm-args=-asan-instrumentation-with-call-threshold=0 --cfg fuzzing \
  -Cpasses=sancov-module -Cllvm-args=$coverage-level=4 -Cllvm-args=$coverage-inline-8bit-counters \
  -Cllvm-args=$coverage-pc-table -Cllvm-args=$coverage-trace-compares"
unset CARGO_ENCODED_RUSTFLAGS
# --target keeps the flags from what runs while compiling.
exec $NICE cargo "$@" --target x86_64-unknown-linux-gnu
