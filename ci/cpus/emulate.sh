#!/bin/bash
# emulate.sh TARGET MODEL PROGRAM ARGS...: runs a program that cargo.sh built, as CPU MODEL of TARGET,
# WebAssembly by Node.js, and one for Windows on this CPU by wine. Without an operating system, MODEL is a board,
# whose time is that of its instructions.
# No qemu has VPCLMULQDQ, GFNI or AVX-512: programs that need those run on this CPU, as `native`.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
target=$1 model=$2
shift 2
board=(-display none -audio none -monitor none -serial none)
board+=(-chardev stdio,id=out -semihosting-config enable=on,chardev=out)
case $target in
  thumb*)
    qemu=$("$HERE/fetch.sh" trixie qemu-system-arm qemu-system-arm)
    exec "$qemu" -M "$model" "${board[@]}" -icount shift=8 -kernel "$@"
    ;;
  riscv32*)
    qemu=$("$HERE/fetch.sh" trixie qemu-system-riscv qemu-system-riscv32)
    exec "$qemu" -M "$model" -bios none "${board[@]}" -icount shift=0 -kernel "$@"
    ;;
  avr-none)
    simavr=$("$HERE/fetch.sh" trixie simavr simavr)
    # It colours each line, and ends it with a full stop.
    "$simavr" -m "$model" -f 16000000 "$1.elf" 2>&1 >/dev/null | sed 's/\x1b\[[0-9;]*m//g; s/\.$//'
    exit
    ;;
  native) exec "$@" ;;
  windows) exec "$("$HERE/fetch.sh" wine)" "$@" ;;
  wasm*) exec "$("$HERE/fetch.sh" node)/node" --no-warnings "$HERE/wasi-run.mjs" "$@" ;;
  armv7) cpu=arm ;;
  i686) cpu=i386 ;;
  *) cpu=$target ;;
esac
[ "$model" != raspberry-pi-4 ] || model=cortex-a72
# A line for each feature of the model that qemu lacks, in each run: what must be there the tests say.
QEMU_CPU=$model exec "$("$HERE/fetch.sh" qemu)/qemu-$cpu" "$@" \
  2> >(grep -v "warning: TCG doesn't support requested feature" >&2)
