#!/bin/bash
# qemu.sh: user-mode emulators in $CROSS/qemu/bin.
#
# From bookworm-backports: Debian 12's own qemu 7.2 has no SHA-NI and computes 256-bit VAES wrongly.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
fetch() {
  [ ! -x "$CROSS/qemu/bin/qemu-x86_64" ] || return 0
  local tmp=$CROSS/qemu.$$ a f
  rm -rf "$CROSS"/qemu.[0-9]* # of a run that was cut short
  unpack "$tmp" qemu-user/bookworm-backports
  mkdir -p "$tmp/bin"
  # The other thirty emulators are not kept.
  for a in x86_64 i386 aarch64 s390x; do
    f=$tmp/usr/bin/qemu-$a
    [ -e "$f" ] && [ ! -L "$f" ] || f=$f-static
    cp "$f" "$tmp/bin/qemu-$a"
  done
  rm -rf "$tmp/usr" "$CROSS/qemu"
  mv "$tmp" "$CROSS/qemu"
}
locked fetch
"$CROSS/qemu/bin/qemu-x86_64" --version | head -1
