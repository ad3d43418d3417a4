#!/bin/sh
# static.sh ARCHIVE PREFIX OBJECT RESULT: makes cargo's static library one object, in which only the functions PREFIX_*
# are global, so that it does not collide with another one in Rust. OBJECT hides them, so that a shared library that it
# becomes a part of does not export them. LD, OBJCOPY, READELF and AR name the tools.
set -eu
archive=$1 prefix=$2 hidden=$3 result=$4

# What the standard library does at a panic can print a backtrace, which is 270 KB of each program. Two functions of
# keylane-boundary take its place. If a compiler names it otherwise, it stays, and the programs are larger.
symbols=$($READELF --symbols --wide "$archive" 2>/dev/null | awk '{ print $8 }' | sort -u)
replace() {
  old=$(echo "$symbols" | grep "^_.*___rustc$1\$") || return 0
  new=$(echo "$symbols" | grep "^_.*16keylane_boundary$2\(17h[0-9a-f]*E\)\{0,1\}\$")
  echo "--wrap=$old --defsym=__wrap_$old=$new"
}
replaced="$(replace 17rust_begin_unwind 8panicked) $(replace 26___rust_alloc_error_handler 13out_of_memory)"

# Strings and constants stay apart, so that a program has only those of what it calls.
$LD -r --strip-debug --force-group-allocation '--unique=.rodata*' $replaced -o "$result.o" "$hidden" \
  --whole-archive "$archive"
$OBJCOPY --wildcard "--keep-global-symbol=${prefix}_*" '--remove-section=.llvm*' "$result.o"
rm -f "$result.new"
$AR rcs "$result.new" "$result.o"
cmp -s "$result.new" "$result" || mv "$result.new" "$result"
