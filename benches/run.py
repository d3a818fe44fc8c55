#!/usr/bin/env python3
"""Dyno beside its peers: every line a ratio measured in one run, in turns (A B A B ...), the median
of the pairs, with its 95 % interval where there are at least six.

Prints a table and writes it into docs/benchmarks.md between its markers. Needs the programs of
peers.py. Absolute figures belong to the machine; only the ratios are claims.
"""

import functools
import shutil
import sys
import tempfile
from pathlib import Path

import replay
import rocksdb
from dyno import NULL, dyno, file_dataset, ops
from peers import (
    IO_URING,
    LIBAIO,
    SAMPLED_S,
    SECONDS,
    bare,
    bare_reads,
    fio,
    fio_version,
    run,
    run_sampled,
    t_io_uring,
    t_io_uring_version,
    versions,
)
from table import PAIRS, QUICK_PAIRS, Table, compare, in_turns, nanoseconds

# Of lines in which less is better.
IN_NS = dict(shown=nanoseconds, at_most=True)


def null_and_nop(table, home):
    ours = lambda: ops(dyno(home, [NULL])[0])
    what = "null engine, one worker, against"
    with_fio = lambda: fio("--ioengine=null", "--size=1t")[0]
    rounds = in_turns(ours, lambda: bare("clock"), lambda: bare("requests"), with_fio)
    # The floor of the first line is the second loop, that of the last the first loop.
    for at, peer, goal, floor, margin in (
        (1, "a bare loop with two clock reads and two histogram records", 0.97, 2, 0.03),
        (2, "that loop where it makes requests", 0.97, None, 0),
        (3, f"the null engine of {fio_version()}", 4, 1, 0.1),
    ):
        table.add_rounds(f"{what} {peer}", rounds, at, goal, floor, margin=margin)
    dataset = file_dataset("file", "uring")
    file = Path(home) / "nop"
    file.write_bytes(bytes(1 << 20))
    for portion in (4, 32):
        engine = 'name = "io"\nengine = { kind = "uring", nop = true }\nworkload = "random"'
        nop = f"{engine}\ndepth = {portion}"
        dyno(home, [nop], dataset, 1)
        ours = lambda: ops(dyno(home, [nop], dataset)[0])
        rounds = in_turns(
            ours,
            lambda: bare("ring", portion, portion),
            lambda: bare("requests", portion, portion),
            # Releases after Debian's 3.33 look up a registered file for each no-op, and require
            # one.
            lambda: t_io_uring(portion, portion, "-N1", file)[0],
        )
        for at, peer, goal, floor in (
            (1, "a bare ring loop", 0.9, 2),
            (2, "that loop where it makes requests", 0.9, None),
            (3, f"{t_io_uring_version()} -N1 -t1", 0.95, 2),
        ):
            what = f"io_uring NOP, {portion} at a time, against {peer}"
            table.add_rounds(what, rounds, at, goal, floor)


def rate_and_cpu(measure):
    """IOPS, and user CPU nanoseconds per I/O of all threads and of the busiest, of what samples its
    user CPU."""
    rate, (user, busiest) = measure()
    return rate, user / rate * 1e9, busiest / rate * 1e9


def reads(table, where, home):
    """io_uring against the better of fio and t/io_uring: IOPS; and user CPU per I/O, each, with
    that of a loop which only reads in the same way, to which the worker is compared too."""
    dataset = file_dataset("file", "uring")
    data = f"{home}/dyno-data/file.0/data"
    peers = (fio_version(), t_io_uring_version())
    for depth in (1, 32, 256):
        stream = f'name = "io"\nengine = "uring"\nworkload = "random"\ndepth = {depth}'
        dyno(home, [stream], dataset, 1)

        def ours():
            rows, user = dyno(home, [stream], dataset, SAMPLED_S, by=run_sampled)
            return ops(rows), user

        def with_fio():
            where = (f"--filename={data}", "--size=256m")
            options = ("--direct=1", f"--iodepth={depth}", *where)
            return fio(*IO_URING, *options, seconds=SAMPLED_S, by=run_sampled)

        def with_t_io_uring():
            return t_io_uring(depth, min(depth, 32), data, seconds=SAMPLED_S, by=run_sampled)

        def with_bare_loop():
            return bare_reads(depth, data)

        tools = (ours, with_fio, with_t_io_uring, with_bare_loop)
        rounds = in_turns(*(functools.partial(rate_and_cpu, tool) for tool in tools))
        what = f"io_uring 4 KiB random read, depth {depth}, {where}"
        better = f"{what}, against the better of {peers[0]} and {peers[1]}"
        table.add_rounds(better, rounds, (1, 2), 1, 3, figure=0)
        for at, goal in ((1, 0.25), (2, 4)):
            line = f"{what}: user CPU per I/O, against {peers[at - 1]}"
            table.add_rounds(line, rounds, at, goal, 3, figure=1, **IN_NS)
        line = f"{what}: user CPU per I/O of the worker, against the loop that only reads"
        table.add_rounds(line, rounds, 3, 1.25, figure=2, **IN_NS)


