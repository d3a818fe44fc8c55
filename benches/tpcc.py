#!/usr/bin/env python3
"""TPC-C without waiting, on one MariaDB server: what share of the server's CPU time Dyno's own is.

Prints a table and writes it into docs/benchmarks.md between its own markers. Needs mariadbd. Absolute figures belong to the
machine; only the ratios are claims.
"""
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from databases import Server, one_point
from run import PAIRS, record

SECONDS = int(os.environ.get("SECONDS_A_RUN", "10"))
WAREHOUSES = 2
BEGIN, END = "<!-- tpcc begin -->", "<!-- tpcc end -->"
GOAL = 0.10


def server_cpu(server):
    """The server's CPU seconds so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def dyno(server, folder, fill, workload, threads, seconds):
    """One point: its rows of data, Dyno's CPU seconds and the server's."""
    before = server_cpu(server)
    rows, cpu, _ = one_point(server, folder, "dyno", workload, threads, fill, seconds)
    theirs = server_cpu(server) - before
    return rows, cpu, theirs


def line(server, folder, threads):
    workload = f'{{ kind = "tpcc", warehouses = {WAREHOUSES}, timing = "no-wait" }}'
    shares, ours, theirs, orders = [], [], [], []
    for _ in range(PAIRS):
        rows, client, servers = dyno(server, folder, "", workload, threads, f"{SECONDS}s")
        shares.append(client / servers)
        ours.append(client / SECONDS)
        theirs.append(servers / SECONDS)
        orders.append(sum(float(row["ops"]) for row in rows if row["class"] == "new-order") * 60 / SECONDS)
    share = statistics.median(shares)
    return (f"| no-wait, {threads} threads | {statistics.median(orders):.0f} | {statistics.median(ours):.3f} | "
            f"{statistics.median(theirs):.3f} | **{share:.3f}** | {min(shares):.3f} to {max(shares):.3f} | ≤ {GOAL} | "
            f"{'yes' if share <= GOAL else 'NO'} |")


def main():
    for needed in ("mariadbd", "mariadb-install-db"):
        if not shutil.which(needed):
            sys.exit(f"benches/tpcc.py: NOT RUN, nothing measured: no {needed}; install mariadb-server")
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-"))
    server = Server(folder)
    try:
        fill = f'fill = {{ kind = "tpcc_load", warehouses = {WAREHOUSES}, threads = 2 }}'
        dyno(server, folder, fill, '"tpcc_check"', 1, "10ms")
        lines = [line(server, folder, threads) for threads in (1, 8, 32)]
        dyno(server, folder, "", '"tpcc_check"', 1, "10ms")
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(lines))
    facts = (f"MariaDB {server.version}, {WAREHOUSES} warehouses; {PAIRS} runs of {SECONDS} s; all conditions kept after "
             "them")
    head = ("| What | New-Orders a minute | Dyno's CPU s a second | the server's | Ratio (median) | Range | Goal | Met |\n"
            "|---|---|---|---|---|---|---|---|")
    record(BEGIN, END, facts, head, lines)


if __name__ == "__main__":
    main()
