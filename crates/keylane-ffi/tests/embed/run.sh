#!/bin/sh
# run.sh FOLDER: what embeds the installed static library, built in FOLDER. A shared library exports nothing of
# it; beside another static library in Rust, in either order, it links and works. PKG_CONFIG_PATH says where it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
flags=$(pkg-config --cflags --static --libs keylane | sed s/-lkeylane/-l:libkeylane.a/)
rustc --edition 2024 --crate-type staticlib -o libanother.a "$here/another.rs"
for cc in gcc clang; do
  $cc -shared -fPIC "$here/yours.c" $flags -o libyours.so
  test "$(nm --dynamic --defined-only libyours.so | cut -d ' ' -f 3)" = yours
  for options in '' -Wl,--gc-sections -static; do
    $cc $options "$here/program.c" "$here/yours.c" $flags libanother.a -o program 2>/dev/null
    ./program
    $cc $options "$here/program.c" "$here/yours.c" libanother.a $flags -o program 2>/dev/null
    ./program
  done
done
