#!/usr/bin/env bash
# Compiles the RocksDB of the crate librocksdb-sys in a quarter of the crate's own processor time:
# the crate's sources with its definitions, but 58 files per compilation, because neighbouring files
# include the same headers (docs/building.md). The library is stored in the target folder, by
# version and by this script's checksum; its folder, for ROCKSDB_LIB_DIR, is the last line of
# output.
#
#   scripts/rocksdb.sh             compiles it unless it exists
#   scripts/rocksdb.sh --folder    only prints the folder
#
# Prints nothing if RUSTFLAGS selects a processor: the crate then compiles RocksDB for it.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${RUSTFLAGS:-}${CARGO_ENCODED_RUSTFLAGS:-}" in *target-cpu*) exit 0 ;; esac
version=$(grep -A 1 '^name = "librocksdb-sys"' Cargo.lock | sed -n 's/^version = "\(.*\)"/\1/p')
key=$({ grep -v '^ *#' scripts/rocksdb.sh; echo "${CXX:-} ${CXXFLAGS:-}"; } | sha256sum)
folder="$(realpath -m "${CARGO_TARGET_DIR:-target}")/rocksdb/$version-${key:0:12}"
if [ "${1:-}" = --folder ] || [ -e "$folder/librocksdb.a" ]; then echo "$folder"; exit 0; fi

metadata=$(cargo metadata --format-version 1 --locked \
    --filter-platform "$(rustc -vV | sed -n 's/^host: //p')")
# The folder with a crate's sources, unpacked by cargo.
crate() {
    dirname "$(python3 -c 'import json, sys
packages = json.load(sys.stdin)["packages"]
print(next(p["manifest_path"] for p in packages if p["name"] == sys.argv[1]))
' "$1" <<<"$metadata")"
}
sys=$(crate librocksdb-sys)
# Clang takes 0.85 of g++'s time. scripts/setup.sh installs it for bindgen.
cxx="${CXX:-$(command -v clang++ || echo c++)}"
# zlib's headers are the system's if available, as in the crate.
flags=(-O2 -std=c++20 -fPIC -ffunction-sections -fdata-sections -w -include cstdint
    -I"$sys" -I"$sys/rocksdb" -I"$sys/rocksdb/include" -I"$sys/snappy"
    -I"$(crate lz4-sys)/liblz4/lib" -I"$(crate zstd-sys)/zstd/lib"
    -idirafter "$(crate libz-sys)/src/zlib"
    -DNDEBUG=1 -DSNAPPY=1 -DLZ4=1 -DZSTD=1 -DZLIB=1 -DHAVE_ALIGNED_NEW -DHAVE_UINT128_EXTENSION
    -DOS_LINUX -DROCKSDB_PLATFORM_POSIX -DROCKSDB_LIB_IO_POSIX -DROCKSDB_SCHED_GETCPU_PRESENT
    -DROCKSDB_AUXV_GETAUXVAL_PRESENT -DROCKSDB_FALLOCATE_PRESENT -DROCKSDB_RANGESYNC_PRESENT
    ${CXXFLAGS:-})

work="$folder.$$"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
# The crate has its own build_version.cc.
{ grep -v '^util/build_version.cc' "$sys/rocksdb_lib_sources.txt"; echo build_version.cc; } |
    sed 's/.*/#include "&"/' | split -l 58 -d --additional-suffix=.cc - "$work/group"
# A compilation takes up to 2.1 GB of memory.
memory=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 2100000))
jobs="${CARGO_BUILD_JOBS:-$(nproc)}"
[ "$jobs" -le "$memory" ] || jobs=$((memory > 0 ? memory : 1))
echo "rocksdb: compiling RocksDB ${version#*+}, $jobs compilations at a time" >&2
printf '%s\n' "$work"/group*.cc | xargs -P "$jobs" -I FILE "$cxx" "${flags[@]}" -c FILE -o FILE.o
ar rcs "$work/librocksdb.a" "$work"/*.o
rm "$work"/group*
rm -rf "$folder"
mv "$work" "$folder"
echo "$folder"
