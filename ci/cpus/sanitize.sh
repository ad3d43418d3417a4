#!/bin/bash
# sanitize.sh memory|address|thread CARGO-ARGS...: runs cargo with a sanitizer in all that it compiles, the
# standard library included.   For example: sanitize.sh memory test --package keylane
#
# Debian's rustc has no run-time libraries of the sanitizers; clang's of the same LLVM are the same. With `address` come
# the checks of cargo-careful: the compiler's own, and in a build with debug assertions those of the standard library.
#   XFLAGS   more flags for rustc, such as -Zsanitizer-memory-track-origins
. "$(dirname "${BASH_SOURCE[0]}")/buildstd.sh"
sanitizer=$1 command=$2
shift 2
flags=-Zsanitizer=$sanitizer
case $sanitizer in
  memory) library=msan ;;
  address) library=asan flags+=" -Zstrict-init-checks -Zextra-const-ub-checks" ;;
  thread) library=tsan ;;
  *) echo "sanitize: unknown sanitizer $sanitizer" >&2; exit 2 ;;
esac
unpack "$CROSS/sanitizers" libclang-rt-22-dev/bookworm-security
libraries=$CROSS/rustweb/usr/lib/rustlib/x86_64-unknown-linux-gnu/lib
cp -u "$CROSS/sanitizers/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.$library-x86_64.a" \
  "$libraries/librustc-stable_rt.$library.a"
# Also where a dependency's build script would set flags of its own for the host: --target keeps the two apart.
export RUSTFLAGS="$flags ${XFLAGS:-}"
unset CARGO_ENCODED_RUSTFLAGS
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cpus/$sanitizer}
exec $NICE cargo "$command" -Zbuild-std --target x86_64-unknown-linux-gnu "$@"
