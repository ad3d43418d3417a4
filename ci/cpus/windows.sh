#!/bin/bash
# windows.sh: uses the command for Windows by wine, and exchanges files and lists with this system's command.
# It builds both, as `cargo xtask cpus windows` and `cargo test --workspace` do.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
keylane=$target/debug/keylane
windows() {
  "$root/ci/cpus/emulate.sh" windows wine "$target/cpus/windows/x86_64-pc-windows-gnu/debug/keylane.exe" "$@"
}
# same COMMAND...: both print the same, and something.
same() {
  windows "$@" >"$work/one"
  "$keylane" "$@" >"$work/other"
  [ -s "$work/one" ] && cmp "$work/one" "$work/other"
}
(cd "$root" && cargo build --quiet --package keylane-cli && CARGO_TARGET_DIR=$target/cpus/windows \
  CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=false \
  XFLAGS=-Dwarnings ci/cpus/cargo.sh windows build --quiet --package keylane-cli)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "windows.sh: line $LINENO failed" >&2' ERR
cd "$work"
# Arguments are in the locale's characters.
export LC_ALL=C.UTF-8

printf -v part '%0100d' 7
long=dir/$part/$part/$part
mkdir -p "$long" 'dir/Grüße 文件'
head -c 300000 /dev/urandom >"$long/data"
printf 'text\r\n' >'dir/Grüße 文件/naïve файл.txt'
: >dir/empty

windows selftest | tail -n 1
windows hash sha256 -r dir >list
sha256sum --check --strict --quiet list
same hash sha512 --tag -r dir
sed 's/$/\r/' list >list-crlf
windows hash sha256 --check --strict --quiet list-crlf
sed 's|/|\\|g' list-crlf >list-backslashes
windows hash sha256 --check --strict --quiet list-backslashes
echo >>dir/empty
if windows hash sha256 --check --status list-crlf; then false; fi

windows keygen -o key
[ "$(stat -c %s key)" = 32 ]
# In wine's form of an access list, others have no access.
[[ $(stat -c %A key) == *--- ]]
chmod 600 key
same mac sha256 -k key -r dir
windows encrypt -k key "$long/data" -o there
"$keylane" decrypt -k key there -c | cmp - "$long/data"
"$keylane" encrypt -k key "$long/data" -o "$long/back"
windows decrypt -k key "$long/back" -c | cmp - "$long/data"
rm there "$long/back"
cp -r dir copy
windows encrypt -k key -r dir
find dir -type f ! -name '*.kl' -delete
"$keylane" decrypt -k key -r dir
find dir -name '*.kl' -delete
diff -r dir copy

printf 'Паßwort\r\n' >passphrase
chmod 600 passphrase
windows encrypt --passphrase-file passphrase list -o there
printf 'Паßwort' | "$keylane" decrypt --passphrase-file - there -c | cmp - list
printf 'Паßwort' | windows decrypt --passphrase-file - there -c | cmp - list
"$keylane" encrypt --passphrase-file passphrase list -o back
windows decrypt --passphrase-file passphrase back -c | cmp - list
windows inspect there | grep Argon2id
if windows decrypt -k key there -c 2>said; then false; fi
grep -q 'give --passphrase-file, or --passphrase to type it$' said

# More than a pipe holds.
windows hash sha512 -r "$root/docs" "$root/crates" 2>said | head -n 1 >first || :
[ -s first ] && [ ! -s said ]
