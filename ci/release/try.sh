#!/bin/bash
# try.sh OUT TARGET...: installs what build.sh wrote into OUT where nothing else of Keylane is, and uses it: in
# a new Debian, in empty folders, in new virtual environments; for aarch64 in an emulator. As root.
. "$(dirname "${BASH_SOURCE[0]}")/../cpus/packages.sh"
cd "$HERE/../.."
out=$(realpath "$1") root=$PWD/target/try
shift
rm -rf "$root"
mkdir -p "$root"

debian() {
  env -u APT_CONFIG mmdebstrap --quiet --variant=minbase --include=man-db,gcc,libc6-dev,pkg-config,file,shared-mime-info bookworm "$root/debian"
  cp "$out"/*.deb "$root/debian/tmp"
  awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit } inside' docs/c.md >"$root/debian/tmp/program.c"
  chroot "$root/debian" /bin/sh -euc '
    cd /tmp
    apt-get install --quiet --quiet --yes --no-install-recommends ./*.deb
    keylane selftest
    if keylane hash sha256 <&-; then exit 1; fi
    printf "\214keylane\1\1\1" >file
    cat /usr/share/keylane/keylane.magic >>/etc/magic
    file file | grep -q "Keylane encrypted file, version 1"
    grep -q application/x-keylane /usr/share/mime/globs2
    man keylane | grep -q "symmetric cryptography"
    man keylane-derive-pbkdf2 >/dev/null
    test -s /usr/share/bash-completion/completions/keylane
    cc program.c $(pkg-config --cflags --libs keylane)
    test "$(./a.out)" = "no error: attack at dawn"
    apt-get remove --quiet --quiet --yes keylane "libkeylane*"
    test ! -e /usr/bin/keylane'
}

# static TARGET: the command where there is nothing but it.
static() {
  local emulator=()
  mkdir "$root/$1"
  tar -xf "$out"/keylane-*-"$1".tar.xz -C "$root/$1" --strip-components=1
  [[ $1 != aarch64-* ]] || emulator=(/emulator)
  [ ${#emulator[@]} = 0 ] || cp "$(ci/cpus/fetch.sh qemu)/qemu-aarch64" "$root/$1/emulator"
  chroot "$root/$1" "${emulator[@]}" /bin/keylane selftest
  printf abc >"$root/$1/abc"
  chroot "$root/$1" "${emulator[@]}" /bin/keylane hash sha256 /abc | grep -q ^ba7816bf
  # An emulator opens files of its own.
  if [ ${#emulator[@]} = 0 ] && chroot "$root/$1" /bin/keylane hash sha256 <&-; then return 1; fi
}

use='import hashlib, keylane, keylane.arrow
assert keylane.sha256(b"abc").digest() == hashlib.sha256(b"abc").digest()
assert keylane.arrow.KeyRing(keys={"k": bytes(32)})["k"].name == "k"'

# python TARGET: the wheels in a new virtual environment, or in Debian's Python in an emulator.
python() {
  local wheel python=$CROSS/python-arm64
  if [[ $1 = x86_64-* ]]; then
    python3 -m venv "$root/$1"
    "$root/$1/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$out" keylane keylane-arrow
    "$root/$1/bin/python" -c "$use"
  else
    unpack "$python" libc6:arm64/bookworm libgcc-s1:arm64/bookworm zlib1g:arm64/bookworm libexpat1:arm64/bookworm \
      python3.11-minimal:arm64/bookworm libpython3.11-minimal:arm64/bookworm libpython3.11-stdlib:arm64/bookworm
    for wheel in "$out"/*manylinux*aarch64.whl; do python3 -m zipfile -e "$wheel" "$root/$1"; done
    PYTHONPATH=$root/$1 "$(ci/cpus/fetch.sh qemu)/qemu-aarch64" -L "$python" "$python/usr/bin/python3.11" -c "$use"
  fi
}

# musl TARGET: Debian has no Python on musl. Its libc has every function that the wheels need, but Python's.
musl() {
  local cpu=${1%%-*} arch=amd64 wheel
  [ "$cpu" = x86_64 ] || arch=arm64
  unpack "$CROSS/musl" musl:$arch/bookworm
  for wheel in "$out"/*musllinux*"$cpu".whl; do
    python3 -m zipfile -e "$wheel" "$root/musl-$cpu"
  done
  nm -D --defined-only "$CROSS/musl/lib/$cpu-linux-musl/libc.so" | awk '{ print $3 }' | sort >"$root/libc"
  find "$root/musl-$cpu" -name '*.so' | while read -r wheel; do
    nm -D --undefined-only "$wheel" | awk '$1 == "U" && $2 !~ /^_?Py/ { print $2 }' | sort | comm -23 - "$root/libc"
  done | if grep .; then return 1; fi
}

for target in "$@"; do
  case $target in
    *-gnu) python "$target" ;;
    *-musl) static "$target" && musl "$target" ;;
  esac
  echo "$target: tried"
done
if [[ " $* " = *" x86_64-unknown-linux-gnu "* ]]; then
  debian
  python3 -m venv "$root/source"
  CARGO_TARGET_DIR=$PWD/target "$root/source/bin/pip" install --quiet --no-build-isolation "$out"/keylane-[0-9]*.tar.gz
  "$root/source/bin/python" -c 'import keylane; keylane.sha256(b"abc")'
  node=$(ci/cpus/fetch.sh node)
  PATH=$node:$PATH npm install --silent --offline --prefix "$root/npm" "$out"/keylane-*.tgz
  echo 'import { digest } from "keylane"; digest("sha256", new Uint8Array(3));' >"$root/npm/use.mjs"
  "$node/node" "$root/npm/use.mjs"
  cargo publish --quiet --dry-run --locked -p keylane-cpu -p keylane -p keylane-file -p keylane-tls -p keylane-cli
  echo "packages and crates: tried"
fi
