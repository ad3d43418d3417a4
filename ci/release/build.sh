#!/bin/bash
# build.sh OUT TARGET...: writes into OUT what a release has for each target, with the crates, the source
# packages of Python and the list of components if x86_64-unknown-linux-gnu is among them. It runs in a clone,
# by Debian's rustc, which is the same everywhere; `cargo xtask release` calls it, with the tools in PATH.
# As root: it sees its clone as /mnt, for cargo hashes the absolute path of a package outside of its workspace,
# and the order of functions depends on that.
if [ "$PWD" != /mnt ]; then
  mkdir -p "$1"
  out=$(realpath "$1")
  exec unshare --mount sh -euc 'mount --bind . /mnt; cd /mnt; exec ci/release/build.sh "$@"' sh "$out" "${@:2}"
fi
. ci/cpus/packages.sh
umask 022
ci/release/addresses.sh
out=$1
shift
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
version=$(sed -n '/^\[workspace.package\]/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=/mnt/target
export CARGO_PROFILE_RELEASE_STRIP=symbols
# No folder of this machine stays in what is compiled.
remap="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$CROSS=/rust"
ci/cpus/fetch.sh rust arm64 >/dev/null
export RUSTC=$CROSS/rustweb/rustc RUSTDOC=$CROSS/rustweb/rustdoc

# archive NAME: a tar of the folder, the same wherever it is made.
archive() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C target/stage -c "$1" |
    xz -T1 >"$out/$1.tar.xz"
}

# deb NAME SECTION DEPENDS SUMMARY: packs target/deb/NAME.
deb() {
  local tree=target/deb/$1
  mkdir -p "$tree/DEBIAN" "$tree/usr/share/doc/$1"
  cat LICENSE-MIT LICENSE-APACHE >"$tree/usr/share/doc/$1/copyright"
  gzip -9n <CHANGELOG.md >"$tree/usr/share/doc/$1/changelog.gz"
  cat >"$tree/DEBIAN/control" <<END
Package: $1
Version: $version
Architecture: amd64
Maintainer: The Keylane authors <keylane@invalid>
Section: $2
Priority: optional
${KEYLANE_REPOSITORY:+Homepage: $KEYLANE_REPOSITORY
}Depends: $3
Description: $4
END
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/$1_${version}_amd64.deb" >/dev/null
}

# glibc FILE...: the version of glibc that they need.
glibc() { objdump -T "$@" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 | cut -d_ -f2; }

# command_tree TARGET TREE: the command, its pages, its completions, and how others know its files, as in /usr.
command_tree() {
  local shell run=() program=target/$1/release/keylane share=$2/share
  [[ $1 != aarch64-* ]] || run=("$(ci/cpus/fetch.sh qemu)/qemu-aarch64")
  install -D "$program" -t "$2/bin"
  "${run[@]}" "$program" man --out "$share/man/man1"
  gzip -9n "$share"/man/man1/*
  install -Dm644 docs/keylane.magic -t "$share/keylane"
  install -Dm644 docs/keylane.xml -t "$share/mime/packages"
  for shell in bash:bash-completion/completions/keylane zsh:zsh/site-functions/_keylane \
    fish:fish/vendor_completions.d/keylane.fish; do
    mkdir -p "$(dirname "$share/${shell#*:}")"
    "${run[@]}" "$program" completions "${shell%:*}" >"$share/${shell#*:}"
  done
}

for target in "$@"; do
  wheel=(--release --locked --zig --target "$target" --out "$out")
  case $target in
    *-gnu) wheel+=(--compatibility manylinux2014) zig=$target.2.17 flags=$remap ;;
    # There is no standard library for musl but its sources.
    *-musl)
      wheel+=(--compatibility musllinux_1_2) zig=$target flags="$remap -Clink-self-contained=no"
      __CARGO_TESTS_ONLY_SRC_ROOT=$(ci/cpus/fetch.sh std)
      export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind __CARGO_TESTS_ONLY_SRC_ROOT
      ;;
  esac
  RUSTFLAGS=$flags cargo zigbuild --quiet --release --locked --package keylane-cli --target "$zig"
  if [ "$target" = x86_64-unknown-linux-gnu ]; then
    command_tree "$target" target/deb/keylane/usr
    deb keylane utils "libc6 (>= $(glibc target/deb/keylane/usr/bin/keylane))" \
      "fast symmetric cryptography: hashes, MACs, encrypted files"
  elif [[ $target = *-musl ]]; then
    name=keylane-$version-$target
    command_tree "$target" "target/stage/$name"
    cp LICENSE-MIT LICENSE-APACHE CHANGELOG.md "target/stage/$name"
    archive "$name"
    # A Python's extension is loaded, not static.
    flags+=" -Ctarget-feature=-crt-static"
  fi
  for project in . crates/keylane-arrow/python; do
    (cd $project && RUSTFLAGS=$flags maturin build --quiet "${wheel[@]}")
  done
  unset RUSTC_BOOTSTRAP CARGO_UNSTABLE_BUILD_STD
done
[[ " $* " = *" x86_64-unknown-linux-gnu "* ]] || exit 0

library=target/deb/libkeylane${version%.*} dev=target/deb/libkeylane-dev lib=usr/lib/x86_64-linux-gnu
cmake -S crates/keylane-ffi -B target/c -DCARGO_TARGET_DIR=/mnt/target/c/cargo -DCMAKE_INSTALL_PREFIX=/usr \
  -DCMAKE_INSTALL_LIBDIR=${lib#usr/} >/dev/null
RUSTFLAGS=$remap cmake --build target/c >/dev/null
DESTDIR=$PWD/$library cmake --install target/c >/dev/null
mkdir -p $dev/$lib
mv "$library/usr/include" $dev/usr/
mv "$library/$lib"/{pkgconfig,cmake,*.a,*.so} $dev/$lib/
mkdir -p "$library/DEBIAN"
echo activate-noawait ldconfig >"$library/DEBIAN/triggers"
deb "${library##*/}" libs "libc6 (>= $(glibc "$library/$lib"/*.so.*.*.*)), libgcc-s1" "symmetric cryptography for C"
deb libkeylane-dev libdevel "${library##*/} (= $version), libc6-dev" "symmetric cryptography for C: header, static library"

for project in . crates/keylane-arrow/python; do (cd $project && maturin sdist --out "$out"); done
unset RUSTC RUSTDOC
ci/npm.sh "$out"
for manifest in . crates/keylane-arrow; do
  cargo cyclonedx --quiet --format json --spec-version 1.5 --manifest-path $manifest/Cargo.toml \
    --override-filename components
done
for crate in keylane-cli keylane-ffi keylane-python keylane-arrow/python; do
  cp crates/$crate/components.json "$out/${crate/\//-}-$version.cdx.json"
done
git clean --quiet --force
cargo package --quiet --locked --no-verify --allow-dirty -p keylane-cpu -p keylane -p keylane-file -p keylane-tls -p keylane-cli
# The registry does not have its `keylane` yet.
cargo package --quiet --no-verify --allow-dirty --manifest-path crates/keylane-arrow/Cargo.toml --package keylane-arrow \
  --config 'patch.crates-io.keylane.path="crates/keylane"' \
  --config 'patch.crates-io.keylane-cpu.path="crates/keylane-cpu"'
cp target/package/*.crate "$out"
