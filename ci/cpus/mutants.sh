#!/bin/bash
# mutants.sh native|i686 ARGS...: runs cargo-mutants, whose cargo builds for this machine, or the portable code alone: 32
# bits, without a kernel for x86-64, in a fifth of the time.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
targets=$1
shift
mutants=$("$HERE/trixie.sh" cargo-mutants cargo-mutants)
triples=()
case $targets in
  native) export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$HERE/first-failure.sh ;;
  i686)
    . "$HERE/cross.sh"
    # An x86-64 CPU runs them itself.
    export CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_RUNNER=$HERE/first-failure.sh
    ;;
  *) echo "mutants: unknown build $targets" >&2; exit 2 ;;
esac
exec $NICE "$mutants" mutants "${triples[@]/#/--cargo-arg=}" "$@"
