#!/bin/sh
# run.sh FOLDER: the two packages in Go of docs/migrating.md, built in FOLDER with the installed library, compute
# the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
for package in before after; do mkdir $package; done
awk -v name=before '
  $0 == "```go" { inside = 1; next }
  $0 == "```" && inside { inside = 0; name = name == "before" ? "after" : "more"; next }
  inside { print > (name "/sealing.go") }
' "$here/../../../../docs/migrating.md"
cp "$here/documents_test.go" .
printf 'module documents\n\ngo 1.19\n' >go.mod
export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GOCACHE="$PWD/cache"
go vet ./...
go test ./...
