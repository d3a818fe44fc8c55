#!/usr/bin/env bash
# Builds fio's t/io_uring from the source package of this distribution's fio, because no package
# contains the program. The last line of output is its path. T_IO_URING selects your own t/io_uring
# for `make bench`.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
out="$target/t_io_uring"
if [ -x "$out" ]; then echo "$out"; exit 0; fi

# Separate sources and lists: the system's are not changed.
build="$target/t_io_uring.build"
mkdir -p "$build/lists/partial" "$build/sources"
shopt -s nullglob
for file in /etc/apt/sources.list.d/*.sources; do
    sed 's/^Types:.*/Types: deb-src/' "$file" > "$build/sources/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -n 's/^deb /deb-src /p' "$file" > "$build/sources/$(basename "$file" .list).list"
done
apt="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$build/sources"
apt="$apt -o Dir::State::lists=$build/lists"
echo "t/io_uring: fetching fio's source package"
cd "$build"
# shellcheck disable=SC2086
apt-get $apt -qq update >&2
# shellcheck disable=SC2086
apt-get $apt -qq source --download-only fio >&2
archive=$(ls fio_*.orig.tar.*z | head -n 1)
version="${archive#fio_}"
version="${version%.orig.tar.*}"
mkdir -p source
tar -xf "$archive" -C source --strip-components 1
cd source
echo "t/io_uring: compiling version $version"
./configure > ../log 2>&1
make t/io_uring >> ../log 2>&1
echo "$version" > "$out.version"
cp t/io_uring "$out"
echo "$out"
