#!/bin/bash
# backends.sh: the implementations that this CPU can run, by what the kernel says of it, separated by commas: for
# KEYLANE_REQUIRE_BACKENDS. The library's own detection is what this checks.
set -euo pipefail
flags=" $(grep -m1 '^flags' /proc/cpuinfo | cut -d: -f2) "
has() { local flag; for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done; }
list=(sse2)
! has ssse3 || list+=(ssse3)
! has sha_ni ssse3 sse4_1 || list+=(sha-ni)
! has avx2 bmi1 bmi2 || list+=(avx2)
! has avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2 || list+=(avx512)
! has avx512ifma avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2 || list+=(avx512-ifma)
! has aes pclmulqdq ssse3 sse4_1 || list+=(aes-ni)
! has vaes vpclmulqdq aes pclmulqdq avx2 bmi1 bmi2 || list+=(vaes-avx2)
! has vaes vpclmulqdq aes pclmulqdq avx512f avx512bw avx512dq avx512vl avx2 bmi1 bmi2 || list+=(vaes-avx512)
(IFS=, && echo "${list[*]}")
