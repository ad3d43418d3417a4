#!/bin/sh
# examples.sh FOLDER SHARED: the programs of examples/, built in FOLDER, do what they say and need libkeylane.so
# if SHARED is 1, or not if it is 0.
set -eu
cd "$1"
for program in webhook seal; do
  test "$(readelf --dynamic $program | grep -c 'NEEDED.*libkeylane')" = "$2"
done
refuses() {
  status=0
  "$@" >out 2>/dev/null || status=$?
  test $status = 1
}

# GitHub's example of a signature.
signature=sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17
export WEBHOOK_SECRET="It's a Secret to Everybody"
printf 'Hello, World!' >body
printf 'Hello, World?' >other
test "$(./webhook $signature <body)" = accepted
refuses ./webhook $signature <other
refuses ./webhook "$(echo $signature | head -c 39)" <body

printf 'attack at dawn' >text
head -c 32 /dev/urandom >key
./seal seal key <text >sealed
./seal seal key <text >again
test "$(wc -c <sealed)" = $((12 + 14 + 16))
# Two messages do not have one nonce.
! cmp -s -n 12 sealed again || exit 1
./seal open key <sealed | cmp - text
{ head -c 12 again; tail -c +13 sealed; } >changed
refuses ./seal open key <changed
test ! -s out
