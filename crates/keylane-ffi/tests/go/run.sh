#!/bin/sh
# run.sh FOLDER: the package in Go of docs/migrating.md, built in FOLDER with the installed library, computes what Go
# does.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
mkdir sealing
awk '$0 == "```go" { inside = 1; next } /^```/ { inside = 0 } inside' "$here/../../../../docs/migrating.md" \
  >sealing/sealing.go
cp "$here/documents_test.go" .
printf 'module documents\n\ngo 1.19\n' >go.mod
export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GOCACHE="$PWD/cache"
go vet ./...
go test ./...
