#!/usr/bin/env python3
"""Dyno beside sysbench on one MariaDB server: the same tables, statements and threads, in turns (A
B B A ...).

Prints a table and writes it into docs/benchmarks.md between its own markers; parts may be named on
the command line ("load", "oltp_point_select:8"), and then only their lines are replaced. Needs
mariadbd and sysbench. Absolute figures belong to the machine; only the ratios are claims.
"""

import csv
import io
import os
import pwd
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peers import free_port, output, preloaded
from table import PAIRS, Table, in_turns

DYNO = Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release/dyno"
SECONDS = int(os.environ.get("SECONDS_A_RUN", "5"))
TABLES, ROWS = 8, 50_000


def run(command, env=None):
    """Runs a command; returns its output, its CPU seconds and its wall-clock seconds."""
    def cpu():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before, started = cpu(), time.monotonic()
    out = output(command, env=env)
    return out, cpu() - before, time.monotonic() - started


class Server:
    """The benchmark's own MariaDB, on a socket and on a loopback port."""

    engine = "mysql"
    name = "MariaDB"

    def __init__(self, folder):
        self.socket = folder / "socket"
        self.port = free_port()
        self.data, self.user = folder / "data", []
        if os.geteuid() == 0:
            folder.chmod(0o755)
            account = pwd.getpwnam("mysql")
            os.chown(folder, account.pw_uid, account.pw_gid)
            self.user = ["--user=mysql"]
        run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={self.data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                *self.user,
            ]
        )
        self.version = run(["mariadbd", "--version"])[0].split("Ver ")[1].split()[0]
        self.start()
        for name in ("sysbench", "dyno"):
            self.sql(f"CREATE DATABASE {name}")

    def start(self):
        self.process = subprocess.Popen(
            [
                shutil.which("mariadbd"),
                "--no-defaults",
                f"--datadir={self.data}",
                f"--socket={self.socket}",
                "--bind-address=127.0.0.1",
                f"--port={self.port}",
                "--innodb-buffer-pool-size=512M",
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-flush-method=O_DIRECT",
                "--local-infile=1",
                "--max-prepared-stmt-count=1048576",
                *self.user,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.sql("SELECT 1")

    def sql(self, text):
        """Runs a statement, first waiting for the server to start."""
        give_up = time.monotonic() + 60
        while True:
            done = subprocess.run(
                ["mariadb", "--no-defaults", "-uroot", f"--socket={self.socket}", "-e", text],
                capture_output=True,
                text=True,
            )
            if done.returncode == 0:
                return done.stdout
            if time.monotonic() > give_up or self.process.poll() is not None:
                sys.exit(f"{text}\n{done.stderr}")
            time.sleep(0.1)

    def env(self, database, tcp=False, socket=None):
        """Its address for Dyno, perhaps by another socket that leads to its own."""
        address = (
            f"127.0.0.1:{self.port}/{database}"
            if tcp
            else f"localhost/{database}?socket={socket or self.socket}"
        )
        return {"DYNO_MYSQL_URL": f"mysql://root@{address}"}

    def cpu(self):
        """The server's CPU seconds so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def sysbench(server, script, command, threads, *options, env=None):
    return run(
        [
            "sysbench",
            script,
            "--db-driver=mysql",
            f"--mysql-socket={server.socket}",
            "--mysql-user=root",
            "--mysql-db=sysbench",
            f"--tables={TABLES}",
            f"--table-size={ROWS}",
            f"--threads={threads}",
            *options,
            command,
        ],
        env=env,
    )


def sysbench_run(server, script, threads, rate=0, env=None):
    """TPS, mean latency in ms (at a rate: including queueing time), CPU seconds per transaction."""
    options = (f"--time={SECONDS}", "--rand-type=uniform", f"--rate={rate}")
    out, cpu, _ = sysbench(server, script, "run", threads, *options, env=env)
    tps = float(re.search(r"transactions:\s+\d+\s+\(([\d.]+) per sec", out)[1])
    mean = float(re.search(r"avg:\s+([\d.]+)", out)[1])
    return dict(tps=tps, mean_ms=mean, cpu=cpu / (tps * SECONDS))


def sysbench_paced(server, library, script, threads, rate):
    """sysbench at a rate, its mean response time from when each event was due: it notes an event
    when its generator has woken up for it, and lateness.c, preloaded, tells how late that is."""
    late = library.with_suffix(".seconds")
    env = dict(os.environ, LD_PRELOAD=str(library), LATENESS=str(late))
    ran = sysbench_run(server, script, threads, rate, env)
    late_s, events = map(float, late.read_text().split())
    done = ran["tps"] * SECONDS
    if not 0.98 < events / done < 1.02:
        sys.exit(f"sysbench executed {done:.0f} events, of which {events:.0f} were seen to begin")
    return dict(ran, mean_ms=ran["mean_ms"] + late_s * 1e3)


def one_point(
    server, folder, database, workload, threads, fill, duration, pace="", tcp=False, socket=None
):
    """Runs one point, over TCP or a socket; returns its data rows, CPU seconds, wall-clock
    seconds."""
    protocol, bundle, home = folder / "bench.toml", folder / "bench.dyno", folder / "home"
    bundle.unlink(missing_ok=True)
    home.mkdir(exist_ok=True)
    protocol.write_text(f'''
title = "Bench"
[dataset.db]
engine = "{server.engine}"
server = "existing"
{fill}
[[step]]
name = "bench"
duration = "{duration}"
[[step.stream]]
name = "clients"
engine = "{server.engine}"
threads = {threads}
workload = {workload}
{pace}
''')
    env = dict(os.environ, **server.env(database, tcp, socket))
    options = ["--subject", f"A={home}", "--repeats", "1", "--output", bundle]
    _, cpu, wall = run([DYNO, "run", protocol, *options], env)
    rows = list(csv.DictReader(io.StringIO(run([DYNO, "export", bundle])[0])))
    return rows, cpu, wall


def dyno(server, folder, database, workload, threads, fill="", seconds=SECONDS, pace=""):
    """One point of sysbench's workloads: its data row, CPU seconds, wall-clock seconds."""
    kind = (
        f'{{ kind = "{workload}", tables = {TABLES}, table_size = {ROWS}, rand_type = "uniform" }}'
    )
    rows, cpu, wall = one_point(server, folder, database, kind, threads, fill, f"{seconds}s", pace)
    return rows[0], cpu, wall


def dyno_run(server, folder, workload, threads, rate=0):
    pace = f'rate = "{rate}/s"\narrival = "poisson"' if rate else ""
    row, cpu, _ = dyno(server, folder, "sysbench", workload, threads, pace=pace)
    kind = "response" if rate else "service"
    tps, mean = float(row["ops_per_s"]), float(row[f"{kind}_mean_ns"])
    return dict(tps=tps, mean_ms=mean / 1e6, cpu=cpu / (tps * SECONDS))


# How figures of a run are shown.
TPS, MEAN, CPU = "{:.0f}/s".format, "{:.3f} ms".format, "{:.6f} s".format


def load_lines(table, server, folder):
    def ours():
        server.sql("DROP DATABASE dyno; CREATE DATABASE dyno")
        shutil.rmtree(folder / "home", ignore_errors=True)
        fill = (
            f'fill = {{ kind = "oltp_load", tables = {TABLES}, table_size = {ROWS}, threads = 4 }}'
        )
        _, _, wall = dyno(server, folder, "dyno", "oltp_point_select", 1, fill, seconds=1)
        return wall - 1

    def theirs():
        server.sql("DROP DATABASE sysbench; CREATE DATABASE sysbench")
        return sysbench(server, "oltp_common", "prepare", 4)[2]
    table.add_rounds("loading 8 tables of 50,000 rows, 4 threads", in_turns(ours, theirs), 1, 1,
                     shown="{:.2f} s".format, at_most=True)


def oltp_lines(table, server, folder, script, threads):
    pairs = in_turns(
        lambda: dyno_run(server, folder, script, threads),
        lambda: sysbench_run(server, script, threads),
    )
    what = f"{script}, {threads} threads"
    table.add_rounds(f"{what}: TPS", pairs, 1, 1, figure="tps", shown=TPS)
    # In closed loop a client that takes less time has shorter latencies.
    table.add_rounds(f"{what}: mean latency", pairs, 1, 1.03, figure="mean_ms", shown=MEAN,
                     at_most=True)
    table.add_rounds(f"{what}: client CPU per transaction", pairs, 1, 1, figure="cpu", shown=CPU,
                     at_most=True)


def paced_lines(table, server, folder, script, threads):
    """With the same target rate for both, response time does not depend on either's TPS."""
    rate = round(sysbench_run(server, script, threads)["tps"] / 3)
    library = preloaded("lateness", folder)
    pairs = in_turns(lambda: dyno_run(server, folder, script, threads, rate),
                     lambda: sysbench_paced(server, library, script, threads, rate))
    what = f"{script}, {threads} threads, both at a third of the maximum TPS: mean response time"
    table.add_rounds(what, pairs, 1, 1.03, figure="mean_ms", shown=MEAN, at_most=True)


def fixed_lines(table, server, folder, script, threads):
    """If the server takes 20 ms to read `c`, the client's speed hardly matters: this compares the
    methods of measurement."""
    for n in range(1, TABLES + 1):
        server.sql(f"USE sysbench; RENAME TABLE sbtest{n} TO base{n}; CREATE VIEW sbtest{n} AS "
                   f"SELECT id, k, IF(SLEEP(0.02), '', c) AS c, pad FROM base{n}")
    pairs = in_turns(
        lambda: dyno_run(server, folder, script, threads),
        lambda: sysbench_run(server, script, threads),
    )
    for n in range(1, TABLES + 1):
        server.sql(f"USE sysbench; DROP VIEW sbtest{n}; RENAME TABLE base{n} TO sbtest{n}")
    what = f"{script}, {threads} threads, 20 ms in the server"
    table.add_rounds(f"{what}: TPS", pairs, 1, 1, figure="tps", shown=TPS)
    table.add_rounds(f"{what}: mean latency", pairs, 1, (0.97, 1.03), figure="mean_ms", shown=MEAN)


def main():
    for needed in ("mariadbd", "mariadb-install-db", "sysbench"):
        if not shutil.which(needed):
            sys.exit(
                f"benches/databases.py: NOT RUN, nothing measured: no {needed}; "
                "install mariadb-server and sysbench"
            )
    parts = {"load": load_lines}
    for script in ("oltp_point_select", "oltp_read_write"):
        for threads in (1, 8, 32):
            parts[f"{script}:{threads}"] = (
                lambda *where, script=script, threads=threads: oltp_lines(*where, script, threads)
            )
        parts[f"{script}:paced"] = lambda *where, script=script: paced_lines(*where, script, 8)
    for threads in (1, 8, 32):
        parts[f"fixed:{threads}"] = lambda *where, threads=threads: fixed_lines(
            *where, "oltp_point_select", threads
        )
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-"))
    server = Server(folder)
    table = Table("sysbench", floors=False)
    peer = run(["sysbench", "--version"])[0].strip()
    facts = f"MariaDB {server.version}, {peer}; runs of {SECONDS} s"
    try:
        chosen = sys.argv[1:] or list(parts)
        if chosen[0] != "load":
            sysbench(server, "oltp_common", "prepare", 4)
        for part in chosen:
            parts[part](table, server, folder)
            table.record("databases", facts)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
