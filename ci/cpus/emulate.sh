#!/bin/bash
# emulate.sh ARCH MODEL PROGRAM [ARGS]: runs a Linux program as CPU MODEL of ARCH: aarch64 | arm | i386 | s390x | x86_64.
# The program must be static, but for one of this machine's own architecture.
#
# No qemu has VPCLMULQDQ, GFNI or AVX-512: those need vm-avx512.sh.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
"$HERE/qemu.sh" >/dev/null
export QEMU_CPU=$2
# A line for each feature of the model that qemu lacks, in each run: what must be there the tests say.
exec $NICE "$CROSS/qemu/bin/qemu-$1" "${@:3}" 2> >(grep -v "warning: TCG doesn't support requested feature" >&2)
