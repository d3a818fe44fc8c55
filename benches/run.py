#!/usr/bin/env python3
"""Dyno beside its peers: every line a ratio measured in one run, in turns (A B A B ...), the median
of the pairs.

Prints a table and writes it into docs/benchmarks.md between its markers. Needs fio and the db_bench
that scripts/db_bench.sh builds. Absolute figures belong to the machine; only the ratios are claims.
"""

import csv
import io
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
DYNO = TARGET / "release/dyno"
DB_BENCH = TARGET / "db_bench"
PAIRS = int(os.environ.get("PAIRS", "5"))
QUICK_PAIRS = 4 * PAIRS
SECONDS = int(os.environ.get("SECONDS_A_RUN", "3"))
IO_URING = ("--ioengine=io_uring", "--registerfiles", "--fixedbufs")
LIBAIO = ("--ioengine=libaio",)
DB = dict(keys=400_000, key=20, value=400, cache=1 << 30)


def run(command, **kwargs):
    """Runs a command; its output and its user CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def file_dataset(name, engine):
    """A filled file of 256 MiB."""
    fill = '{ kind = "sequential", read = 0 }'
    return f'[dataset.{name}]\nengine = "{engine}"\nsize = "256MiB"\nfill = {fill}'


def dyno(home, streams, dataset="", seconds=SECONDS, warmup="0s", options=()):
    """One point; its rows of data and the user CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        protocol, bundle = Path(folder) / "bench.toml", Path(folder) / "bench.dyno"
        protocol.write_text(
            f'title = "Bench"\nsource = "benches/run.py"\n{dataset}\n[[step]]\nname = "bench"\n'
            f'duration = "{seconds}s"\nwarmup = "{warmup}"\n'
            + "".join(f"[[step.stream]]\n{stream}\n" for stream in streams)
        )
        _, user = run(
            [
                DYNO,
                "run",
                protocol,
                "--subject",
                f"A={home}",
                "--repeats",
                "1",
                "--bundle",
                bundle,
                *options,
            ]
        )
        rows = list(csv.DictReader(io.StringIO(run([DYNO, "export", bundle])[0])))
    return [row for row in rows if row["headline"] == "true"], user


def ops(rows):
    return sum(float(row["ops_per_s"]) for row in rows)


def fio(*options):
    """Read IOPS, reads, and user CPU seconds of a fio job."""
    out, user = run(
        [
            "fio",
            "--name=b",
            "--bs=4k",
            "--rw=randread",
            "--time_based",
            f"--runtime={SECONDS}",
            "--norandommap",
            "--randrepeat=0",
            "--output-format=json",
            *options,
        ]
    )
    read = json.loads(out[out.index("{"):])["jobs"][0]["read"]
    return read["iops"], read["total_ios"], user


def db_bench(folder, benchmark, threads):
    out, _ = run(
        [
            DB_BENCH,
            f"--db={folder}",
            f"--benchmarks={benchmark}",
            "--use_existing_db=1",
            f"--num={DB['keys']}",
            f"--key_size={DB['key']}",
            f"--value_size={DB['value']}",
            f"--cache_size={DB['cache']}",
            "--compression_type=none",
            f"--threads={threads}",
            f"--duration={SECONDS}",
            "--histogram=1",
            "--open_files=-1",
            "--benchmark_write_rate_limit=5000000",
        ]
    )
    line = next(l for l in out.splitlines() if l.startswith(benchmark) and "ops/sec" in l)
    return float(line.split("ops/sec")[0].split()[-1])


def in_turns(ours, theirs, count=PAIRS):
    """Pairs of (ours, theirs), alternating which goes first."""
    pairs = []
    for i in range(count):
        first, second = (ours, theirs) if i % 2 == 0 else (theirs, ours)
        a, b = first(), second()
        pairs.append((a, b) if i % 2 == 0 else (b, a))
    return pairs


