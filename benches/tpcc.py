#!/usr/bin/env python3
"""TPC-C without waiting, on one MariaDB server and on one PostgreSQL: what share of the server's
CPU time Dyno's own is, and, where a go-tpc is on the PATH, Dyno beside it on the same database, in
turns, both over TCP as go-tpc cannot do otherwise.

Beside Dyno's share stands that of a client that sends the same questions to the same server
(benches/dialogue.rs): what Dyno asked in a run that was recorded (benches/recorder.py), on as many
connections, from the same state of the database. It knows what to send, and looks at nothing that
it receives. The goal is a tenth above it, at each number of connections. Both are without what
connecting and preparing statements cost.

Prints tables and writes them into docs/benchmarks.md between their own markers. "mariadb" or
"postgres" on the command line measures that alone. Needs mariadbd or PostgreSQL. Absolute figures
belong to the machine; only the ratios are claims.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from databases import CPU, Server, one_point, run
from peers import TARGET
from postgres import PostgreSql, programs
from recorder import Recorder
from table import PAIRS, Table, in_turns

SECONDS = int(os.environ.get("SECONDS_A_RUN", "10"))
WAREHOUSES = 2
THREADS = (1, 8, 32)
DIALOGUE = TARGET / "release/examples/dialogue"
# Of what a client takes that only sends and receives.
GOAL = 1.10
SHARE_SECONDS = 3 * SECONDS
# Recording slows a run down.
RECORDED_SECONDS = 2 * SHARE_SECONDS
# A run that connects and prepares some eighty statements a connection, and hardly more.
START_SECONDS = 0.01
# go-tpc's options for a server.
GO_TPC = {
    "mysql": (),
    "postgres": ("-d", "postgres", "-U", "postgres", "--conn-params", "sslmode=disable"),
}


def load(server, folder, threads, seconds=SECONDS, tcp=False, socket=None):
    """New-Orders of a run, its CPU seconds and the server's."""
    workload = f'{{ kind = "tpcc", warehouses = {WAREHOUSES}, timing = "no-wait" }}'
    before = server.cpu()
    rows, cpu, _ = one_point(
        server,
        folder,
        "dyno",
        workload,
        threads,
        "",
        f"{round(seconds * 1000)}ms",
        tcp=tcp,
        socket=socket,
    )
    theirs = server.cpu() - before
    orders = sum(float(row["ops"]) for row in rows if row["class"] == "new-order")
    return dict(orders=orders, cpu=cpu, server=theirs)


def dyno(server, folder, threads):
    """New-Orders per minute over TCP, and CPU seconds per New-Order."""
    ran = load(server, folder, threads, tcp=True)
    return dict(orders=ran["orders"] * 60 / SECONDS, cpu_an_order=ran["cpu"] / ran["orders"])


def copied(source, target):
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", source, target], check=True)


