#!/bin/sh
# addresses.sh: writes KEYLANE_REPOSITORY, the repository's address, into every manifest that is published. The
# repository itself does not contain it: only whoever holds an address can say it. Without one, packages have none.
set -eu
[ -n "${KEYLANE_REPOSITORY:-}" ] || exit 0
sed -i "/^license/a repository = \"$KEYLANE_REPOSITORY\"" $(git ls-files 'crates/*Cargo.toml')
sed -i "/^  \"license\"/a \  \"repository\": { \"type\": \"git\", \"url\": \"$KEYLANE_REPOSITORY\" }," \
  crates/keylane-wasm/npm/package.json