class Table:
    def __init__(self):
        self.rows = []

    def add(self, what, ours, theirs, goal, ratios, at_most=False):
        ratio = statistics.median(ratios)
        met = ratio <= goal if at_most else ratio >= goal
        sign = "≤" if at_most else "≥"
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        self.rows.append(
            f"| {what} | {ours} | {theirs} | **{ratio:.2f}** | {spread} "
            f"| {sign} {goal} | {'yes' if met else 'NO'} |"
        )
        print(self.rows[-1], flush=True)


def si(value):
    return f"{value / 1e6:.2f} M/s" if value >= 1e6 else f"{value / 1e3:.1f} K/s"


def compare(table, what, goal, ours, theirs, count=PAIRS):
    pairs = in_turns(ours, theirs, count)
    medians = [statistics.median(p[i] for p in pairs) for i in (0, 1)]
    table.add(what, si(medians[0]), si(medians[1]), goal, [a / b for a, b in pairs])


def null_and_nop(table, home):
    theirs = lambda: fio("--ioengine=null", "--size=1t")[0]
    null = 'name = "io"\nengine = "null"\nworkload = "random"'
    compare(
        table,
        "null engine, one worker, against fio's null",
        7,
        lambda: ops(dyno(home, [null])[0]),
        theirs,
    )
    dataset = file_dataset("file", "uring")
    nop = 'name = "io"\nengine = { kind = "uring", nop = true }\nworkload = "random"\ndepth = 32'
    dyno(home, [nop], dataset, 1)
    compare(
        table,
        "io_uring NOP, depth 32, against fio's null",
        2,
        lambda: ops(dyno(home, [nop], dataset)[0]),
        theirs,
    )


def block(table, engine, options, where, home, cpu_goal=None):
    """An engine of blocks against fio's of the same interface: IOPS, and user CPU an I/O where it
    has a goal."""
    dataset = file_dataset("file", engine)
    stream = f'name = "io"\nengine = "{engine}"\nworkload = "random"\ndepth = 32'
    dyno(home, [stream], dataset, 1)

    def ours():
        rows, user = dyno(home, [stream], dataset)
        return ops(rows), user / float(rows[0]["ops"])

    def theirs():
        iops, ios, user = fio(*options, "--direct=1", "--iodepth=32",
                              f"--filename={home}/dyno-data/file.0/data", "--size=256m")
        return iops, user / ios

    pairs = in_turns(ours, theirs)
    rate = [statistics.median(p[i][0] for p in pairs) for i in (0, 1)]
    cpu = [statistics.median(p[i][1] for p in pairs) * 1e9 for i in (0, 1)]
    table.add(
        f"{options[0].split('=')[1]} 4 KiB random read, depth 32, {where}",
        si(rate[0]),
        si(rate[1]),
        1,
        [a[0] / b[0] for a, b in pairs],
    )
    if cpu_goal:
        table.add(
            f"the same: user CPU an I/O, {where}",
            f"{cpu[0]:.0f} ns",
            f"{cpu[1]:.0f} ns",
            cpu_goal,
            [a[1] / b[1] for a, b in pairs],
            at_most=True,
        )


def psync(table, home):
    dataset = file_dataset("cached", "psync")
    stream = 'name = "io"\nengine = "psync"\nworkload = "random"'
    dyno(home, [stream], dataset, 1)
    compare(
        table,
        "psync on a cached file",
        1.1,
        lambda: ops(dyno(home, [stream], dataset)[0]),
        lambda: fio(
            "--ioengine=psync",
            f"--filename={home}/dyno-data/cached.0/data",
            "--size=256m",
            "--invalidate=0",
        )[0],
    )


