#!/bin/bash
# wasi-run.sh PROGRAM.wasm ARGS: runs a WASI preview-1 program by node.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
node=$("$here/node.sh")
exec "$node" --no-warnings "$here/wasi-run.mjs" "$@"
