#!/bin/bash
# emulate.sh TARGET MODEL PROGRAM ARGS...: runs a program that cargo.sh built, as CPU MODEL of TARGET, and
# WebAssembly by $NODE.
# No qemu has VPCLMULQDQ, GFNI or AVX-512: programs that need those run on this CPU, as `native`.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
target=$1 model=$2
shift 2
case $target in
  native) exec "$@" ;;
  wasm*) exec "$NODE" --no-warnings "$HERE/wasi-run.mjs" "$@" ;;
  armv7) cpu=arm ;;
  i686) cpu=i386 ;;
  *) cpu=$target ;;
esac
[ "$model" != raspberry-pi-4 ] || model=cortex-a72
# A line for each feature of the model that qemu lacks, in each run: what must be there the tests say.
QEMU_CPU=$model exec "$("$HERE/fetch.sh" qemu)/qemu-$cpu" "$@" \
  2> >(grep -v "warning: TCG doesn't support requested feature" >&2)
