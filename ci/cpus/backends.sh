#!/bin/bash
# backends.sh: the implementations for x86-64 that this CPU can run, by what the kernel says of it, separated
# by commas: for KEYLANE_REQUIRE_BACKENDS. The library's own detection is what this checks.
set -euo pipefail
flags=" $(grep -m1 '^flags' /proc/cpuinfo | cut -d: -f2) "
usable=()
backend() { # NAME FLAG...
  local flag
  for flag in "${@:2}"; do [[ $flags == *" $flag "* ]] || return 0; done
  usable+=("$1")
}
backend sse2
backend ssse3 ssse3
backend sha-ni sha_ni ssse3 sse4_1
backend avx2 avx2 bmi1 bmi2
backend avx512 avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2
backend avx512-ifma avx512ifma avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2
backend aes-ni aes pclmulqdq ssse3 sse4_1
# No Linux shows this flag yet: until one does, it is not required.
backend sha512 sha512 avx2
backend vaes-avx2 vaes vpclmulqdq aes pclmulqdq avx2 bmi1 bmi2
backend vaes-avx512 vaes vpclmulqdq aes pclmulqdq avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2
(IFS=, && echo "${usable[*]}")
