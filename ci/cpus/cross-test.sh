#!/bin/bash
# cross-test.sh TARGETS CARGO-ARGS...: runs cargo for other CPUs, in the folder of a cargo project.
#   TARGETS: of aarch64, armv7, i686, s390x, separated by commas   for example: cross-test.sh aarch64 test -p keylane
#
# Builds with Debian's rustc (rustweb.sh) driven by rustup's cargo, links statically with rust-lld, runs the tests
# under qemu-user. QEMU_CPU, qemu's own variable, chooses the CPU: max by default.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
targets=$1 command=$2
shift 2
"$HERE/qemu.sh" >/dev/null
triples=()
for t in ${targets//,/ }; do
  case $t in
    aarch64) a=arm64 T=aarch64-unknown-linux-gnu q=qemu-aarch64 ;;
    armv7) a=armhf T=armv7-unknown-linux-gnueabihf q=qemu-arm ;;
    i686) a=i386 T=i686-unknown-linux-gnu q=qemu-i386 ;;
    s390x) a=s390x T=s390x-unknown-linux-gnu q=qemu-s390x ;;
    *) echo "cross-test: unknown target $t" >&2; exit 2 ;;
  esac
  "$HERE/rustweb.sh" $a >/dev/null
  V=CARGO_TARGET_$(echo $T | tr a-z- A-Z_)
  export "${V}_LINKER=$HERE/xld.sh" "${V}_RUNNER=$CROSS/qemu/bin/$q"
  export "${V}_RUSTFLAGS=-Ctarget-feature=+crt-static -Clink-arg=--xld-arch=$a ${XFLAGS:-}"
  export "${V}_RUSTDOCFLAGS=-Ctarget-feature=+crt-static -Clink-arg=--xld-arch=$a ${XFLAGS:-}"
  triples+=(--target $T)
done
export RUSTC=$CROSS/rustweb/rustc RUSTDOC=$CROSS/rustweb/rustdoc
export QEMU_CPU=${QEMU_CPU:-max}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cpus/cross}
# These would replace the flags of the target.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTDOCFLAGS
exec $NICE cargo "$command" "${triples[@]}" "$@"
