#!/bin/sh
# static.sh ARCHIVE PREFIX OBJECT RESULT: makes cargo's static library one object, in which only the functions PREFIX_*
# are global, so that it does not collide with another one in Rust. OBJECT hides them, so that a shared library that it
# becomes a part of does not export them. LD, OBJCOPY and AR name the tools.
set -eu
archive=$1 prefix=$2 hidden=$3 result=$4

$LD -r --strip-debug --force-group-allocation -o "$result.o" "$hidden" --whole-archive "$archive"
$OBJCOPY --wildcard "--keep-global-symbol=${prefix}_*" '--remove-section=.llvm*' "$result.o"
rm -f "$result.new"
$AR rcs "$result.new" "$result.o"
cmp -s "$result.new" "$result" || mv "$result.new" "$result"
