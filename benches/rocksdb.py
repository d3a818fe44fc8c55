"""RocksDB: Dyno beside db_bench, with the same version, options and database, both at once."""

import shutil
from pathlib import Path

from at_once import at_once
from dyno import dyno, ops
from peers import DB, DB_BENCH, MIXGRAPH, SECONDS, db_bench, run
from table import PAIRS, QUICK_PAIRS


def streams():
    """Readers (number of threads left open), a writer at 5 MB/s, and their database."""
    dataset = (
        f'[dataset.db]\nengine = "rocksdb"\nkeys = {DB["keys"]}\n'
        f'key_size = {DB["key"]}\nvalue_size = {DB["value"]}\n'
        f'block_cache = {DB["cache"]}\nstatistics = false\n'
        # db_bench's defaults that differ from RocksDB's and affect this load.
        'options = { compression = "kNoCompression", '
        'enable_pipelined_write = true, delayed_write_rate = 8388608, '
        'level_compaction_dynamic_level_bytes = false, table_cache_numshardbits = 4 }\n'
        'fill = { kind = "filluniquerandom" }'
    )
    readers = 'name = "readers"\nengine = "rocksdb"\nworkload = "readrandom"\nthreads = {}'
    writer = (
        'name = "writer"\nengine = "rocksdb"\nworkload = "overwrite"\n'
        'headline = false\nrate = "5MB/s"\narrival = "refill"'
    )
    return readers, writer, dataset


def loads(threads):
    """db_bench's name and options of each, with Dyno's streams and dataset."""
    readers, writer, dataset = streams()
    readers = readers.format(threads)
    yield "readrandom", (), [readers], dataset
    yield "readwhilewriting", (), [readers, writer], dataset
    stream = 'name = "io"\nengine = "rocksdb"\nworkload = "{}"\nthreads = {}'
    yield "mixgraph", MIXGRAPH, [stream.format("mixgraph", threads)], dataset
    # Both begin with an empty database.
    anew = ("--use_existing_db=0", "--benchmark_write_rate_limit=0")
    unfilled = dataset[: dataset.index("fill = ")]
    yield "fillrandom", anew, [stream.format("fillrandom", threads)], unfilled


def lines(table, home):
    readers, _, dataset = streams()
    dyno(home, [readers.format(1)], dataset, 1)
    ours, theirs, kept = (Path(home) / name for name in ("dyno-data", "db_bench-data", "kept"))
    ours.rename(kept)

    def prepare(folder, name):
        """The database at the start of a run: what a run writes, the next one would read."""
        shutil.rmtree(folder, ignore_errors=True)
        if name != "fillrandom":
            shutil.copytree(kept, folder)
            return
        # Without a file: one more, and a compaction begins earlier.
        folder.mkdir()
        run([DB_BENCH, f"--db={folder}/db.0", "--benchmarks=stats", "--use_existing_db=0"])

    # Time in which only one of them runs, at the start and at the end, is to be little.
    seconds = 4 * SECONDS
    for threads in (1, 2):
        for name, options, load, dataset in loads(threads):
            def by_dyno(by):
                return ops(dyno(home, load, dataset, seconds, by=by)[0])

            def by_db_bench(by):
                return db_bench(theirs / "db.0", name, threads, options, seconds, by)

            equal = name != "mixgraph"
            rounds = []
            for _ in range(QUICK_PAIRS if equal else PAIRS):
                prepare(ours, name), prepare(theirs, name)
                rounds.append(at_once(threads, by_dyno, by_db_bench))
            processors = "one processor" if threads == 1 else f"{threads} processors"
            what = f"RocksDB {name}, {threads} thread{'s' * (threads > 1)}, cached, at once on"
            table.add_rounds(f"{what} {processors}, against db_bench", rounds, 1, 1, equal=equal)
