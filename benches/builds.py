#!/usr/bin/env python3
"""Two builds of Dyno side by side: the same loads with each program, in turns, as ratios (second ÷
first). Shows whether a change costs speed.

    python3 benches/builds.py BEFORE/dyno AFTER/dyno [LOAD]...

LOAD: part of a name in the table, for example NOP; all loads without it.
"""

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import dyno as bench
import rocksdb
from table import in_turns, si

PAIRS = int(os.environ.get("PAIRS", "5"))
BOTH = (0, 1)


def rates(programs, homes, streams, dataset):
    """Pairs of ops/s, after a run of each that creates its own dataset."""
    def measure(at, seconds=bench.SECONDS):
        bench.DYNO = programs[at]
        return bench.ops(bench.dyno(homes[at], streams, dataset, seconds)[0])

    for at in BOTH:
        measure(at, seconds=1)
    return in_turns(*(lambda at=at: measure(at) for at in BOTH), count=PAIRS)


def loads():
    """The measurements: name, streams, dataset."""
    yield "null engine, one worker", [bench.NULL], ""
    shape = 'name = "io"\nengine = {}\nworkload = "random"\ndepth = {}'
    nop = '{ kind = "uring", nop = true }'
    file = lambda engine: bench.file_dataset(engine, engine)
    for depth in (4, 32):
        yield f"io_uring NOP, {depth} at a time", [shape.format(nop, depth)], file("uring")
    for depth in (1, 32, 256):
        yield f"io_uring, depth {depth}", [shape.format('"uring"', depth)], file("uring")
    yield "libaio, depth 32", [shape.format('"libaio"', 32)], file("libaio")
    yield "psync, cached file", [shape.format('"psync"', 1)], file("psync")
    readers, writer, database = rocksdb.streams()
    for threads in (1, 2):
        yield f"RocksDB readrandom, {threads} threads", [readers.format(threads)], database
        streams = [readers.format(threads), writer]
        yield f"RocksDB readwhilewriting, {threads} threads", streams, database


def main():
    programs = [Path(name).resolve() for name in sys.argv[1:3]]
    print("| Load | Before | Ratio of ops/s (median) | Range |")
    print("|---" * 4 + "|")
    chosen = sys.argv[3:] or [""]
    for name, streams, dataset in loads():
        if not any(part in name for part in chosen):
            continue
        homes = [tempfile.mkdtemp(dir="/dev/shm") for _ in BOTH]
        try:
            pairs = rates(programs, homes, streams, dataset)
        finally:
            for home in homes:
                shutil.rmtree(home)
        ratios = [after / before for before, after in pairs]
        before = si(statistics.median(before for before, _ in pairs))
        ratio, spread = statistics.median(ratios), f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"| {name} | {before} | **{ratio:.2f}** | {spread} |", flush=True)


if __name__ == "__main__":
    main()
