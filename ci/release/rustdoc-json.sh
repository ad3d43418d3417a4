#!/bin/sh
# rustdoc that writes JSON, which no stable option does. Only it may: RUSTC_BOOTSTRAP for all of cargo would
# compile every dependency anew.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@" -Zunstable-options --output-format=json
