#!/bin/bash
# wasi-run.sh PROGRAM.wasm ARGS: runs a WASI preview-1 program by node: the system's, or trixie's where that is older than 20.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}") node=node
version=$(node --version 2>/dev/null || echo v0)
version=${version#v}
[ "${version%%.*}" -ge 20 ] || node=$("$here/trixie.sh" nodejs node)
exec "$node" --no-warnings "$here/wasi-run.mjs" "$@"