def verify(table, disk, journals):
    """The same load with data verification and without: what seals, checksums and journal cost."""
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
    """The same load with the meters that always watch, and with none: many short pairs, since a
    hundredth is looked for."""
    off, how = ["--set", "meters=none"], f"({QUICK_PAIRS} pairs of 1 s)"
    null = 'name = "io"\nengine = "null"\nworkload = "random"'
    compare(
        table,
        f"meters on against off, null engine {how}",
        0.99,
        lambda: ops(dyno(home, [null], seconds=1)[0]),
        lambda: ops(dyno(home, [null], seconds=1, options=off)[0]),
        QUICK_PAIRS,
    )
    dataset = file_dataset("watched", "psync")
    stream = 'name = "io"\nengine = "psync"\nworkload = "random"'
    dyno(home, [stream], dataset, 1)
    compare(table, f"meters on against off, psync on a cached file {how}", 0.99,
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
        service.append(float(rows[0]["p50_ns"]) / float(closed[0]["p50_ns"]))
    table.add(
        "open loop at half the maximum: achieved ÷ target", f"{target:.0f}/s", "-", 0.995, achieved
    )
    table.add("the same: median service time ÷ closed loop's", "-", "-", 1.1, service, at_most=True)


def rocksdb(table, home):
    dataset = (
        f'[dataset.db]\nengine = "rocksdb"\nkeys = {DB["keys"]}\n'
        f'key_size = {DB["key"]}\nvalue_size = {DB["value"]}\n'
        f'block_cache = {DB["cache"]}\nstatistics = false\n'
        # db_bench's defaults where they differ from RocksDB's own and concern this load.
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
    dyno(home, [readers.format(1)], dataset, 1)
    # A run that writes leaves files behind that the next one reads, so each begins with a copy of
    # the same database.
    data, kept = Path(home) / "dyno-data", Path(home) / "kept"
    data.rename(kept)

    def fresh(measure):
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(kept, data)
        return measure()

    for threads in (1, 2):
        for name, streams in [
            ("readrandom", [readers.format(threads)]),
            ("readwhilewriting", [readers.format(threads), writer]),
        ]:
            compare(table, f"RocksDB {name}, {threads} threads, cached, against db_bench", 1,
                    lambda: fresh(lambda: ops(dyno(home, streams, dataset)[0])),
                    lambda: fresh(lambda: db_bench(data / "db.0", name, threads)))


def record(begin, end, facts, head, lines):
    """Writes lines of a table into the page between its markers, in place of those of the same
    name."""
    page = Path(__file__).resolve().parent.parent / "docs/benchmarks.md"
    cpu = next(
        (l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")),
        "unknown",
    )
    before, rest = page.read_text().split(begin)
    old, after = rest.split(end)
    name = lambda row: row.split("|")[1].strip()
    rows = {
        name(row): row for row in old.splitlines() if row.startswith("| ") and name(row) != "What"
    }
    rows.update({name(row): row for row in lines})
    facts = f"{cpu}, {os.cpu_count()} processors, Linux {platform.release()}; {facts}."
    page.write_text("\n".join([before + begin, facts, "", head, *rows.values(), end + after]))


def main():
    """All lines, or those of the parts named on the command line; recorded in place of what was
    there."""
    disk, memory = tempfile.mkdtemp(dir="."), tempfile.mkdtemp(dir="/dev/shm")
    parts = {
        "own-cost": lambda table: null_and_nop(table, memory),
        "uring-memory": lambda table: block(table, "uring", IO_URING, "/dev/shm", memory, 0.25),
        "uring-disk": lambda table: block(table, "uring", IO_URING, "disk", disk, 0.25),
        "libaio-memory": lambda table: block(table, "libaio", LIBAIO, "/dev/shm", memory),
        "libaio-disk": lambda table: block(table, "libaio", LIBAIO, "disk", disk),
        "psync": lambda table: psync(table, memory),
        "verify": lambda table: verify(table, disk, memory),
        "telemetry": lambda table: telemetry(table, memory),
        "open-loop": lambda table: open_loop(table, memory),
        "rocksdb": lambda table: rocksdb(table, memory),
    }
    table = Table()
    try:
        for part in sys.argv[1:] or parts:
            parts[part](table)
    finally:
        shutil.rmtree(disk), shutil.rmtree(memory)
    head = "| What | Dyno | Peer | Ratio (median) | Range | Goal | Met |\n" + "|---" * 7 + "|"
    record("<!-- begin -->", "<!-- end -->", f"{PAIRS} pairs of {SECONDS} s", head, table.rows)


if __name__ == "__main__":
    main()
