#!/usr/bin/env python3
"""TPC-C without waiting, on one MariaDB server and on one PostgreSQL: what share of the server's
CPU time Dyno's own is, and, where a go-tpc is on the PATH, Dyno beside it on the same MariaDB
database, in turns, both over TCP as go-tpc cannot do otherwise.

Beside Dyno's share stands that of a client which does nothing but send 64 bytes and wait for as
many (benches/bare.rs), as often as Dyno waits and for as long: below it no client comes that waits
for its answers. The goal is a tenth above it, at each number of connections.

Prints tables and writes them into docs/benchmarks.md between their own markers. "mariadb" or
"postgres" on the command line measures that alone. Needs mariadbd or PostgreSQL.
Absolute figures belong to the machine; only the ratios are claims.
"""

import os
import re
import resource
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from databases import Server, one_point, run
from peers import bare
from postgres import PostgreSql, programs
from run import PAIRS, in_turns, record

SECONDS = int(os.environ.get("SECONDS_A_RUN", "10"))
WAREHOUSES = 2
THREADS = (1, 8, 32)
# Of what a client takes that only sends and waits.
GOAL = 1.10
# To connect and to prepare some eighty statements a connection costs what is no part of a
# transaction: it is to be a small part of a run.
SHARE_SECONDS = 3 * SECONDS


def dyno(server, folder, threads, seconds=SECONDS, tcp=False):
    """Its New-Orders per minute, its CPU seconds per second and the server's."""
    workload = f'{{ kind = "tpcc", warehouses = {WAREHOUSES}, timing = "no-wait" }}'
    before, waited = server.cpu(), waits()
    rows, cpu, _ = one_point(server, folder, "dyno", workload, threads, "", f"{seconds}s", tcp=tcp)
    theirs, waited = server.cpu() - before, waits() - waited
    orders = sum(float(row["ops"]) for row in rows if row["class"] == "new-order")
    return dict(
        orders=orders * 60 / seconds,
        cpu=cpu / seconds,
        server=theirs / seconds,
        waits=waited / seconds,
        cpu_an_order=cpu / orders,
    )


def waits():
    """Number of voluntary context switches of ended programs: of Dyno's workers, and some hundred
    per second of its observing threads."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw


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


def share_line(server, folder, threads):
    runs = [dyno(server, folder, threads, SHARE_SECONDS) for _ in range(PAIRS)]
    shares = [one["cpu"] / one["server"] for one in runs]
    orders, cpu, servers = (
        statistics.median(one[key] for one in runs) for key in ("orders", "cpu", "server")
    )
    share = statistics.median(shares)
    waited = statistics.median(one["waits"] for one in runs)
    a_wait_s = bare("answers", round(servers / waited * 1e9), threads) / 1e9
    least = waited * a_wait_s / servers
    goal = GOAL * least
    return (
        f"| {label(server)}no-wait, {threads} threads | {orders:.0f} | {cpu:.3f} | {servers:.3f} "
        f"| {least:.3f} | **{share:.3f}** | {min(shares):.3f} to {max(shares):.3f} "
        f"| ≤ {goal:.3f} | {'yes' if share <= goal else 'NO'} |"
    )


def pair_lines(server, folder, threads):
    pairs = in_turns(
        lambda: dyno(server, folder, threads, tcp=True), lambda: go_tpc(server, threads)
    )
    lines = []
    for key, what, unit, at_least in (
        ("orders", "New-Orders per minute", "{:.0f}", True),
        ("cpu_an_order", "client CPU per New-Order", "{:.6f} s", False),
    ):
        ratios = [ours[key] / theirs[key] for ours, theirs in pairs]
        ratio = statistics.median(ratios)
        ours, theirs = (
            unit.format(statistics.median(pair[i][key] for pair in pairs)) for i in (0, 1)
        )
        met = ratio >= 1 if at_least else ratio <= 1
        lines.append(
            f"| no-wait, {threads} threads: {what} | {ours} | {theirs} | **{ratio:.2f}** | "
            f"{min(ratios):.2f} to {max(ratios):.2f} | {'≥' if at_least else '≤'} 1 "
            f"| {'yes' if met else 'NO'} |"
        )
    return lines


def measured(kind, pair):
    """A server's own lines, the lines of pairs with go-tpc, and the server's name and version."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-"))
    server = kind(folder)
    pairs = []
    try:
        check(
            server,
            folder,
            f'fill = {{ kind = "tpcc_load", warehouses = {WAREHOUSES}, threads = 2 }}',
        )
        shares = [share_line(server, folder, threads) for threads in THREADS]
        if pair:
            pairs = [line for threads in THREADS for line in pair_lines(server, folder, threads)]
        check(server, folder)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return shares, pairs, f"{server.name} {server.version}"


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
    go = shutil.which("go-tpc")
    results = [measured(kind, go and kind is Server) for kind in kinds]
    shares = [line for lines, _, _ in results for line in lines]
    pairs = [line for _, lines, _ in results for line in lines]
    versions = ", ".join(version for _, _, version in results)
    print("\n".join(shares + pairs))
    facts = f"{versions}, {WAREHOUSES} warehouses; {PAIRS} %s s; all conditions hold afterwards"
    head = (
        "| What | New-Orders per minute | Dyno's CPU s per second | the server's "
        "| A client that only sends and waits | Ratio (median) | Range | Goal | Met |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    record(
        "<!-- tpcc begin -->", "<!-- tpcc end -->", facts % f"runs of {SHARE_SECONDS}", head, shares
    )
    if pairs:
        head = "| What | Dyno | go-tpc | Ratio (median) | Range | Goal | Met |\n" + "|---" * 7 + "|"
        version = re.search(r"Release version: (\S+)", run(["go-tpc", "version"])[0])[1]
        record(
            "<!-- go-tpc begin -->",
            "<!-- go-tpc end -->",
            f"go-tpc {version}, {facts % f'pairs of {SECONDS}'}",
            head,
            pairs,
        )


if __name__ == "__main__":
    main()
