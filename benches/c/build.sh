#!/bin/bash
# Builds the C rivals as shared objects into $BENCH_LIBS (default: target/libs); the harness opens what it finds there.
# intel-ipsec-mb: needs gcc and libipsec-mb-dev. OpenSSL 4: needs gcc, make and perl, and the source that the crate
# openssl-src 400 carries, in the folder $OPENSSL_SRC. BoringSSL: needs g++ and cmake, and the source that the crate
# boring-sys carries, in the folder $BORINGSSL_SRC.
set -euo pipefail
cd "$(dirname "$0")"
libs=${BENCH_LIBS:-$PWD/../target/libs}
mkdir -p "$libs"
libs=$(cd "$libs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -e /usr/include/intel-ipsec-mb.h ]; then
  gcc -O2 -fPIC -shared -fvisibility=hidden -o "$libs/libipsecmb.so" ipsecmb_shim.c -lIPSec_MB
fi

if [ -n "${OPENSSL_SRC:-}" ]; then
  cp -r "$OPENSSL_SRC" "$work/openssl"
  cd "$work/openssl"
  ./Configure linux-x86_64 no-shared no-module no-tests no-docs no-apps no-legacy -fPIC >/dev/null
  make -s -j"$(nproc)" build_libs >/dev/null 2>&1
  gcc -shared -o "$libs/libopenssl4.so" -Wl,-Bsymbolic -Wl,-z,noexecstack \
    -Wl,--whole-archive libcrypto.a -Wl,--no-whole-archive -lpthread -ldl
fi

if [ -n "${BORINGSSL_SRC:-}" ]; then
  cmake -S "$BORINGSSL_SRC" -B "$work/boringssl" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON >/dev/null
  cmake --build "$work/boringssl" --target crypto -j"$(nproc)" >/dev/null
  # A static build that is linked into a shared object exports nothing.
  nm -D --defined-only "$work/boringssl/libcrypto.so" >"$work/symbols"
  grep -qw EVP_MD_fetch "$work/symbols" || { echo "BoringSSL: EVP_MD_fetch is not exported" >&2; exit 1; }
  cp "$work/boringssl/libcrypto.so" "$libs/libboringssl.so"
fi
ls -l "$libs"
