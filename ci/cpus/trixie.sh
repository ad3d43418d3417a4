#!/bin/bash
# trixie.sh PACKAGE PROGRAM: the path of a program of Debian trixie's, fetched into $CROSS/trixie first if it is not there.
#
# For what takes long to compile and is too old, or missing, in Debian 12. Trixie's programs need trixie's C library, so
# its own loader runs them, with the libraries that apt finds they need; what they call are this system's programs.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
package=$1 program=$2
folder=$CROSS/trixie/$package
fetch() {
  [ ! -x "$folder/bin/$program" ] || return 0
  local tmp=$folder.incomplete libraries=usr/lib/x86_64-linux-gnu needed
  rm -rf "$tmp" "$folder"
  apt_update
  needed=$(_apt apt-get -q --simulate --no-install-recommends --target-release trixie install "$package" |
    awk '$1 == "Inst" { print $2 "/trixie" }')
  # One word a package.
  # shellcheck disable=SC2086
  unpack "$tmp/all" $needed
  mkdir -p "$tmp/bin" "$tmp/lib"
  cp "$tmp/all/usr/bin/$program" "$tmp/lib/"
  cp -a "$tmp/all/$libraries"/*.so.* "$tmp/lib/"
  rm -rf "$tmp/all"
  cat >"$tmp/bin/$program" <<END
#!/bin/sh
exec $folder/lib/ld-linux-x86-64.so.2 --library-path $folder/lib $folder/lib/$program "\$@"
END
  chmod +x "$tmp/bin/$program"
  mv "$tmp" "$folder"
}
locked fetch
echo "$folder/bin/$program"
