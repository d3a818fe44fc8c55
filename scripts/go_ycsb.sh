#!/usr/bin/env bash
# Builds go-ycsb with its MySQL binding alone: the module replaces a dependency, which `go install`
# refuses, and all of its bindings take minutes. The last line of output is its path.
set -euo pipefail
cd "$(dirname "$0")/.."

version=1.0.3
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
out="$target/go-ycsb"
if [ -x "$out" ]; then echo "$out"; exit 0; fi
PATH="$PATH:/usr/local/go/bin"
if ! command -v go > /dev/null; then
    echo "go-ycsb: NOT BUILT: no go on the PATH" >&2
    exit 1
fi

build="$target/go-ycsb.build"
rm -rf "$build"
mkdir -p "$build"
cd "$build"
go mod init go-ycsb > /dev/null 2>&1
go get "github.com/pingcap/go-ycsb@v$version" >&2
source="$(go list -m -f '{{.Dir}}' github.com/pingcap/go-ycsb)"
cp "$source"/cmd/go-ycsb/*.go .
chmod u+w ./*.go
sed -i -E '/go-ycsb\/db\//{/db\/(basic|mysql)"/!d}' main.go
go build -mod=mod -o "$out" .
echo "$out"
