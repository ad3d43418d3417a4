#!/bin/bash
# backends.sh [lacking]: the implementations for x86-64 that this CPU can run, by what the kernel says of it,
# separated by commas: for KEYLANE_REQUIRE_BACKENDS. The library's own detection is what this checks.
# `lacking`: those that it cannot.
set -euo pipefail
flags=" $(grep -m1 '^flags' /proc/cpuinfo | cut -d: -f2) "
usable=() lacking=()
backend() { # NAME FLAG...
  local name=$1 flag
  shift
  for flag in "$@"; do [[ $flags == *" $flag "* ]] || { lacking+=("$name"); return; }; done
  usable+=("$name")
}
backend sse2
backend ssse3 ssse3
backend sha-ni sha_ni ssse3 sse4_1
backend avx2 avx2 bmi1 bmi2
backend avx512 avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2
backend avx512-ifma avx512ifma avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2
backend aes-ni aes pclmulqdq ssse3 sse4_1
backend vaes-avx2 vaes vpclmulqdq aes pclmulqdq avx2 bmi1 bmi2
backend vaes-avx512 vaes vpclmulqdq aes pclmulqdq avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2
case ${1:-usable} in
  usable) names=("${usable[@]}") ;;
  lacking) names=("${lacking[@]}") ;;
  *) echo "backends: unknown list $1" >&2; exit 2 ;;
esac
(IFS=, && echo "${names[*]}")
