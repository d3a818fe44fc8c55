#!/usr/bin/env bash
# Prints the Python of an environment with the named packages, each as NAME==VERSION; created next
# to the target folder of CI if missing.
set -euo pipefail

at="${XDG_CACHE_HOME:-$HOME/.cache}/dyno-tools/python-$(echo "$*" | cksum | cut -d ' ' -f 1)"
mkdir -p "$(dirname "$at")"
# One at a time, because tests run in parallel.
exec 9>"$at.lock"
flock 9
if [ ! -e "$at/complete" ]; then
    rm -rf "$at"
    python3 -m venv "$at"
    # Nothing is built from source except Spark, which has no other form.
    "$at/bin/pip" --quiet --disable-pip-version-check install --only-binary=:all: \
        --no-binary=pyspark "$@" >&2
    touch "$at/complete"
fi
echo "$at/bin/python"
