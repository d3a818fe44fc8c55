#!/usr/bin/env python3
"""Dyno beside its peers: every line a ratio measured in one run, in turns (A B A B ...), the median of the pairs.

Prints a table and writes it into docs/benchmarks.md between its markers. Needs the fio and t/io_uring that FIO and
T_IO_URING name (otherwise the fio on the PATH and what scripts/t_io_uring.sh builds), the db_bench that
scripts/db_bench.sh builds, and our own bare loops (benches/bare.rs). Absolute figures belong to the machine; only the
ratios are claims.
"""
import csv
import io
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
DYNO = TARGET / "release/dyno"
BARE = TARGET / "release/examples/bare"
DB_BENCH = TARGET / "db_bench"
FIO = os.environ.get("FIO", "fio")
T_IO_URING = Path(os.environ.get("T_IO_URING", TARGET / "t_io_uring"))
PAIRS = int(os.environ.get("PAIRS", "5"))
QUICK_PAIRS = 4 * PAIRS
SECONDS = int(os.environ.get("SECONDS_A_RUN", "3"))
IO_URING = ("--ioengine=io_uring", "--registerfiles", "--fixedbufs")
LIBAIO = ("--ioengine=libaio",)
FILL = 'fill = { kind = "sequential", read = 0 }'
DB = dict(keys=400_000, key=20, value=400, cache=1 << 30)


