#!/usr/bin/env bash
# Installs missing Debian packages, as root or through sudo; does nothing if none are missing.
#
#   scripts/setup.sh [tests] [PACKAGE …]    build dependencies, test dependencies, and others
set -euo pipefail

packages="build-essential cmake clang libclang-dev zlib1g-dev python3"
if [ "${1:-}" = tests ]; then
    shift
    packages="$packages libgflags-dev libsnappy-dev liblz4-dev libzstd-dev fio chromium qpdf
        mariadb-server postgresql sysbench nvme-cli xfsprogs btrfs-progs e2fsprogs qemu-system-x86
        busybox-static linux-image-cloud-amd64 mdadm dmsetup python3-jsonschema fio-examples man-db
        lvm2 nbd-client nbd-server bcache-tools poppler-utils libxml2-utils slurm-wlm munge
        systemd-container debootstrap python3-venv prometheus python3-prometheus-client faketime"
fi
packages="$packages $*"
missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing="$missing $package"
done

if ! command -v cargo >/dev/null; then
    echo "setup: no cargo on the PATH; install Rust's stable toolchain with rustup, try again" >&2
    exit 1
fi
[ -n "$missing" ] || exit 0

sudo=""
if [ "$(id -u)" != 0 ]; then
    sudo="sudo"
    if ! command -v sudo >/dev/null; then
        echo "setup: install these as root, then try again:$missing" >&2
        exit 1
    fi
fi
echo "setup: installing$missing"
$sudo apt-get update -q
# Database servers are started by Dyno and the tests, never by the system: dpkg consults this file
# first.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
    $sudo chmod +x "$policy"
    trap '$sudo rm -f "$policy"' EXIT
fi
# shellcheck disable=SC2086  # a list of words
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing
