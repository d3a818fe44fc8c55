#!/usr/bin/env python3
"""Holds Dyno against fio and db_bench on this machine, side by side.

Each comparison is a ratio measured in one run: the two tools take turns, PAIRS times each, and the median of the
paired ratios is what counts, so that drift of the machine meets both alike. Prints a table and writes it, with the
machine, between the markers in docs/benchmarks.md. Exits 1 where a target is missed or could not be measured.
"""

import csv
import datetime
import io
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
DYNO = TARGET / "release" / "dyno"
DB_BENCH = TARGET / "db_bench"
PLANS = TOP / "benches" / "plans"
PAGE = TOP / "docs" / "benchmarks.md"
BEGIN, END = "<!-- table: written by make bench -->", "<!-- end of table -->"

PAIRS = int(os.environ.get("BENCH_PAIRS", "5"))
# One directory on a disk and one in memory; each comparison has a folder of its own, so that no two tools' files meet.
DISK = Path(os.environ.get("BENCH_DISK", TARGET / "bench"))
MEMORY = Path(os.environ.get("BENCH_MEMORY", "/dev/shm/dyno-bench"))
BUNDLES = TARGET / "bench-bundles"


def run(command, quiet=True):
    """Runs a command; its output and the user CPU seconds of its whole process tree."""
    before = os.times().children_user
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        tail = (done.stderr or done.stdout).strip()[-2000:]
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{tail}")
    return done.stdout + ("" if quiet else done.stderr), os.times().children_user - before


def dyno(plan, folder):
    """One run of a plan: its rows as dictionaries, and the user CPU seconds. Datasets that are there are reused."""
    folder.mkdir(parents=True, exist_ok=True)
    BUNDLES.mkdir(parents=True, exist_ok=True)
    bundle = BUNDLES / f"{plan}.dyno"
    bundle.unlink(missing_ok=True)
    _, user = run([DYNO, "run", PLANS / f"{plan}.toml", "--subject", f"A={folder}", "--bundle", bundle])
    text, _ = run([DYNO, "export", "--csv", bundle])
    rows = list(csv.DictReader(io.StringIO(text)))
    failed = [row["outcome"] for row in rows if row["outcome"] != "measured"]
    if failed or not rows:
        raise RuntimeError(f"plan {plan}: {failed or 'no rows'}")
    return rows, user


def rate(rows, **wanted):
    """Operations a second of the rows that match, over all their classes."""
    return sum(float(row["ops_per_s"]) for row in rows if all(row[k] == v for k, v in wanted.items()))


def fio(*options):
    """One fio job of random 4 KiB reads: IOPS and user CPU seconds for each I/O, both as fio reports them."""
    text, _ = run([
        "fio", "--name=job", "--output-format=json", "--rw=randread", "--bs=4k", "--numjobs=1", "--thread",
        "--norandommap", "--time_based", *options,
    ])
    job = json.loads(text[text.index("{"):])["jobs"][0]
    reads = job["read"]
    user = job["usr_cpu"] / 100 * job["job_runtime"] / 1000
    return reads["iops"], user / max(reads["total_ios"], 1)


def db_bench(name, folder, threads, write_rate=0):
    """db_bench's own operations a second on the database that Dyno filled, with Dyno's options."""
    text, _ = run([
        DB_BENCH, f"--benchmarks={name}", f"--db={folder}/dyno-data/db.0", "--use_existing_db=1", "--num=1000000",
        "--key_size=16", "--value_size=100", "--cache_size=33554432", "--block_size=4096",
        "--compression_type=none", "--histogram=1", "--duration=4", f"--threads={threads}",
        f"--benchmark_write_rate_limit={write_rate}",
    ])
    found = re.search(rf"^{name}\s*:.*?([\d.]+) ops/sec", text, re.MULTILINE)
    if not found:
        raise RuntimeError(f"db_bench printed no result for {name}:\n{text[-1000:]}")
    return float(found.group(1))


class Row:
    """One comparison: a ratio for each pair, and what its median should be."""

    def __init__(self, what, ours, theirs, ratios, least=None, most=None):
        self.what, self.ours, self.theirs, self.ratios = what, ours, theirs, ratios
        self.least, self.most = least, most

    def median(self):
        return statistics.median(self.ratios)

    def met(self):
        ratio = self.median()
        return (self.least is None or ratio >= self.least) and (self.most is None or ratio <= self.most)

    def target(self):
        bounds = [f"≥ {self.least:g}" if self.least is not None else "", f"≤ {self.most:g}" if self.most else ""]
        return " and ".join(bound for bound in bounds if bound)

    def cells(self):
        spread = f"{min(self.ratios):.3g} to {max(self.ratios):.3g}"
        return [self.what, self.ours, self.theirs, f"{self.median():.4g}", spread, self.target(),
                "met" if self.met() else "**missed**"]


def middle(values, unit):
    """The median of a tool's own figures, for reading; the verdict rests on the ratios."""
    value = statistics.median(values)
    if unit == "ns":
        return f"{value / 1000:.3g} µs" if value >= 1000 else f"{value:.3g} ns"
    for factor, prefix in ((1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def in_turns(ours, theirs):
    """PAIRS times ours, then theirs; both lists of results."""
    return zip(*[(ours(), theirs()) for _ in range(PAIRS)])


def compare(what, ours, theirs, unit, least):
    mine, peers = in_turns(ours, theirs)
    ratios = [m / p for m, p in zip(mine, peers)]
    return [Row(what, middle(mine, unit), middle(peers, unit), ratios, least=least)]


def null_against_fio():
    fio_null = lambda: fio("--ioengine=null", "--size=100g", "--runtime=3")[0]
    rows = compare("null engine, 1 worker, against fio null",
                   lambda: rate(dyno("null", MEMORY / "null")[0]), fio_null, "IOPS", 7)
    rows += compare("io_uring NOPs, depth 32, against fio null",
                    lambda: rate(dyno("nop", MEMORY / "nop")[0]), fio_null, "IOPS", 2)
    return rows


def uring_against_fio(where, folder):
    data = folder / "dyno-data" / "file.0" / "data"

    def ours():
        rows, user = dyno("uring", folder)
        return rate(rows), user / sum(int(row["ops"]) for row in rows)

    def theirs():
        return fio("--ioengine=io_uring", "--registerfiles", "--fixedbufs", "--direct=1", "--iodepth=32",
                   f"--filename={data}", "--readonly", "--runtime=4")

    dyno("uring", folder)  # The file is laid out before anything is timed.
    mine, peers = in_turns(ours, theirs)
    what = f"io_uring 4 KiB random reads, depth 32, {where}"
    iops = [[m[0] for m in mine], [p[0] for p in peers]]
    user_ns = [[m[1] * 1e9 for m in mine], [p[1] * 1e9 for p in peers]]
    pairs = list(zip(mine, peers))
    return [
        Row(f"{what}: IOPS", middle(iops[0], "IOPS"), middle(iops[1], "IOPS"), [m[0] / p[0] for m, p in pairs],
            least=1.0),
        Row(f"{what}: user CPU an I/O", middle(user_ns[0], "ns"), middle(user_ns[1], "ns"),
            [m[1] / p[1] for m, p in pairs], most=0.25),
    ]


def psync_against_fio():
    folder = MEMORY / "psync"
    dyno("psync", folder)
    theirs = lambda: fio("--ioengine=psync", f"--filename={folder}/dyno-data/file.0/data", "--readonly",
                         "--invalidate=0", "--runtime=3")[0]
    return compare("pread of a cached file", lambda: rate(dyno("psync", folder)[0]), theirs, "IOPS", 1.1)


def rocksdb_against_db_bench():
    folder = DISK / "rocksdb"
    dyno("readrandom", folder)
    turns = []
    for _ in range(PAIRS):
        rows, _ = dyno("readrandom", folder)
        turns.append({threads: (rate(rows, value=str(threads)), db_bench("readrandom", folder, threads))
                      for threads in (1, 2)})
    found = []
    for threads in (1, 2):
        mine, peers = zip(*[turn[threads] for turn in turns])
        found.append(Row(f"RocksDB readrandom, {threads} thread{'s'[: threads - 1]}", middle(mine, "ops/s"),
                         middle(peers, "ops/s"), [m / p for m, p in zip(mine, peers)], least=1.0))
    return found + read_while_writing(folder)


def read_while_writing(folder):
    """Last, because it changes the database; the turns keep the change alike for both."""
    steps = {"limited": 2_000_000, "unlimited": 0}
    turns = []
    for _ in range(PAIRS):
        rows, _ = dyno("readwhilewriting", folder)
        turns.append({step: (rate(rows, stream="readers", step=step), db_bench("readwhilewriting", folder, 1, limit))
                      for step, limit in steps.items()})
    found = []
    for step, limit in steps.items():
        mine, peers = zip(*[turn[step] for turn in turns])
        writer = f"a writer at {limit / 1e6:g} MB/s" if limit else "an unlimited writer"
        found.append(Row(f"RocksDB readwhilewriting, 1 reader and {writer}", middle(mine, "ops/s"),
                         middle(peers, "ops/s"), [m / p for m, p in zip(mine, peers)], least=1.0))
    return found


def open_against_closed(where, folder):
    dyno("open", folder)
    kept, medians, rates, served = [], [], [], []
    for _ in range(PAIRS):
        by_value = {row["value"]: row for row in dyno("open", folder)[0]}
        closed, half = by_value["max"], by_value["50"]
        rates.append((float(half["ops_per_s"]), float(half["asked"])))
        kept.append(rates[-1][0] / rates[-1][1])
        served.append((float(half["p50_ns"]), float(closed["p50_ns"])))
        medians.append(served[-1][0] / served[-1][1])
    (achieved, asked), (half_ns, closed_ns) = zip(*rates), zip(*served)
    return [
        Row(f"open loop at half of the maximum, {where}: achieved against asked", middle(achieved, "IOPS"),
            middle(asked, "IOPS"), kept, least=0.995, most=1.005),
        Row(f"open loop at half of the maximum, {where}: median service against closed", middle(half_ns, "ns"),
            middle(closed_ns, "ns"), medians, least=0.9, most=1.1),
    ]


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    version = lambda tool: run([tool, "--version"], quiet=False)[0].strip().splitlines()[0]
    facts = [
        ("Date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("CPU", f"{cpu}, {os.cpu_count()} logical"),
        ("Kernel", platform.release()),
        ("Load average at the start", "{:.2f}".format(os.getloadavg()[0])),
        ("Dyno", version(DYNO)),
        ("fio", version("fio") if shutil.which("fio") else "not installed"),
        ("Turns", f"{PAIRS} pairs; the median of the paired ratios"),
    ]
    return "\n".join(f"- {name}: {value}" for name, value in facts)


def table(rows):
    head = ["comparison", "Dyno", "peer", "ratio", "range", "target", "verdict"]
    lines = [head, ["---"] * len(head)] + rows
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def write_page(text):
    page = PAGE.read_text()
    before, rest = page.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END, 1)[1]}")


def main():
    facts = machine()
    comparisons = [
        ("null and NOP against fio", null_against_fio),
        ("io_uring in memory", lambda: uring_against_fio("in memory", MEMORY / "uring")),
        ("io_uring on a disk", lambda: uring_against_fio("on a disk", DISK / "uring")),
        ("psync against fio", psync_against_fio),
        ("RocksDB against db_bench", rocksdb_against_db_bench),
        ("open loop in memory", lambda: open_against_closed("in memory", MEMORY / "open")),
        ("open loop on a disk", lambda: open_against_closed("on a disk", DISK / "open")),
    ]
    wanted = sys.argv[1:]
    rows, bad = [], 0
    for name, measure in comparisons:
        if wanted and not any(word in name for word in wanted):
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            found = measure()
            rows += [row.cells() for row in found]
            bad += sum(not row.met() for row in found)
        except (RuntimeError, OSError, KeyError) as error:
            print(error, file=sys.stderr)
            rows.append([name, "", "", "", "", "", "**not measured**"])
            bad += 1
    for folder in (MEMORY, DISK, BUNDLES):
        shutil.rmtree(folder, ignore_errors=True)
    text = f"{facts}\n\n{table(rows)}"
    print(text)
    if not wanted:
        write_page(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