def run(command, **kwargs):
    """Runs a command; its output and its user CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def fio_version():
    return run([FIO, "--version"])[0].strip().replace("fio-", "fio ")


def t_io_uring_version():
    """What our script has built says it; one that lies in a built source tree of fio lies beside that fio."""
    said, beside = Path(f"{T_IO_URING}.version"), T_IO_URING.parent.parent / "fio"
    if said.exists():
        return f"t/io_uring {said.read_text().strip()}"
    if beside.exists():
        return "t/io_uring " + run([beside, "--version"])[0].strip().removeprefix("fio-")
    return f"t/io_uring of {T_IO_URING} (version unknown)"


def dyno(home, streams, dataset="", seconds=SECONDS, warmup="0s", options=()):
    """One point on one drive, or on a group of several; its rows of data and the user CPU seconds."""
    homes = home if isinstance(home, list) else [home]
    with tempfile.TemporaryDirectory() as folder:
        protocol, bundle = Path(folder) / "bench.toml", Path(folder) / "bench.dyno"
        protocol.write_text(
            f'title = "Bench"\nsource = "benches/run.py"\n{dataset}\n[[step]]\nname = "bench"\n'
            f'duration = "{seconds}s"\nwarmup = "{warmup}"\n'
            + "".join(f"[[step.stream]]\n{stream}\n" for stream in streams)
        )
        drives = ", ".join(f'{{ path = "{Path(one).resolve()}" }}' for one in homes)
        plan = Path(folder) / "plan.toml"
        plan.write_text(f'protocol = "./bench.toml"\nrepeats = 1\n[[subject]]\nname = "A"\ndrives = [{drives}]\n')
        _, user = run([DYNO, "run", plan, "--bundle", bundle, *options])
        rows = list(csv.DictReader(io.StringIO(run([DYNO, "export", bundle])[0])))
    return [row for row in rows if row["headline"] == "true"], user


def ops(rows):
    return sum(float(row["ops_per_s"]) for row in rows)


def fio(*options):
    """Read IOPS, reads, and user CPU seconds of a fio job."""
    out, user = run([FIO, "--name=b", "--bs=4k", "--rw=randread", "--time_based", f"--runtime={SECONDS}",
                     "--norandommap", "--randrepeat=0", "--output-format=json", *options])
    read = json.loads(out[out.index("{"):])["jobs"][0]["read"]
    return read["iops"], read["total_ios"], user


def t_io_uring(depth, portion, *options):
    """IOPS, reads, and user CPU seconds: the mean of the seconds that it prints."""
    out, user = run([T_IO_URING, f"-d{depth}", f"-s{portion}", f"-c{portion}", "-p0", "-X1", f"-r{SECONDS + 1}", *options])
    units = {"": 1, "K": 1e3, "M": 1e6}
    seconds = [float(n) * units[unit] for n, unit in re.findall(r"^IOPS=([\d.]+)([KM]?),", out, re.MULTILINE)]
    if not seconds:
        sys.exit(f"{T_IO_URING} printed no IOPS:\n{out}")
    return statistics.mean(seconds), statistics.mean(seconds) * (SECONDS + 1), user


def bare(*what):
    return float(run([BARE, what[0], SECONDS, *what[1:]])[0])


def db_bench(folder, benchmark, threads):
    out, _ = run([DB_BENCH, f"--db={folder}", f"--benchmarks={benchmark}", "--use_existing_db=1", f"--num={DB['keys']}",
                  f"--key_size={DB['key']}", f"--value_size={DB['value']}", f"--cache_size={DB['cache']}",
                  "--compression_type=none", f"--threads={threads}", f"--duration={SECONDS}", "--histogram=1",
                  "--open_files=-1", "--benchmark_write_rate_limit=5000000"])
    line = next(l for l in out.splitlines() if l.startswith(benchmark) and "ops/sec" in l)
    return float(line.split("ops/sec")[0].split()[-1])


def in_turns(*measures, count=PAIRS):
    """Rounds of one measurement each, in the order given; which goes first changes."""
    rounds = []
    for i in range(count):
        order = [(i + k) % len(measures) for k in range(len(measures))]
        found = {at: measures[at]() for at in order}
        rounds.append(tuple(found[at] for at in range(len(measures))))
    return rounds


class Table:
    def __init__(self):
        self.rows = []

    def add(self, what, ours, theirs, goal, ratios, at_most=False, least=0):
        ratio = statistics.median(ratios)
        met = (ratio <= goal if at_most else ratio >= goal) and min(ratios) >= least
        sign = "≤" if at_most else "≥"
        goal = f"{goal}, none below {least}" if least else goal
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        self.rows.append(f"| {what} | {ours} | {theirs} | **{ratio:.2f}** | {spread} | {sign} {goal} | {'yes' if met else 'NO'} |")
        print(self.rows[-1], flush=True)


def si(value):
    return f"{value / 1e6:.2f} M/s" if value >= 1e6 else f"{value / 1e3:.1f} K/s"


def compare(table, what, goal, ours, theirs, count=PAIRS, least=0):
    pairs = in_turns(ours, theirs, count=count)
    medians = [statistics.median(p[i] for p in pairs) for i in (0, 1)]
    table.add(what, si(medians[0]), si(medians[1]), goal, [a / b for a, b in pairs], least=least)


def null_and_nop(table, home):
    null = 'name = "io"\nengine = "null"\nworkload = "random"'
    ours = lambda: ops(dyno(home, [null])[0])
    compare(table, "null engine, one worker, against a bare loop with two clock reads and two histogram records", 0.95, ours,
            lambda: bare("clock"))
    compare(table, f"null engine, one worker, against the null engine of {fio_version()}", 4, ours,
            lambda: fio("--ioengine=null", "--size=1t")[0])
    dataset = f'[dataset.file]\nengine = "uring"\nsize = "256MiB"\n{FILL}'
    for portion, goal in ((4, 0.9), (32, 0.65)):
        nop = f'name = "io"\nengine = {{ kind = "uring", nop = true }}\nworkload = "random"\ndepth = {portion}'
        dyno(home, [nop], dataset, 1)
        ours = lambda: ops(dyno(home, [nop], dataset)[0])
        what = f"io_uring NOP, {portion} at a time, against"
        compare(table, f"{what} a bare ring loop", 0.9, ours, lambda: bare("ring", portion, portion))
        compare(table, f"{what} {t_io_uring_version()} -N1 -t1", goal, ours,
                lambda: t_io_uring(portion, portion, "-N1", "-t1")[0])


def reads(table, where, home):
    """io_uring against the better of fio and t/io_uring: IOPS, and user CPU an I/O against each."""
    dataset = f'[dataset.file]\nengine = "uring"\nsize = "256MiB"\n{FILL}'
    data = f"{home}/dyno-data/file.0/data"
    for depth in (1, 32, 256):
        stream = f'name = "io"\nengine = "uring"\nworkload = "random"\ndepth = {depth}'
        dyno(home, [stream], dataset, 1)

        def ours():
            rows, user = dyno(home, [stream], dataset)
            return ops(rows), float(rows[0]["ops"]), user
        with_fio = lambda: fio(*IO_URING, "--direct=1", f"--iodepth={depth}", f"--filename={data}", "--size=256m")
        rounds = in_turns(ours, with_fio, lambda: t_io_uring(depth, min(depth, 32), "-t1", data))
        rate = [statistics.median(r[i][0] for r in rounds) for i in range(3)]
        cost = lambda one: one[2] / one[1]
        cpu = [statistics.median(cost(r[i]) for r in rounds) * 1e9 for i in range(3)]
        what = f"io_uring 4 KiB random read, depth {depth}, {where}"
        table.add(f"{what}, against the better of {fio_version()} and {t_io_uring_version()}", si(rate[0]), si(max(rate[1:])), 1,
                  [r[0][0] / max(r[1][0], r[2][0]) for r in rounds])
        for at, peer, goal in ((1, fio_version(), 0.25), (2, t_io_uring_version(), 4)):
            table.add(f"{what}: user CPU an I/O against {peer}'s", f"{cpu[0]:.0f} ns", f"{cpu[at]:.0f} ns", goal,
                      [cost(r[0]) / cost(r[at]) for r in rounds], at_most=True)


def libaio(table, where, home):
    dataset = f'[dataset.file]\nengine = "libaio"\nsize = "256MiB"\n{FILL}'
    stream = 'name = "io"\nengine = "libaio"\nworkload = "random"\ndepth = 32'
    dyno(home, [stream], dataset, 1)
    theirs = lambda: fio(*LIBAIO, "--direct=1", "--iodepth=32", f"--filename={home}/dyno-data/file.0/data", "--size=256m")[0]
    compare(table, f"libaio 4 KiB random read, depth 32, {where}, against {fio_version()}'s", 1,
            lambda: ops(dyno(home, [stream], dataset)[0]), theirs)


def many_files(table, where, home):
    """One worker on 24 files against one worker on one file, as large and with as many requests in flight in all."""
    homes = [Path(home) / f"drive-{i}" for i in range(24)]
    one = Path(home) / "alone"
    for folder in [*homes, one]:
        folder.mkdir()

    def measure(homes, depth, size):
        dataset = f'[dataset.file]\nengine = "uring"\nsize = "{size}MiB"\n{FILL}'
        shared = f"drives_per_worker = {len(homes)}"
        stream = f'name = "io"\nengine = "uring"\nworkload = "random"\ndepth = {depth}\n{shared}'
        return lambda seconds=SECONDS: ops(dyno(homes, [stream], dataset, seconds)[0])
    many, alone = measure(homes, 4, 16), measure([one], 96, 384)
    many(1), alone(1)
    compare(table, f"24 files from one worker against one file, 96 reads in flight, {where}", 0.95, many, alone)


def psync(table, home):
    dataset = '[dataset.cached]\nengine = "psync"\nsize = "256MiB"\nfill = { kind = "sequential", read = 0 }'
    stream = 'name = "io"\nengine = "psync"\nworkload = "random"'
    dyno(home, [stream], dataset, 1)
    compare(table, f"psync on a cached file, against {fio_version()}", 1.1, lambda: ops(dyno(home, [stream], dataset)[0]),
            lambda: fio("--ioengine=psync", f"--filename={home}/dyno-data/cached.0/data", "--size=256m", "--invalidate=0")[0])


def telemetry(table, home):
    """The same load with the meters that always watch, and with none: many short pairs, since a hundredth is looked for."""
    off, how = ["--set", "meters=none"], f"({QUICK_PAIRS} pairs of 1 s)"
    null = 'name = "io"\nengine = "null"\nworkload = "random"'
    compare(table, f"meters on against off, null engine {how}", 0.99, lambda: ops(dyno(home, [null], seconds=1)[0]),
            lambda: ops(dyno(home, [null], seconds=1, options=off)[0]), QUICK_PAIRS)
    dataset = '[dataset.watched]\nengine = "psync"\nsize = "256MiB"\nfill = { kind = "sequential", read = 0 }'
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
    table.add("open loop at half the maximum: achieved ÷ target", f"{target:.0f}/s", "-", 0.995, achieved)
    table.add("the same: median service time ÷ closed loop's", "-", "-", 1.1, service, at_most=True)


def rocksdb(table, home):
    dataset = (f'[dataset.db]\nengine = "rocksdb"\nkeys = {DB["keys"]}\nkey_size = {DB["key"]}\nvalue_size = {DB["value"]}\n'
               f'block_cache = {DB["cache"]}\nstatistics = false\n'
               # db_bench's defaults where they differ from RocksDB's own and concern this load.
               'options = { compression = "kNoCompression", enable_pipelined_write = true, delayed_write_rate = 8388608, '
               'level_compaction_dynamic_level_bytes = false, table_cache_numshardbits = 4 }\n'
               'fill = { kind = "filluniquerandom" }')
    readers = 'name = "readers"\nengine = "rocksdb"\nworkload = "readrandom"\nthreads = {}'
    writer = 'name = "writer"\nengine = "rocksdb"\nworkload = "overwrite"\nheadline = false\nrate = "5MB/s"\narrival = "refill"'
    dyno(home, [readers.format(1)], dataset, 1)
    # A run that writes leaves files behind that the next one reads, so each begins with a copy of the same database.
    data, kept = Path(home) / "dyno-data", Path(home) / "kept"
    data.rename(kept)

    def fresh(measure):
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(kept, data)
        return measure()

    for threads in (1, 2):
        for name, streams in [("readrandom", [readers.format(threads)]), ("readwhilewriting", [readers.format(threads), writer])]:
            compare(table, f"RocksDB {name}, {threads} threads, cached, against db_bench", 1,
                    lambda: fresh(lambda: ops(dyno(home, streams, dataset)[0])),
                    lambda: fresh(lambda: db_bench(data / "db.0", name, threads)), least=0.97)


def record(begin, end, facts, head, lines):
    """Writes lines of a table into the page between its markers, in place of those of the same name."""
    page = Path(__file__).resolve().parent.parent / "docs/benchmarks.md"
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    before, rest = page.read_text().split(begin)
    old, after = rest.split(end)
    name = lambda row: row.split("|")[1].strip()
    rows = {name(row): row for row in old.splitlines() if row.startswith("| ") and name(row) != "What"}
    rows.update({name(row): row for row in lines})
    facts = f"{cpu}, {os.cpu_count()} processors, Linux {platform.release()}; {facts}."
    page.write_text("\n".join([before + begin, facts, "", head, *rows.values(), end + after]))


def main():
    """All lines, or those of the parts named on the command line; recorded in place of what was there."""
    disk, memory = tempfile.mkdtemp(dir="."), tempfile.mkdtemp(dir="/dev/shm")
    parts = {
        "own-cost": lambda table: null_and_nop(table, memory),
        "uring-memory": lambda table: reads(table, "/dev/shm", memory),
        "uring-disk": lambda table: reads(table, "disk", disk),
        "libaio-memory": lambda table: libaio(table, "/dev/shm", memory),
        "libaio-disk": lambda table: libaio(table, "disk", disk),
        "many-files": lambda table: many_files(table, "/dev/shm", memory),
        "psync": lambda table: psync(table, memory),
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
    head = "| What | Dyno | Peer | Ratio (median) | Range | Goal | Met |\n|---|---|---|---|---|---|---|"
    record("<!-- begin -->", "<!-- end -->", f"{PAIRS} pairs of {SECONDS} s", head, table.rows)


if __name__ == "__main__":
    main()
