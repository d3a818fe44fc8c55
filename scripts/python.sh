#!/usr/bin/env bash
# Prints the Python of an environment that has the packages named, each as NAME==VERSION; made
# beside the target folder of CI where it is missing.
set -euo pipefail

at="${XDG_CACHE_HOME:-$HOME/.cache}/dyno-tools/python-$(echo "$*" | cksum | cut -d ' ' -f 1)"
mkdir -p "$(dirname "$at")"
# One at a time: tests run side by side.
exec 9>"$at.lock"
flock 9
if [ ! -e "$at/complete" ]; then
    rm -rf "$at"
    python3 -m venv "$at"
    # Nothing is built from source but Spark, which comes in no other form.
    "$at/bin/pip" --quiet --disable-pip-version-check install --only-binary=:all: \
        --no-binary=pyspark "$@" >&2
    touch "$at/complete"
fi
echo "$at/bin/python"
