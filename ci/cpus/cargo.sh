#!/bin/bash
# cargo.sh KIND COMMAND ARGS...: runs cargo so that it builds for another machine or with a tool in all that
# it compiles, by Debian's rustc 1.96, which needs no rustup. KIND:
#   aarch64,armv7,i686,s390x    one or several of these CPUs, linked statically
#   native                      this machine, by rustup's rustc
#   wasm, wasm-simd128          WebAssembly, with the standard library from its sources, and vectors
#   web                         WebAssembly for JavaScript: with vectors, and a panic ends it without a message
#   windows                     Windows on x86-64, with the standard library from its sources
#   systems                     `cargo check` for systems for which nothing here links, with the standard library
#                               from its sources: macOS, iOS, Android, FreeBSD, NetBSD, Microsoft's linker
#   bare-metal                  with STD (core, or core,alloc) from its sources, for the --target of ARGS
#   memory, address, thread     a sanitizer in all that is compiled, the standard library included, and with
#                               `address` the checks of cargo-careful
#   fuzzer                      libFuzzer is told of every branch and comparison; with AddressSanitizer
# XFLAGS has more flags for rustc, except for the fuzzer.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
kind=$1 command=$2
shift 2
# These would replace the flags of a target.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTDOCFLAGS
[ "$kind" != native ] || RUSTFLAGS=${XFLAGS:-} exec cargo "$command" "$@"
"$HERE/fetch.sh" rust none >/dev/null
export RUSTC=$CROSS/rustweb/rustc RUSTDOC=$CROSS/rustweb/rustdoc
host=x86_64-unknown-linux-gnu
lld=$(env -u RUSTC rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld

# For -Zbuild-std.
build_std() {
  __CARGO_TESTS_ONLY_SRC_ROOT=$("$HERE/fetch.sh" std)
  export RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT
}

# Debian's rustc has no run-time libraries of sanitizers: clang's are those of the same LLVM.
clang_rt=$CROSS/sanitizers/usr/lib/llvm-22/lib/clang/22/lib/linux
_sanitizer() { # asan | msan | tsan
  local from=$clang_rt/libclang_rt.$1-x86_64.a
  local run_time=$CROSS/rustweb/usr/lib/rustlib/$host/lib/librustc-stable_rt.$1.a
  [ ! "$run_time" -nt "$from" ] || return 0
  # Another process may be linking with the old one.
  cp "$from" "$run_time.$$"
  mv "$run_time.$$" "$run_time"
}
sanitizer() {
  unpack "$CROSS/sanitizers" libclang-rt-22-dev/bookworm-security
  locked _sanitizer "$1"
}

arguments=()
case $kind in
  wasm | wasm-simd128)
    build_std
    unpack "$CROSS/wasi" wasi-libc/trixie libclang-rt-19-dev-wasm32/trixie
    libc=$CROSS/wasi/usr/lib/wasm32-wasi
    flags="-Clinker=$lld -Clink-self-contained=no -Clink-arg=$libc/crt1-command.o -L$libc"
    flags+=" -Clink-arg=--allow-undefined"
    [ "$kind" = wasm ] || flags+=" -Ctarget-feature=+simd128"
    # Unwinding, which the library that others distribute cannot: tests may catch a panic.
    export CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="$flags -Cpanic=unwind ${XFLAGS:-}"
    arguments=(-Zbuild-std=std,panic_unwind --target wasm32-wasip1)
    ;;
  web)
    build_std
    flags="-Ctarget-feature=+simd128 -Zunstable-options -Cpanic=immediate-abort"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-Clinker=$lld $flags ${XFLAGS:-}"
    arguments=(-Zbuild-std=std,panic_abort -Zbuild-std-features= --target wasm32-unknown-unknown)
    ;;
  windows)
    build_std
    mingw=$("$HERE/fetch.sh" mingw)
    # There, rustc looks for dlltool, and dlltool for an assembler.
    export PATH=$PATH:$mingw/bin
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$mingw/bin/x86_64-w64-mingw32-gcc-win32
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS=${XFLAGS:-}
    arguments=(-Zbuild-std --target x86_64-pc-windows-gnu)
    ;;
  systems)
    build_std
    export RUSTFLAGS=${XFLAGS:-}
    arguments=(-Zbuild-std)
    for triple in aarch64-apple-{darwin,ios} aarch64-linux-android x86_64-unknown-{freebsd,netbsd} \
      {x86_64,aarch64}-pc-windows-msvc; do
      arguments+=(--target $triple)
    done
    ;;
  bare-metal)
    build_std
    # There, rustc looks for its linker.
    export PATH=$PATH:${lld%/*} RUSTFLAGS=${XFLAGS:-}
    if [[ " $* " == *" avr-none "* ]]; then
      # What the compiler expects of gcc: products of 32 bits, and the registers that a function saves.
      unpack "$CROSS/avr" gcc-avr/bookworm
      RUSTFLAGS+=" -Ctarget-cpu=atmega1284p -Clinker=rust-lld"
      RUSTFLAGS+=" -Clink-arg=$CROSS/avr/usr/lib/gcc/avr/5.4.0/avr51/libgcc.a"
    fi
    arguments=("-Zbuild-std=${STD:-core}")
    ;;
  memory | address | thread)
    build_std
    flags=-Zsanitizer=$kind
    case $kind in
      memory) sanitizer msan ;;
      address) sanitizer asan && flags+=" -Zstrict-init-checks -Zextra-const-ub-checks -Zub-checks" ;;
      thread) sanitizer tsan ;;
    esac
    export RUSTFLAGS="$flags ${XFLAGS:-}"
    # --target keeps the flags from what runs while compiling.
    arguments=(-Zbuild-std --target $host)
    ;;
  fuzzer)
    sanitizer asan
    export RUSTC_BOOTSTRAP=1 CUSTOM_LIBFUZZER_PATH=$clang_rt/libclang_rt.fuzzer-x86_64.a
    coverage=-Cllvm-args=-sanitizer-coverage
    RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module $coverage-inline-8bit-counters $coverage-pc-table"
    arguments=(--target $host)
    # Checks of memory as calls: in line they make kernels so large that the compiler takes minutes.
    RUSTFLAGS+=" -Zsanitizer=address -Cllvm-args=-asan-instrumentation-with-call-threshold=0"
    RUSTFLAGS+=" $coverage-level=4 $coverage-trace-compares"
    export RUSTFLAGS
    ;;
  *)
    for cpu in ${kind//,/ }; do
      case $cpu in
        aarch64) arch=arm64 triple=aarch64-unknown-linux-gnu ;;
        armv7) arch=armhf triple=armv7-unknown-linux-gnueabihf ;;
        i686) arch=i386 triple=i686-unknown-linux-gnu ;;
        s390x) arch=s390x triple=s390x-unknown-linux-gnu ;;
        *) echo "cargo.sh: unknown kind $cpu" >&2; exit 2 ;;
      esac
      "$HERE/fetch.sh" rust $arch >/dev/null
      variable=CARGO_TARGET_$(echo $triple | tr a-z- A-Z_)
      # clang finds the start files, libc and libgcc of Debian's packages by itself.
      flags="-Clink-arg=--target=$triple -Clink-arg=--sysroot=$CROSS/xsys/$arch"
      flags+=" -Clink-arg=--ld-path=${lld%/*}/gcc-ld/ld.lld"
      export "${variable}_LINKER=clang" "${variable}_RUSTFLAGS=-Ctarget-feature=+crt-static $flags ${XFLAGS:-}"
      arguments+=(--target $triple)
    done
    ;;
esac
exec cargo "$command" "${arguments[@]}" "$@"
