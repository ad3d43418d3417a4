#!/bin/bash
# bochs-build.sh: builds Bochs 3.0, a PC emulator that interprets AVX-512, VAES, IFMA, VBMI and GFNI, from Debian
# trixie's source package. Without a GUI, and without its internal debugger: Debian's binary has it, which makes it
# slow and stops it at a prompt. Result: $CROSS/bochs/bin/bochs
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
build() {
  [ ! -x "$CROSS/bochs/bin/bochs" ] || return 0
  apt_update
  mkdir -p "$CROSS/src" && cd "$CROSS/src"
  if [ ! -s bochs_3.0+dfsg.orig.tar.xz ]; then
    # Only the upstream tarball is needed; the .dsc may be missing on a mirror.
    _apt apt-get -q source --download-only --tar-only bochs/trixie >src.log 2>&1 ||
      [ -s bochs_3.0+dfsg.orig.tar.xz ] || { cat src.log >&2; return 1; }
  fi
  rm -rf bochs-3.0 && tar xf bochs_3.0+dfsg.orig.tar.xz && cd bochs-3.0
  local flags="-O2 -march=x86-64-v2 -w"
  $NICE ./configure --prefix="$CROSS/bochs" --with-nogui --disable-docbook --disable-plugins \
    --enable-x86-64 --enable-cpu-level=6 --enable-fpu --enable-long-phy-address \
    --enable-avx --enable-evex --enable-amx --enable-3dnow --enable-pci --enable-cdrom \
    --enable-all-optimizations --enable-repeat-speedups --enable-handlers-chaining \
    --enable-trace-linking --enable-fast-function-calls \
    --disable-debugger --disable-debugger-gui \
    CFLAGS="$flags" CXXFLAGS="$flags" >../configure.log 2>&1 || { tail -20 ../configure.log >&2; return 1; }
  $NICE make -j"${JOBS:-2}" bochs >../make.log 2>&1 || { grep -n error ../make.log | head >&2; return 1; }
  mkdir -p "$CROSS/bochs/bin" && strip -o bochs.stripped bochs && mv bochs.stripped "$CROSS/bochs/bin/bochs"
  cd .. && rm -rf bochs-3.0
}
locked build
echo "$CROSS/bochs/bin/bochs"
