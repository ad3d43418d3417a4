# Sourced after rustweb.sh has run: `clang_rt` has clang's run-time libraries, which are those of Debian's rustc, too; it
# ships none of its own. Both are of one LLVM.
unpack "$CROSS/sanitizers" libclang-rt-22-dev/bookworm-security
clang_rt=$CROSS/sanitizers/usr/lib/llvm-22/lib/clang/22/lib/linux

# sanitizer asan|msan|tsan: puts that one where rustc looks for it.
_sanitizer() {
  local from=$clang_rt/libclang_rt.$1-x86_64.a
  local to=$CROSS/rustweb/usr/lib/rustlib/x86_64-unknown-linux-gnu/lib/librustc-stable_rt.$1.a
  [ ! "$to" -nt "$from" ] || return 0
  # Another may be linking with the old one.
  cp "$from" "$to.$$"
  mv "$to.$$" "$to"
}
sanitizer() { locked _sanitizer "$@"; }
