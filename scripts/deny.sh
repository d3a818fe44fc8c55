#!/usr/bin/env bash
# Licences, bans, sources or advisories of the dependencies, by cargo-deny and deny.toml. Says SKIPPED where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
    echo "SKIPPED: $*: cargo-deny is not installed; 'cargo install cargo-deny --locked' does it" >&2
    [ "${STRICT:-}" != 1 ]
    exit
fi
cargo deny --locked --all-features check "$@"