class Loaded:
    """A server whose database is as loaded before each run."""

    def __init__(self, server, folder):
        self.server, self.folder, self.kept = server, folder, folder / "loaded"
        server.stop()
        copied(server.data, self.kept)
        server.start()

    def restore(self):
        self.server.stop()
        copied(self.kept, self.server.data)
        self.server.start()

    def load(self, threads, seconds, socket=None):
        self.restore()
        return load(self.server, self.folder, threads, seconds, socket=socket)

    def recorded(self, threads):
        """What each connection asks, in a file of its own."""
        folder = self.folder / "recorded"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path = folder / self.server.socket.name
        with Recorder(path, self.server.socket, folder) as recorder:
            self.load(threads, RECORDED_SECONDS, socket=path)
        # The others only prepare the run.
        return sorted(recorder.files, key=lambda file: file.stat().st_size)[-threads:]

    def replay(self, files):
        """The share of a client that asks the same, its CPU time by that of the server."""
        self.restore()
        client = subprocess.Popen(
            [DIALOGUE, str(SHARE_SECONDS), self.server.socket, *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        client.stdout.readline()
        before = self.server.cpu()
        spent_ns, _ = client.communicate("go\n")
        if client.returncode != 0:
            sys.exit("benches/tpcc.py: the recorded questions could not be asked again")
        return dict(share=int(spent_ns) / 1e9 / (self.server.cpu() - before))


def go_tpc(server, threads):
    out, cpu, _ = run(
        [
            "go-tpc",
            "tpcc",
            "run",
            "--warehouses",
            WAREHOUSES,
            "-H",
            "127.0.0.1",
            "-P",
            server.port,
            "-D",
            "dyno",
            *GO_TPC[server.engine],
            "--threads",
            threads,
            "--time",
            f"{SECONDS}s",
            "--ignore-error",
            "--silence",
        ]
    )
    took, count = re.search(
        r"\[Summary\] NEW_ORDER - Takes\(s\): ([\d.]+), Count: (\d+)", out
    ).groups()
    return dict(orders=int(count) * 60 / float(took), cpu_an_order=cpu / int(count))


def check(server, folder, fill=""):
    """All conditions, after a load and after all runs."""
    one_point(server, folder, "dyno", '"tpcc_check"', 1, fill, "10ms")


def label(server):
    """MariaDB's lines are those without a name."""
    return "" if server.engine == "mysql" else f"{server.name}, "


def add_share(table, loaded, threads):
    files = loaded.recorded(threads)
    start = loaded.load(threads, START_SECONDS)

    def dyno():
        ran = loaded.load(threads, SHARE_SECONDS)
        check(loaded.server, loaded.folder)
        return dict(share=(ran["cpu"] - start["cpu"]) / (ran["server"] - start["server"]))

    pairs = in_turns(dyno, lambda: loaded.replay(files))
    what = f"{label(loaded.server)}no-wait, {threads} threads: client CPU ÷ the server's"
    table.add_rounds(what, pairs, 1, GOAL, figure="share", shown="{:.3f}".format, at_most=True)


def add_pairs(table, server, folder, threads):
    pairs = in_turns(
        lambda: dyno(server, folder, threads), lambda: go_tpc(server, threads)
    )
    what = f"{label(server)}no-wait, {threads} threads"
    table.add_rounds(f"{what}: New-Orders per minute", pairs, 1, 1, figure="orders",
                     shown="{:.0f}".format)
    table.add_rounds(f"{what}: client CPU per New-Order", pairs, 1, 1, figure="cpu_an_order",
                     shown=CPU, at_most=True)


def measured(kind, shares, pairs):
    """Adds a server's lines; returns its name and version. `pairs`: the table of those with go-tpc,
    if it has any."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-"))
    server = kind(folder)
    try:
        check(
            server,
            folder,
            f'fill = {{ kind = "tpcc_load", warehouses = {WAREHOUSES}, threads = 2 }}',
        )
        loaded = Loaded(server, folder)
        for threads in THREADS:
            add_share(shares, loaded, threads)
        loaded.restore()
        for threads in THREADS if pairs else ():
            add_pairs(pairs, server, folder, threads)
        check(server, folder)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return f"{server.name} {server.version}"


def main():
    there = {
        "mariadb": Server if shutil.which("mariadbd") else None,
        "postgres": PostgreSql if programs() else None,
    }
    asked = sys.argv[1:] or list(there)
    kinds = [there[name] for name in asked if there[name]]
    if not kinds:
        sys.exit("benches/tpcc.py: NOT RUN, nothing measured: neither MariaDB nor PostgreSQL")
    for name in (name for name in asked if not there[name]):
        print(f"no {name}: NOT MEASURED; its lines are those of an earlier run")
    if not shutil.which("go-tpc"):
        print("no go-tpc on the PATH: NOT PAIRED with it; its lines are those of an earlier run")
    shares = Table("The least client", floors=False)
    pairs = Table("go-tpc", floors=False) if shutil.which("go-tpc") else None
    versions = ", ".join(measured(kind, shares, pairs) for kind in kinds)
    versions = f"{versions}, {WAREHOUSES} warehouses"
    facts = "runs of %s s; all conditions hold afterwards"
    shares.record("tpcc", f"{versions}; {facts % SHARE_SECONDS}")
    if pairs:
        version = re.search(r"Release version: (\S+)", run(["go-tpc", "version"])[0])[1]
        pairs.record("go-tpc", f"go-tpc {version}, {versions}; {facts % SECONDS}")


if __name__ == "__main__":
    main()
