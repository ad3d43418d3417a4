#!/bin/bash
# sanitize.sh memory|address|thread CARGO-ARGS...: runs cargo with a sanitizer in all that it compiles, the
# standard library included.   For example: sanitize.sh memory test --package keylane
#
# With `address` come the checks of cargo-careful: the compiler's own, and those of the standard library's preconditions, in
# a build without debug assertions, too.
#   XFLAGS   more flags for rustc, such as -Zsanitizer-memory-track-origins
. "$(dirname "${BASH_SOURCE[0]}")/buildstd.sh"
name=$1 command=$2
shift 2
flags=-Zsanitizer=$name
case $name in
  memory) library=msan ;;
  address) library=asan flags+=" -Zstrict-init-checks -Zextra-const-ub-checks -Zub-checks" ;;
  thread) library=tsan ;;
  *) echo "sanitize: unknown sanitizer $name" >&2; exit 2 ;;
esac
. "$HERE/clang-rt.sh"
sanitizer $library
# Also where a dependency's build script would set flags of its own for the host: --target keeps the two apart.
export RUSTFLAGS="$flags ${XFLAGS:-}"
unset CARGO_ENCODED_RUSTFLAGS
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cpus/$name}
exec $NICE cargo "$command" -Zbuild-std --target x86_64-unknown-linux-gnu "$@"
