#!/bin/bash
# Builds the C rivals as shared objects into $BENCH_LIBS (default: target/libs); the harness opens what it finds there.
# intel-ipsec-mb: needs gcc and libipsec-mb-dev. OpenSSL 4: needs gcc, make and perl, and the source that the crate
# openssl-src 400 carries, in the folder $OPENSSL_SRC.
set -euo pipefail
cd "$(dirname "$0")"
libs=${BENCH_LIBS:-$PWD/../target/libs}
mkdir -p "$libs"
libs=$(cd "$libs" && pwd)

if [ -e /usr/include/intel-ipsec-mb.h ]; then
  gcc -O2 -fPIC -shared -fvisibility=hidden -o "$libs/libipsecmb.so" ipsecmb_shim.c -lIPSec_MB
fi

if [ -n "${OPENSSL_SRC:-}" ] && [ ! -e "$libs/libossl4.so" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp -r "$OPENSSL_SRC" "$work/openssl"
  (cd "$work/openssl" \
    && ./Configure linux-x86_64 no-shared no-module no-tests no-docs no-apps no-legacy -fPIC >/dev/null \
    && make -s -j"$(nproc)" build_libs >/dev/null 2>&1)
  gcc -shared -o "$libs/libossl4.so" -Wl,-Bsymbolic -Wl,-z,noexecstack \
    -Wl,--whole-archive "$work/openssl/libcrypto.a" -Wl,--no-whole-archive -lpthread -ldl
fi
ls -l "$libs"
