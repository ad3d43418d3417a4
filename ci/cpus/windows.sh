#!/bin/bash
# windows.sh: what the command's own tests, which `cargo xtask cpus windows` runs, do not show of the one for
# Windows: access lists, long paths, arguments that are not ASCII, and files for and from this system's command.
# It builds both, as `cargo xtask cpus windows` and `cargo test --workspace` do.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
keylane=$target/debug/keylane
windows() {
  "$root/ci/cpus/emulate.sh" windows wine "$target/cpus/windows/x86_64-pc-windows-gnu/debug/keylane.exe" "$@"
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

windows hash sha256 -r 'dir/Grüße 文件' "dir/$part" dir/empty >list
sha256sum --check --strict --quiet list

windows keygen -o key
[ "$(stat -c %s key)" = 32 ]
# In wine's form of an access list, others have no access.
[[ $(stat -c %A key) == *--- ]]
chmod 600 key
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
"$keylane" encrypt --passphrase-file passphrase list -o back
windows decrypt --passphrase-file passphrase back -c | cmp - list
