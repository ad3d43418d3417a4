#!/bin/sh
# rustdoc as on docs.rs, which shows the feature that an item needs and knows where dependencies are described.
for crate in aead/0.6 cipher/0.5 digest/0.11 rustls/0.23 universal_hash/0.6; do
  set -- "$@" --extern-html-root-url "${crate%/*}=https://docs.rs/$(echo $crate | tr _ -)"
done
RUSTC_BOOTSTRAP=1 exec rustdoc -Zunstable-options "$@"