def batching(table, where, home):
    """`batch = "cpu"` against `batch = "latency"` at depth 32: IOPS, mean latency and user CPU an
    I/O; and that user CPU against t/io_uring's, which waits for 32 completions with each call. The
    floor of user CPU is that of a loop which only reads, waiting as with `batch = "cpu"`."""
    dataset, data = file_dataset("file", "uring"), f"{home}/dyno-data/file.0/data"

    def stream(batch):
        engine = f'{{ kind = "uring", batch = "{batch}" }}'
        return f'name = "io"\nengine = {engine}\nworkload = "random"\ndepth = 32'

    def ours(batch):
        rows, sampled = dyno(home, [stream(batch)], dataset, SAMPLED_S, by=run_sampled)
        return *rate_and_cpu(lambda: (ops(rows), sampled)), float(rows[0]["service_mean_ns"])

    dyno(home, [stream("cpu")], dataset, 1)
    peer = lambda: t_io_uring(32, 32, data, seconds=SAMPLED_S, by=run_sampled)
    loop = lambda: bare_reads(32, data, 16)
    rounds = in_turns(
        lambda: ours("cpu"),
        lambda: ours("latency"),
        lambda: rate_and_cpu(peer),
        lambda: rate_and_cpu(loop),
    )
    what = f'io_uring 4 KiB random read, depth 32, {where}: batch = "cpu"'
    against = 'against "latency"'
    for line, figure, other, goal, how in (
        (f"{what}, IOPS {against}", 0, 1, 0.6, dict()),
        (f"{what}, mean latency {against}", 3, 1, 1.7, IN_NS),
        (f"{what}, user CPU an I/O {against}", 1, 1, 0.6, IN_NS),
        (f"{what}, user CPU an I/O against {t_io_uring_version()}", 1, 2, 4, IN_NS),
    ):
        floor = 3 if figure == 1 else None
        table.add_rounds(line, rounds, other, goal, floor, figure=figure, **how)


def libaio(table, where, home):
    dataset = file_dataset("file", "libaio")
    stream = 'name = "io"\nengine = "libaio"\nworkload = "random"\ndepth = 32'
    dyno(home, [stream], dataset, 1)
    data = (f"--filename={home}/dyno-data/file.0/data", "--size=256m")
    compare(
        table,
        f"libaio 4 KiB random read, depth 32, {where}, against {fio_version()}",
        1,
        lambda: ops(dyno(home, [stream], dataset)[0]),
        lambda: fio(*LIBAIO, "--direct=1", "--iodepth=32", *data)[0],
        count=QUICK_PAIRS,
        equal=True,
    )


def many_files(table, where, home):
    """One worker on 24 files against one worker on one file, of the same total size and number of
    requests in flight."""
    homes = [Path(home) / f"drive-{number}" for number in range(24)]
    alone = [Path(home) / "alone"]
    for folder in homes + alone:
        folder.mkdir()

    def measure(homes, depth, mib, seconds=SECONDS):
        shared = f"drives_per_worker = {len(homes)}"
        stream = f'name = "io"\nengine = "uring"\nworkload = "random"\ndepth = {depth}\n{shared}'
        return ops(dyno(homes, [stream], file_dataset("part", "uring", mib), seconds)[0])

    measure(homes, 4, 16, 1), measure(alone, 96, 384, 1)
    what = f"24 files from one worker against one file, 96 reads in flight, {where}"
    compare(table, what, 0.95, lambda: measure(homes, 4, 16), lambda: measure(alone, 96, 384))


def psync(table, home):
    dataset = file_dataset("cached", "psync")
    stream = 'name = "io"\nengine = "psync"\nworkload = "random"'
    dyno(home, [stream], dataset, 1)
    data = f"{home}/dyno-data/cached.0/data"
    compare(
        table,
        f"psync on a cached file, against {fio_version()}",
        1.1,
        lambda: ops(dyno(home, [stream], dataset)[0]),
        lambda: fio("--ioengine=psync", f"--filename={data}", "--size=256m", "--invalidate=0")[0],
        floor=lambda: bare("preads", data),
    )


def verify(table, disk, journals):
    """The same load with and without data verification: the cost of seals, checksums and journal.
    """
    shapes = (("uring", 32, "true"), ("psync", 1, "true"), ("psync", 1, "false"))
    for engine, depth, direct in shapes:
        stream = (
            f'name = "io"\nengine = "{engine}"\ndepth = {depth}\n'
            'workload = { kind = "random", read = 70 }'
        )
        name = f"{engine}-{direct}"
        plain = file_dataset(f"plain-{name}", engine) + f"\ndirect = {direct}"
        verified = file_dataset(f"verified-{name}", engine) + (
            f'\ndirect = {direct}\nverify = true\njournal = "{journals}"'
        )
        dyno(disk, [stream], plain, 1)
        dyno(disk, [stream], verified, 1)
        how = "disk" if direct == "true" else "cached file"
        compare(
            table,
            f"verify = true against without, {engine}, 4 KiB, 70 % reads, depth {depth}, {how}",
            0.9 if direct == "true" else 0.3,
            lambda: ops(dyno(disk, [stream], verified)[0]),
            lambda: ops(dyno(disk, [stream], plain)[0]),
        )


