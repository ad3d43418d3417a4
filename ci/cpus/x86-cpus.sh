#!/bin/bash
# x86-cpus.sh BINARY [ARGS]: runs a static x86-64 binary as a series of CPUs, so that run-time dispatch takes each of
# its paths. The variable KEYLANE_EXPECT_CPU tells the binary which.
#   CPUS="Haswell max"   other models than the default
#
# No qemu has VPCLMULQDQ, GFNI or AVX-512: those need vm-avx512.sh.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
"$HERE/qemu.sh" >/dev/null
bad=0
#  SSE2 only | SSSE3 | SSE4, no AES | AES and CLMUL, no AVX | AVX | AVX2 |
#  SHA-NI, no VAES | AES and SHA-NI without AVX | all that qemu has
for c in ${CPUS:-qemu64 core2duo Nehalem Westmere SandyBridge Haswell EPYC-Milan Denverton max}; do
  echo "== $c"
  KEYLANE_EXPECT_CPU=$c $NICE "$CROSS/qemu/bin/qemu-x86_64" -cpu $c "$@" 2>&1 ||
    { echo "== $c FAILED ($?)"; bad=1; }
done
exit $bad
