#!/bin/bash
# cargo-tool.sh NAME VERSION: the path of a cargo tool of exactly that version, which is compiled into $CROSS/tools first
# if it is not there.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
name=$1 version=$2
root=$CROSS/tools/$name-$version
install() {
  [ ! -x "$root/bin/$name" ] || return 0
  # Into a folder of its own, which gets its name when it is complete.
  rm -rf "$root.incomplete"
  # Not in the project's folder, and not with its flags: it is a program for this machine.
  (cd / && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u RUSTC -u RUSTC_BOOTSTRAP \
    CARGO_TARGET_DIR="$CROSS/tools/target" $NICE cargo install --quiet --locked --root "$root.incomplete" \
    "$name@$version") >&2
  mv "$root.incomplete" "$root"
  rm -rf "$CROSS/tools/target"
}
locked install
echo "$root/bin/$name"
