#!/bin/bash
# fuzzer.sh CARGO-ARGS...: runs cargo so that what it compiles is a fuzzer: libFuzzer is linked, which is told of every
# branch and comparison, and AddressSanitizer watches the memory.   For example: fuzzer.sh build --release
#
# As cargo-fuzz does with a nightly toolchain. Debian's rustc has neither run-time library; clang's of the same LLVM are
# the same. The standard library stays as Debian compiled it: its heap and its copies are watched all the same.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
"$HERE/rustweb.sh" none >/dev/null
unpack "$CROSS/sanitizers" libclang-rt-22-dev/bookworm-security
clang=$CROSS/sanitizers/usr/lib/llvm-22/lib/clang/22/lib/linux
cp -u "$clang/libclang_rt.asan-x86_64.a" \
  "$CROSS/rustweb/usr/lib/rustlib/x86_64-unknown-linux-gnu/lib/librustc-stable_rt.asan.a"
export RUSTC=$CROSS/rustweb/rustc RUSTC_BOOTSTRAP=1
export CUSTOM_LIBFUZZER_PATH=$clang/libclang_rt.fuzzer-x86_64.a
coverage=-sanitizer-coverage
# Checks of memory as calls: in line they make kernels so large that the compiler takes minutes.
export RUSTFLAGS="-Zsanitizer=address -Cllvm-args=-asan-instrumentation-with-call-threshold=0 --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=$coverage-level=4 \
  -Cllvm-args=$coverage-inline-8bit-counters -Cllvm-args=$coverage-pc-table -Cllvm-args=$coverage-trace-compares"
unset CARGO_ENCODED_RUSTFLAGS
# --target keeps the flags from what runs while compiling.
exec $NICE cargo "$@" --target x86_64-unknown-linux-gnu
