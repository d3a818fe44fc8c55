#!/usr/bin/env bash
# Builds db_bench from the sources of the RocksDB version embedded in Dyno, with the library that
# cargo has built, so that the two can be compared. The last line of output is its path.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
# Link folders from the crate's builds, the newest first: RocksDB's, compiled by the crate or by
# scripts/rocksdb.sh, and Snappy's. Each set of features has a build of its own.
built=$(ls -t "$target"/release/build/librocksdb-sys-*/output 2>/dev/null || true)
linked() {
    # shellcheck disable=SC2086  # a list of files
    sed -n 's/^cargo:rustc-link-search=native=//p' ${built:-/dev/null} | while read -r folder; do
        if [ -e "$folder/$1" ]; then echo "$folder/$1"; break; fi
    done
}
lib=$(linked librocksdb.a)
snappy=$(linked libsnappy.a)
if [ -z "$lib" ] || [ -z "$snappy" ]; then
    echo "db_bench: no RocksDB under $target; run 'make build' first" >&2
    exit 1
fi
out="$target/db_bench"
if [ "$out" -nt "$lib" ]; then echo "$out"; exit 0; fi

crate=$(cargo metadata --format-version 1 --locked |
    python3 -c 'import json, sys
packages = json.load(sys.stdin)["packages"]
print(next(p["manifest_path"] for p in packages if p["name"] == "librocksdb-sys"))')
source="$(dirname "$crate")/rocksdb"
objects="$target/db_bench.objects"
mkdir -p "$objects"
flags=(-std=c++20 -O3 -DNDEBUG -DGFLAGS=gflags -DOS_LINUX -DROCKSDB_PLATFORM_POSIX
    -DROCKSDB_LIB_IO_POSIX
    -DROCKSDB_SCHED_GETCPU_PRESENT -DROCKSDB_AUXV_GETAUXVAL_PRESENT -DROCKSDB_FALLOCATE_PRESENT
    -DROCKSDB_RANGESYNC_PRESENT -DHAVE_ALIGNED_NEW -DHAVE_UINT128_EXTENSION
    -DSNAPPY=1 -DLZ4=1 -DZSTD=1 -DZLIB=1
    -msse4.2 -mpclmul -w -include cstdint "-I$source" "-I$source/include")
echo "db_bench: compiling against $lib"
for file in tools/db_bench.cc tools/db_bench_tool.cc tools/tool_hooks.cc \
    tools/simulated_hybrid_file_system.cc \
    test_util/testutil.cc test_util/transaction_test_util.cc; do
    object="$objects/$(basename "$file" .cc).o"
    [ "$object" -nt "$lib" ] || g++ "${flags[@]}" -c "$source/$file" -o "$object"
done
# The tool and the library both define one weak hook; either will do.
g++ -Wl,--allow-multiple-definition "$objects"/*.o "$lib" "$snappy" \
    -llz4 -lzstd -lz -lgflags -lpthread -ldl -o "$out"
echo "$out"
