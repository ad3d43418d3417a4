# Sourced: Debian's rustc 1.96 with its exactly matching library sources, so that cargo's -Zbuild-std works for any
# target. RUSTC_BOOTSTRAP=1 opens the unstable options of this compiler.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
"$HERE/rustweb.sh" none >/dev/null
library() {
  # Not in one step with unpack: a run that was cut short between the two is repaired here.
  [ ! -d "$CROSS/rustsrc/library" ] || return 0
  unpack "$CROSS/rustsrc" rust-web-src/bookworm-security
  # The library alone is needed: 60 MB instead of 434. Its version is in the name of the folder.
  basename "$CROSS"/rustsrc/usr/src/rustc-* | cut -d- -f2 >"$CROSS/rustsrc/version"
  mv "$CROSS"/rustsrc/usr/src/rustc-*/library "$CROSS/rustsrc/library"
  rm -rf "$CROSS/rustsrc/usr"
}
locked library
# Another compiler would fail in the middle of `core`. A cache may be older than the file that says the version.
if [ -e "$CROSS/rustsrc/version" ]; then
  compiler=$("$CROSS/rustweb/rustc" -V | cut -d' ' -f2) sources=$(cat "$CROSS/rustsrc/version")
  if [ "$compiler" != "$sources" ]; then
    echo "buildstd: rustc is $compiler and its library's sources are $sources: remove $CROSS/rustweb and $CROSS/rustsrc" >&2
    exit 1
  fi
fi
export RUSTC=$CROSS/rustweb/rustc RUSTDOC=$CROSS/rustweb/rustdoc RUSTC_BOOTSTRAP=1
export __CARGO_TESTS_ONLY_SRC_ROOT=$CROSS/rustsrc/library
