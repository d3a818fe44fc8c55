"""The programs beside which Dyno is measured: how each is run, and which version it is.

FIO and T_IO_URING name a fio and a t/io_uring of one's own; otherwise it is the fio on the PATH and
what scripts/t_io_uring.sh builds.
"""

import json
import os
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
DYNO = Path(os.environ.get("DYNO") or TARGET / "release/dyno")
BARE = TARGET / "release/examples/bare"
DB_BENCH = TARGET / "db_bench"
FIO = os.environ.get("FIO", "fio")
T_IO_URING = Path(os.environ.get("T_IO_URING") or TARGET / "t_io_uring")
# Time between samples of the processor.
SAMPLE_NS = 100_000
SECONDS = int(os.environ.get("SECONDS_A_RUN", "3"))
# The time within which every program has begun its load, and the length of a load that is sampled.
STARTED_S = 2
SAMPLED_S = SECONDS + STARTED_S
IO_URING = ("--ioengine=io_uring", "--registerfiles", "--fixedbufs")
LIBAIO = ("--ioengine=libaio",)
# Versions of the programs that were run, with their paths.
USED = {}
# db_bench's mixgraph with the parameters of Cao et al., FAST 2020, section 6, as Dyno's.
MIXGRAPH = (
    "--keyrange_dist_a=14.18",
    "--keyrange_dist_b=-2.917",
    "--keyrange_dist_c=0.0164",
    "--keyrange_dist_d=-0.08082",
    "--keyrange_num=30",
    "--key_dist_a=0.002312",
    "--key_dist_b=0.3467",
    "--value_k=0.2615",
    "--value_sigma=25.45",
    "--iter_k=2.517",
    "--iter_sigma=14.236",
    "--mix_get_ratio=0.83",
    "--mix_put_ratio=0.14",
    "--mix_seek_ratio=0.03",
    "--benchmark_write_rate_limit=0",
)
DB = dict(keys=400_000, key=20, value=400, cache=1 << 30)


def free_port():
    """A loopback port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def preloaded(name, folder):
    """A recorder of this folder, built as a library for LD_PRELOAD."""
    library = Path(folder) / f"{name}.so"
    source = Path(__file__).resolve().parent / f"{name}.c"
    run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"])
    return library


def output(command, begun=lambda process: None, **kwargs):
    """Runs a command, calling `begun` with its process; returns its output."""
    command = [str(c) for c in command]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with subprocess.Popen(command, **pipes, **kwargs) as process:
        begun(process)
        out, err = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{out}{err}")
    return out


def run(command, **kwargs):
    """Runs a command; returns its output and its user CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = output(command, **kwargs)
    return out, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run_sampled(command):
    """As `run`, of a load of SAMPLED_S; instead of user CPU seconds, a pair per second of load: of
    all threads and of the busiest one, from samples SAMPLE_NS apart, without the program's start
    and end. The kernel's own count has steps of 4 ms, which coincide with the wake-ups by its
    timer: too coarse for 20 ns per I/O, and biased."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "samples"
        event = ["-e", "cpu-clock:u", "-c", SAMPLE_NS, "-o", data]
        out, _ = run(["perf", "record", "-q", *event, "--", *command])
        samples, _ = run(["perf", "script", "-i", data, "-F", "tid,time"])
    samples = [sample.rstrip(" :").split() for sample in samples.splitlines()]
    from_s = float(samples[0][1]) + STARTED_S
    until_s = from_s + SAMPLED_S - STARTED_S
    within = Counter(tid for tid, time in samples if from_s <= float(time) < until_s)
    share = SAMPLE_NS / 1e9 / (until_s - from_s)
    return out, (within.total() * share, max(within.values(), default=0) * share)


def fio_version(program=FIO):
    """Of the fio that `fio` runs, unless another is named."""
    said = run([program, "--version"])[0].strip().replace("fio-", "fio ")
    return said if program != FIO else named(said, FIO)


def named(version, program):
    """A version as it was found, noted for `versions`."""
    USED[version] = program
    return version


def versions():
    """What was compared with, and where each program is."""
    return [f"{version}: {program}" for version, program in USED.items()]


def t_io_uring_version():
    """A fio built by our script prints it; a built fio source tree contains one."""
    said, beside = Path(f"{T_IO_URING}.version"), T_IO_URING.resolve().parent.parent / "fio"
    if said.exists():
        return named(f"t/io_uring {said.read_text().strip()}", T_IO_URING)
    if beside.is_file():
        return named(fio_version(beside).replace("fio", "t/io_uring"), T_IO_URING)
    return named("t/io_uring of unknown version", T_IO_URING)


def fio(*options, seconds=SECONDS, by=run):
    """Read IOPS and user CPU of a fio job."""
    out, user = by(
        [
            FIO,
            "--name=b",
            "--bs=4k",
            "--rw=randread",
            "--time_based",
            f"--runtime={seconds}",
            "--norandommap",
            "--randrepeat=0",
            "--output-format=json",
            *options,
        ]
    )
    read = json.loads(out[out.index("{"):])["jobs"][0]["read"]
    return read["iops"], user


def t_io_uring(depth, portion, *options, seconds=SECONDS, by=run):
    """IOPS, from the rates printed each second, and user CPU."""
    seconds += 1
    batch = [f"-d{depth}", f"-s{portion}", f"-c{portion}"]
    out, user = by([T_IO_URING, *batch, "-p0", "-X1", "-t1", f"-r{seconds}", *options])
    units = {"": 1, "K": 1e3, "M": 1e6}
    found = re.findall(r"^IOPS=([\d.]+)([KM]?),", out, re.MULTILINE)
    if not found:
        sys.exit(f"{T_IO_URING} printed no IOPS:\n{out}")
    rate = statistics.mean(float(number) * units[unit] for number, unit in found)
    return rate, user


def bare(loop, *shape):
    """Ops/s of one of our reference loops (benches/bare.rs)."""
    return float(run([BARE, loop, SECONDS, *shape])[0])


def bare_reads(depth, file, *completions):
    """IOPS of the loop that only reads, and its user CPU as sampled."""
    out, user = run_sampled([BARE, "reads", SAMPLED_S, depth, file, *completions])
    return float(out), user


def db_bench(folder, benchmark, threads, options, seconds, by):
    """Ops/s of a benchmark on an existing database, unless an option says otherwise."""
    out, _ = by(
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
            f"--duration={seconds}",
            "--histogram=1",
            "--open_files=-1",
            "--benchmark_write_rate_limit=5000000",
            *options,
        ]
    )
    line = next(l for l in out.splitlines() if l.startswith(benchmark) and "ops/sec" in l)
    return float(line.split("ops/sec")[0].split()[-1])
