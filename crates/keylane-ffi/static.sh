#!/bin/sh
# static.sh ARCHIVE OBJECT RESULT: makes cargo's static library one object, in which only the functions of the headers
# are global, so that it does not collide with another one in Rust. OBJECT hides them, so that a shared library that it
# becomes a part of does not export them. LD, OBJCOPY, READELF and AR name the tools.
set -eu
archive=$1 hidden=$2 result=$3

# What the standard library does at a panic can print a backtrace, which is 270 KB of each program. Two functions of
# boundary.rs take its place. If a compiler names it otherwise, it stays, and the programs are larger.
symbols=$($READELF --symbols --wide "$archive" 2>/dev/null | awk '{ print $8 }' | sort -u)
find() { echo "$symbols" | grep "^_.*$1\(17h[0-9a-f]*E\)\{0,1\}\$"; }
replaced='' global=''
replace() {
  old=$(find "___rustc$1") || return 0
  new=$(find "7keylane8boundary$2")
  replaced="$replaced --wrap=$old --defsym=__wrap_$old=$new" global="$global --globalize-symbol=$new"
}
replace 17rust_begin_unwind 8panicked
replace 26___rust_alloc_error_handler 13out_of_memory
$OBJCOPY $global "$archive" "$result.a"

# Strings and constants stay apart, so that a program has only those of what it calls.
$LD -r --strip-debug --force-group-allocation '--unique=.rodata*' $replaced -o "$result.o" "$hidden" \
  --whole-archive "$result.a"
$OBJCOPY --wildcard '--keep-global-symbol=keylane_*' '--keep-global-symbol=poly1305_*' '--remove-section=.llvm*' "$result.o"
rm -f "$result.a" "$result.new"
$AR rcs "$result.new" "$result.o"
cmp -s "$result.new" "$result" || mv "$result.new" "$result"
