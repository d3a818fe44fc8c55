#!/usr/bin/env bash
# Downloads a kernel newer than this distribution's from Debian's backports, for `labs/commands
# --newer-kernel`, without installing anything: hybrid polling needs Linux 6.13. The last line of
# output is its path. NEWER_KERNEL selects your own kernel, with NVMe built in. BACKPORTS selects
# another suite than trixie-backports.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
out="$target/newer-kernel"
if [ -e "$out" ]; then echo "$out"; exit 0; fi

. scripts/backports.sh
echo "newer kernel: fetching Debian's cloud kernel of ${BACKPORTS:-trixie-backports}" >&2
backports "$target/newer-kernel.build" "${BACKPORTS:-trixie-backports}"
# From Linux 7 on, the image has a separate package.
names='^linux-(binary|image)-[0-9.]+\+deb[0-9]+-cloud-amd64$'
# shellcheck disable=SC2086
package=$(apt-cache $apt search --names-only "$names" |
    sed 's/ .*//' | sort -t- -k3V,3 -k2,2r | tail -n 1)
# shellcheck disable=SC2086
apt-get $apt -qq download "$package" >&2
rm -rf root
dpkg-deb -x "$package"_*.deb root
image=$(find root -name 'vmlinuz*' -type f | head -n 1)
cp "$image" "$out"
echo "newer kernel: $package" >&2
echo "$out"
