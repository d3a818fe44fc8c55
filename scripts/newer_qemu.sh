#!/usr/bin/env bash
# Downloads a QEMU newer than this distribution's from Debian's backports, for `labs/placement
# --qemu`, without installing anything: Flexible Data Placement needs QEMU 8.1. The last line of
# output is the program's path. BACKPORTS selects another suite than bookworm-backports.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
out="$target/newer-qemu"
program="$out/usr/bin/qemu-system-x86_64"
if [ -e "$program" ]; then echo "$program"; exit 0; fi

. scripts/backports.sh
suite=${BACKPORTS:-bookworm-backports}
echo "newer QEMU: fetching Debian's of $suite" >&2
backports "$target/newer-qemu.build" "$suite"
# shellcheck disable=SC2086
apt-get $apt -qq download qemu-system-x86/$suite qemu-system-common/$suite \
    qemu-system-data/$suite seabios/$suite >&2
rm -rf "$out"
for package in *.deb; do dpkg-deb -x "$package" "$out"; done
"$program" --version >&2
echo "$program"
