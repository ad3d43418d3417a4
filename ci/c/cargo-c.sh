#!/bin/bash
# cargo-c.sh: Debian trixie's cargo-c in $CROSS/cargo-c; prints the folder that holds cargo-cinstall.
#
# It compiles for half an hour where it is installed from its sources. Debian 12's own has a cargo that knows no edition
# 2024. Trixie's needs trixie's C library, so its own loader runs it, with the libraries that apt finds it needs; the
# compilers that it calls are this system's.
. "$(dirname "${BASH_SOURCE[0]}")/../cpus/packages.sh"
fetch() {
  [ ! -x "$CROSS/cargo-c/bin/cargo-cinstall" ] || return 0
  local tmp=$CROSS/cargo-c.$$ L=usr/lib/x86_64-linux-gnu needed
  rm -rf "$CROSS"/cargo-c.[0-9]* # of a run that was cut short
  apt_update
  needed=$(_apt apt-get -q --simulate --no-install-recommends --target-release trixie install cargo-c |
    awk '$1 == "Inst" { print $2 "/trixie" }')
  # One word a package.
  # shellcheck disable=SC2086
  unpack "$tmp/all" $needed
  mkdir -p "$tmp/bin" "$tmp/lib"
  cp "$tmp/all/usr/bin/cargo-cinstall" "$tmp/lib/"
  cp -a "$tmp/all/$L"/*.so.* "$tmp/lib/"
  rm -rf "$tmp/all"
  cat >"$tmp/bin/cargo-cinstall" <<END
#!/bin/sh
exec $CROSS/cargo-c/lib/ld-linux-x86-64.so.2 --library-path $CROSS/cargo-c/lib $CROSS/cargo-c/lib/cargo-cinstall "\$@"
END
  chmod +x "$tmp/bin/cargo-cinstall"
  rm -rf "$CROSS/cargo-c"
  mv "$tmp" "$CROSS/cargo-c"
}
locked fetch
"$CROSS/cargo-c/bin/cargo-cinstall" cinstall --version >&2
echo "$CROSS/cargo-c/bin"
