#!/usr/bin/env python3
"""Dyno beside go-ycsb on one MariaDB server: YCSB's workloads A to F on the same number of records
and threads, both over TCP as go-ycsb cannot do otherwise, in turns (A B B A ...).

Each run begins with the records that were loaded. Prints a table and writes it into
docs/benchmarks.md between its own markers; workloads may be named on the command line ("a"), and
then only their lines are replaced. Needs mariadbd and go-ycsb (scripts/go_ycsb.sh). Absolute
figures belong to the machine; only the ratios are claims.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from databases import CPU, SECONDS, TPS, Server, one_point, run
from peers import TARGET
from table import PAIRS, Table, in_turns

GO_YCSB = TARGET / "go-ycsb"
RECORDS, THREADS = 50_000, 8
# The knobs of `ycsb_sql`, and the properties of CoreWorkload.
MIXES = {
    "a": ("update = 50", dict(read=0.5, update=0.5)),
    "b": ("update = 5", dict(read=0.95, update=0.05)),
    "c": ("update = 0", dict(read=1)),
    "d": ('insert = 5, distribution = "latest"', dict(read=0.95, insert=0.05)),
    "e": ("scan = 95, insert = 5", dict(scan=0.95, insert=0.05)),
    "f": ("modify = 50", dict(read=0.5, readmodifywrite=0.5)),
}
KINDS = ("read", "update", "insert", "scan", "readmodifywrite")


def go_ycsb(server, command, properties):
    """Seconds that the workers ran, and CPU seconds."""
    properties = {
        "workload": "core",
        "recordcount": RECORDS,
        "threadcount": THREADS,
        "mysql.host": "127.0.0.1",
        "mysql.port": server.port,
        "mysql.user": "root",
        "mysql.db": "goycsb",
        **properties,
    }
    options = [part for name, value in properties.items() for part in ("-p", f"{name}={value}")]
    out, cpu, _ = run([GO_YCSB, command, "mysql", *options])
    if "ERROR" in out:
        sys.exit(f"go-ycsb reported errors:\n{out}")
    took = re.search(r"Run finished, takes (?:(\d+)m)?([\d.]+)(ms|s)", out)
    minutes, number, unit = took.groups()
    seconds = float(number) * (1e-3 if unit == "ms" else 1)
    return seconds + 60 * int(minutes or 0), cpu


def keep(server, database):
    """A copy of the loaded table."""
    server.sql(
        f"USE {database}; CREATE TABLE kept LIKE usertable; "
        "INSERT INTO kept SELECT * FROM usertable"
    )


def fresh(server, database):
    """The table as it was loaded."""
    server.sql(
        f"USE {database}; DROP TABLE usertable; CREATE TABLE usertable LIKE kept; "
        "INSERT INTO usertable SELECT * FROM kept"
    )


def dyno(server, folder, knobs, fill="", seconds=SECONDS):
    workload = f'{{ kind = "ycsb_sql", records = {RECORDS}, {knobs} }}'
    rows, cpu, _ = one_point(
        server, folder, "dyno", workload, THREADS, fill, f"{seconds}s", tcp=True
    )
    ops = sum(float(row["ops"]) for row in rows)
    return dict(tps=sum(float(row["ops_per_s"]) for row in rows), cpu=cpu / ops)


def theirs(server, shares, distribution, ops):
    properties = {f"{kind}proportion": shares.get(kind, 0) for kind in KINDS}
    properties |= dict(
        requestdistribution=distribution, maxscanlength=100, operationcount=round(ops)
    )
    seconds, cpu = go_ycsb(server, "run", properties)
    return dict(tps=ops / seconds, cpu=cpu / ops)


def add_lines(table, server, folder, name):
    knobs, shares = MIXES[name]
    distribution = "latest" if "latest" in knobs else "zipfian"

    def ours():
        fresh(server, "dyno")
        return dyno(server, folder, knobs)

    # go-ycsb counts ops and not seconds: as many as it does in the same time.
    fresh(server, "goycsb")
    trial = 4_000
    rate = theirs(server, shares, distribution, trial)["tps"]

    def peer():
        fresh(server, "goycsb")
        return theirs(server, shares, distribution, rate * SECONDS)

    pairs = in_turns(ours, peer)
    what = f"workload {name.upper()}, {THREADS} threads"
    table.add_rounds(f"{what}: ops/s", pairs, 1, 1, figure="tps", shown=TPS)
    table.add_rounds(f"{what}: client CPU per op", pairs, 1, 1, figure="cpu", shown=CPU,
                     at_most=True)


def main():
    for needed in ("mariadbd", "mariadb-install-db", str(GO_YCSB)):
        if not shutil.which(needed):
            print(f"benches/ycsb.py: NOT RUN, nothing measured: no {needed}")
            return
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-"))
    server = Server(folder)
    try:
        server.sql("CREATE DATABASE goycsb")
        fill = f'fill = {{ kind = "ycsb_sql_load", records = {RECORDS}, threads = 2 }}'
        dyno(server, folder, "update = 0", fill, seconds=1)
        go_ycsb(server, "load", {"operationcount": RECORDS})
        keep(server, "dyno"), keep(server, "goycsb")
        table = Table("go-ycsb", floors=False)
        facts = f"MariaDB {server.version}, go-ycsb 1.0.3, {RECORDS:,} records; runs of {SECONDS} s"
        for name in sys.argv[1:] or MIXES:
            add_lines(table, server, folder, name)
            table.record("go-ycsb", facts)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
