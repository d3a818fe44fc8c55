#!/usr/bin/env bash
# Installs the packages of `make dist` in a Debian 11 root (glibc 2.31), and runs the program there.
#
#   scripts/dist_check.sh [DIR]       DIR: the packages, by default `packages` in the target folder
#
# Needs root, debootstrap, rpm2cpio and cpio. The root is kept beside the target folder of CI.
set -euo pipefail
cd "$(dirname "$0")/.."

packages="$(realpath "${1:-${CARGO_TARGET_DIR:-target}/packages}")"
roots="${XDG_CACHE_HOME:-$HOME/.cache}/dyno-tools/roots"
work="$(mktemp -d /var/tmp/dyno-dist-check.XXXXXX)"
root="$work/root"

unmount() {
    for place in proc sys dev; do
        mountpoint -q "$root/$place" && umount -l "$root/$place"
    done
    rm -rf --one-file-system "$work"
}
trap unmount EXIT

# This machine's Debian mirror.
mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
    grep -v security | head -n 1)"

# A bullseye root, created once.
base="$roots/bullseye-amd64"
if [ ! -e "$base/complete" ]; then
    rm -rf "$base" && mkdir -p "$roots"
    debootstrap --variant=minbase --arch=amd64 bullseye "$base" "$mirror" >"$base.log" 2>&1 ||
        { tail -n 20 "$base.log" >&2; exit 1; }
    touch "$base/complete"
fi

# A few seconds of the protocol `quick`, on two directories.
tiny() {
    local set=(--set dataset.file.size=32MiB --set dataset.db.keys=20000) step
    for step in readrandom readwhilewriting readrandomwriterandom random-read-4k random-70-30-4k; do
        set+=(--set "step.$step.duration=200ms" --set "step.$step.warmup=50ms")
    done
    echo run quick --subject A=/tmp/a --subject B=/tmp/b --same-device --repeats 1 "${set[@]}" -q
}

deb="$(ls "$packages"/dyno_*_amd64.deb)"
rpm="$(ls "$packages"/dyno-*.x86_64.rpm)"
cp -a "$base" "$root"
for place in proc sys dev; do
    mount --rbind "/$place" "$root/$place" && mount --make-rslave "$root/$place"
done
(cd "$packages" && sha256sum --quiet --check SHA256SUMS)
echo "SHA256SUMS: as they are"

cp "$deb" "$root/tmp/dyno.deb"
chroot "$root" dpkg -i /tmp/dyno.deb >"$work/dpkg.log" || { cat "$work/dpkg.log"; exit 1; }
mkdir "$root/rpm"
(cd "$root/rpm" && rpm2cpio "$rpm" | cpio -id --quiet)
for program in /usr/bin/dyno /rpm/usr/bin/dyno; do
    echo "== $program, glibc $(chroot "$root" ldd --version | sed -n '1s/.* //p')"
    chroot "$root" "$program" --version
    chroot "$root" test -s "${program%bin/dyno}share/doc/dyno/THIRD-PARTY-LICENCES.gz"
    chroot "$root" test -s "${program%bin/dyno}share/man/man1/dyno.1.gz"
    chroot "$root" rm -rf /tmp/a /tmp/b
    chroot "$root" mkdir /tmp/a /tmp/b
    # shellcheck disable=SC2046  # a list of words
    chroot "$root" "$program" $(tiny) -o /tmp/quick.dyno
    chroot "$root" "$program" show /tmp/quick.dyno >"$work/shown"
    echo "   quick: $(chroot "$root" "$program" export /tmp/quick.dyno --table points |
        tail -n +2 | wc -l) rows of points"
    rm -f "$root/tmp/quick.dyno"
done