def telemetry(table, home):
    """The same load with the permanent meters and without: many short pairs, to detect a difference
    of a hundredth."""
    off = ["--set", "meters=none"]
    compare(
        table,
        "meters on against off, null engine, 1 s",
        0.99,
        lambda: ops(dyno(home, [NULL], seconds=1)[0]),
        lambda: ops(dyno(home, [NULL], seconds=1, options=off)[0]),
        QUICK_PAIRS,
    )
    dataset = file_dataset("watched", "psync")
    stream = 'name = "io"\nengine = "psync"\nworkload = "random"'
    dyno(home, [stream], dataset, 1)
    compare(table, "meters on against off, psync on a cached file, 1 s", 0.99,
            lambda: ops(dyno(home, [stream], dataset, 1)[0]),
            lambda: ops(dyno(home, [stream], dataset, 1, options=off)[0]), QUICK_PAIRS)


def open_loop(table, home):
    engine = 'name = "io"\nworkload = "random"\nengine = { kind = "null", latency = "20us" }'
    achieved, service = [], []
    for _ in range(PAIRS):
        closed = dyno(home, [engine])[0]
        target = ops(closed) / 2
        rows = dyno(home, [f'{engine}\nrate = "{target:.0f}/s"'])[0]
        achieved.append(ops(rows) / target)
        service.append(float(rows[0]["service_p50_ns"]) / float(closed[0]["service_p50_ns"]))
    table.add(
        "open loop at half the maximum: achieved ÷ target", f"{target:.0f}/s", "-", 0.995, achieved
    )
    table.add("the same: median service time ÷ closed loop's", "-", "-", 1.1, service, at_most=True)


def replayed(table, home):
    """A trace against random reads that arrive as often, by user CPU an op; and Dyno's replay of an
    iolog against fio's, by the mean error of a request's time."""
    engine = 'name = "io"\nengine = "null"\ndepth = 64'
    workload = '{ kind = "trace", scale = 10 }'
    rounds = []
    for _ in range(PAIRS):
        pair = []
        trace = f"{engine}\nworkload = {workload}"
        rows, user = dyno(home, [trace], seconds=60)
        done = sum(float(row["ops"]) for row in rows)
        pair.append(user / done * 1e9)
        rate = f'rate = "{ops(rows):.0f}/s"\narrival = "poisson"'
        random = f'{engine}\nworkload = {{ kind = "random", read = 70 }}\n{rate}'
        rows, user = dyno(home, [random], seconds=6)
        pair.append(user / sum(float(row["ops"]) for row in rows) * 1e9)
        rounds.append(pair)
    what = "trace, null engine, 20,000/s for 6 s: user CPU an op, against random"
    table.add_rounds(what, rounds, 1, 1.2, **IN_NS)
    pairs = [replay.pair() for _ in range(PAIRS)]
    what = f"replay of an iolog, 1,000/s: mean error of arrivals, against {fio_version()}"
    shown = lambda us: f"{us:.0f} µs"
    table.add_rounds(what, pairs, 1, 0.1, figure=0, shown=shown, at_most=True)


def main():
    """All lines, or those of the parts named on the command line; replaces recorded ones."""
    disk, memory = tempfile.mkdtemp(dir="."), tempfile.mkdtemp(dir="/dev/shm")
    parts = {
        "own-cost": lambda table: null_and_nop(table, memory),
        "uring-memory": lambda table: reads(table, "/dev/shm", memory),
        "uring-disk": lambda table: reads(table, "disk", disk),
        "batch-memory": lambda table: batching(table, "/dev/shm", memory),
        "batch-disk": lambda table: batching(table, "disk", disk),
        "libaio-memory": lambda table: libaio(table, "/dev/shm", memory),
        "libaio-disk": lambda table: libaio(table, "disk", disk),
        "many-files": lambda table: many_files(table, "/dev/shm", memory),
        "psync": lambda table: psync(table, memory),
        "verify": lambda table: verify(table, disk, memory),
        "telemetry": lambda table: telemetry(table, memory),
        "open-loop": lambda table: open_loop(table, memory),
        "replay": lambda table: replayed(table, memory),
        "rocksdb": lambda table: rocksdb.lines(table, memory),
    }
    table = Table()
    try:
        for part in sys.argv[1:] or parts:
            parts[part](table)
    finally:
        shutil.rmtree(disk), shutil.rmtree(memory)
    print("\n".join(versions()))
    table.record("ratios", f"runs of {SECONDS} s")


if __name__ == "__main__":
    main()
