#!/bin/bash
# wasi-run.sh PROGRAM.wasm ARGS: runs a WASI preview-1 program by node, 20 or newer.
set -euo pipefail
version=$(node --version 2>/dev/null || echo v0)
version=${version#v}
if [ "${version%%.*}" -lt 20 ]; then
  # Debian trixie's looks for parts of itself below /usr/share/nodejs: it cannot run from the cache.
  echo "wasi-run: no node, or one older than 20 (Debian trixie: nodejs)" >&2
  exit 1
fi
exec node --no-warnings "$(dirname "${BASH_SOURCE[0]}")/wasi-run.mjs" "$@"
