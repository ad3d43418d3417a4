#!/bin/bash
# qemu.sh: user-mode emulators in $CROSS/qemu/bin.
#
# From trixie, static. Debian 12's own qemu 7.2 has no SHA-NI and computes 256-bit VAES wrongly; 10.0.2 of its backports
# reads 32 bytes where VINSERTI128 reads 16, and dies at the guard pages of our tests.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
PACKAGE=qemu-user/trixie
fetch() {
  # The marker says that it is this package: a cache may hold an older one, or fewer emulators.
  [ ! -e "$(_mark "$CROSS/qemu" $PACKAGE)" ] || [ ! -x "$CROSS/qemu/bin/qemu-arm" ] || return 0
  local tmp=$CROSS/qemu.$$ a
  rm -rf "$CROSS"/qemu.[0-9]* # of a run that was cut short
  unpack "$tmp" $PACKAGE
  mkdir -p "$tmp/bin"
  # The other thirty emulators are not kept.
  for a in x86_64 i386 aarch64 arm s390x; do cp "$tmp/usr/bin/qemu-$a" "$tmp/bin/"; done
  rm -rf "$tmp/usr" "$CROSS/qemu"
  mv "$tmp" "$CROSS/qemu"
}
locked fetch
"$CROSS/qemu/bin/qemu-x86_64" --version | head -1
