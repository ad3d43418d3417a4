#!/bin/bash
# first-failure.sh PROGRAM [ARGS]: runs a test program up to the first test that fails. A loop that does not end fails
# too: by the time on the CPU, whatever else the machine does.
set -euo pipefail
ulimit -t 100
# Code that was not optimised needs more of it than a test's thread has.
export RUST_MIN_STACK=67108864
case ${1##*/} in
  # Wycheproof's vectors for PBKDF2 are a hundred times what all other tests take, and the RFCs' have the same kernels.
  pbkdf2-*) set -- "$@" --exact --skip wycheproof ;;
esac
"$@" --test-threads=1 | awk '{ print } / FAILED$/ { exit 101 }'
