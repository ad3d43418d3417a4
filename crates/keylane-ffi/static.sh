#!/bin/sh
# static.sh ARCHIVE OBJECT RESULT: makes cargo's static library one object, in which only the functions of the headers
# are global, so that it does not collide with another one in Rust. OBJECT hides them, so that a shared library that it
# becomes a part of does not export them. LD, OBJCOPY, READELF and AR name the tools.
set -eu
archive=$1 hidden=$2 result=$3

# What the standard library does at a panic can print a backtrace, which is 260 KB of each program. Two functions of
# panic.rs take its place. If a compiler names it otherwise, it stays, and the programs are larger.
symbols=$($READELF --symbols --wide "$archive" 2>/dev/null | awk '{ print $8 }' | sort -u)
replaced=''
replace() {
  old=$(echo "$symbols" | grep "^_R.*___rustc$1\$") && echo "$symbols" | grep -qx "$2" || return 0
  replaced="$replaced --wrap=$old --defsym=__wrap_$old=$2"
}
replace 17rust_begin_unwind panicked_in_keylane
replace 26___rust_alloc_error_handler no_memory_in_keylane

# Of `name.llvm.1234`, the number may differ from one build to the next, and the linker sorts by names.
numbered=$($READELF --sections --symbols --wide "$archive" 2>/dev/null | grep -o '[^ ]*[.]llvm[.][0-9]*' | sort -u)
renamed=$(echo "$numbered" | sed -n 's/\(.*\)[.]llvm[.].*/--rename-section=&=\1 --redefine-sym=&=\1/p')
$OBJCOPY $renamed "$archive" "$result.renamed"

# Strings and constants stay apart, so that a program has only those of what it calls.
$LD -r --strip-debug --force-group-allocation '--unique=.rodata*' $replaced -o "$result.o" "$hidden" \
  --whole-archive "$result.renamed"
$OBJCOPY --wildcard '--keep-global-symbol=keylane_*' '--keep-global-symbol=poly1305_*' '--remove-section=.llvm*' "$result.o"
rm -f "$result.new" "$result.renamed"
$AR rcs "$result.new" "$result.o"
cmp -s "$result.new" "$result" || mv "$result.new" "$result"
