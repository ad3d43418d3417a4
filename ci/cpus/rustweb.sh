#!/bin/bash
# rustweb.sh ARCH...: Debian's rustc 1.96 for x86-64, with the standard library of other targets, in $CROSS/rustweb.
#   ARCH: arm64 | armhf | i386 | s390x | none (the compiler alone)
#
# rustup serves one target only where its server cannot be reached; Debian's packages have the others. The compiler
# comes from bookworm-security (it needs no newer C library than Debian 12's), arm64's library too, the others from
# trixie: the version string is the same, which is all that rustc compares.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
V=1.96 S=bookworm-security
unpack "$CROSS/rustweb" rustc-web/$S libstd-rust-web-$V:amd64/$S libstd-rust-web-dev:amd64/$S "${LLVM[@]}"
for a in "$@"; do
  case $a in
    none) continue ;;
    arm64) unpack "$CROSS/rustweb" libstd-rust-web-dev:$a/$S ;;
    *) unpack "$CROSS/rustweb" libstd-rust-web-dev:$a/trixie ;;
  esac
  # The start files, libc.a and libgcc for the linker.
  unpack "$CROSS/xsys/$a" libc6:$a/bookworm libc6-dev:$a/bookworm libgcc-s1:$a/bookworm libgcc-12-dev:$a/bookworm
done
# rustc finds its sysroot from its own path, but its libraries need a hint.
for t in rustc rustdoc; do
  [ -x "$CROSS/rustweb/$t" ] && continue
  cat >"$CROSS/rustweb/$t.$$" <<END
#!/bin/sh
LD_LIBRARY_PATH=$CROSS/rustweb/usr/lib/x86_64-linux-gnu\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} \\
  exec $CROSS/rustweb/usr/bin/$t "\$@"
END
  chmod +x "$CROSS/rustweb/$t.$$"
  mv "$CROSS/rustweb/$t.$$" "$CROSS/rustweb/$t"
done
"$CROSS/rustweb/rustc" -V
