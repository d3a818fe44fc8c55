#!/usr/bin/env python3
"""TPC-C without waiting, on one MariaDB server and on one PostgreSQL: what share of the server's
CPU time Dyno's own is, and, where a go-tpc is on the PATH, Dyno beside it on the same database, in
turns, both over TCP as go-tpc cannot do otherwise.

Beside Dyno's share stands that of a client of the same dialogue (benches/bare.rs): on as many
threads of the same scheduling policy, it asks as often, sends and receives as many bytes, and gets
each answer in as many messages, from a server that spends as much processor time; but it knows what
to send, and looks at nothing that it receives. The goal is a tenth above it, at each number of
connections. Both are without what connecting and preparing statements cost.

Prints tables and writes them into docs/benchmarks.md between their own markers. "mariadb" or
"postgres" on the command line measures that alone. Needs mariadbd or PostgreSQL, and strace.
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

from databases import CPU, Server, one_point, run
from peers import bare
from postgres import PostgreSql, programs
from table import PAIRS, Table, in_turns, record

SECONDS = int(os.environ.get("SECONDS_A_RUN", "10"))
WAREHOUSES = 2
THREADS = (1, 8, 32)
# Of what a client takes that only sends and receives.
GOAL = 1.10
SHARE_SECONDS = 3 * SECONDS
# A run that connects and prepares some eighty statements a connection, and hardly more.
START_SECONDS = 0.01
CALLS = "sendto,recvfrom"
# go-tpc's options for a server.
GO_TPC = {
    "mysql": (),
    "postgres": ("-d", "postgres", "-U", "postgres", "--conn-params", "sslmode=disable"),
}
COLUMNS = (
    "What", "New-Orders per minute", "Dyno's CPU s per second", "the server's", "Waits per send",
    "A client of the same dialogue", "Ratio (median)", "Range", "Goal", "Met",
)


def load(server, folder, threads, seconds=SECONDS, tcp=False, under=()):
    """New-Orders of a run, its CPU seconds and the server's, and its waits."""
    workload = f'{{ kind = "tpcc", warehouses = {WAREHOUSES}, timing = "no-wait" }}'
    before, waited = server.cpu(), waits()
    rows, cpu, _ = one_point(
        server,
        folder,
        "dyno",
        workload,
        threads,
        "",
        f"{round(seconds * 1000)}ms",
        tcp=tcp,
        under=under,
    )
    theirs, waited = server.cpu() - before, waits() - waited
    orders = sum(float(row["ops"]) for row in rows if row["class"] == "new-order")
    return dict(orders=orders, cpu=cpu, server=theirs, waits=waited)


def dyno(server, folder, threads):
    """New-Orders per minute over TCP, and CPU seconds per New-Order."""
    ran = load(server, folder, threads, tcp=True)
    return dict(orders=ran["orders"] * 60 / SECONDS, cpu_an_order=ran["cpu"] / ran["orders"])


def per_second(ran, start):
    """What a run did without its start, per second."""
    return {key: (ran[key] - start[key]) / (SHARE_SECONDS - START_SECONDS) for key in ran}


def dialogue(server, folder):
    """Sends per New-Order, and bytes sent and received for each: those of a run with eight
    connections, as strace counts them, less those of one that ends at once. And messages of each
    answer: Dyno's waits per send with one connection, which waits for each."""
    totals = []
    for seconds in (SECONDS, START_SECONDS):
        trace = folder / "trace"
        strace = f"strace -f -qq -s 0 --seccomp-bpf -e signal=none -e trace={CALLS} -o {trace}"
        orders = load(server, folder, 8, seconds, under=strace.split())["orders"]
        calls = re.findall(r"\b(sendto|recvfrom)\b.* = (\d+)$", trace.read_text(), re.MULTILINE)
        sent, received = (
            [int(size) for name, size in calls if name == call] for call in CALLS.split(",")
        )
        totals.append((orders, len(sent), sum(sent), sum(received)))
    orders, sends, sent, received = (all - start for all, start in zip(*totals))
    alone, start = (load(server, folder, 1, long) for long in (SHARE_SECONDS, START_SECONDS))
    alone = waits_per_send(per_second(alone, start), sends / orders)
    return dict(
        an_order=sends / orders,
        asked=sent / sends,
        answered=received / sends,
        messages=max(1, alone),
    )


def waits_per_send(ran, sends_an_order):
    return ran["waits"] / (ran["orders"] * sends_an_order)


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


def least_share(ran, threads, talk):
    """The share of a client of the same dialogue."""
    asked = ran["orders"] * talk["an_order"]
    a_question_ns = bare(
        "answers",
        threads,
        round(threads / asked * 1e9),
        round(ran["server"] / asked / talk["messages"] * 1e9),
        round(talk["asked"]),
        round(talk["answered"]),
        f"{talk['messages']:.3f}",
    )
    return asked * a_question_ns / 1e9 / ran["server"]


def share_line(server, folder, threads, talk):
    start = load(server, folder, threads, START_SECONDS)
    runs, floors = [], []
    for _ in range(PAIRS):
        runs.append(per_second(load(server, folder, threads, SHARE_SECONDS), start))
        floors.append(least_share(runs[-1], threads, talk))
    shares = [one["cpu"] / one["server"] for one in runs]
    orders, cpu, servers = (
        statistics.median(one[key] for one in runs) for key in ("orders", "cpu", "server")
    )
    least = statistics.median(floors)
    waited = statistics.median(waits_per_send(one, talk["an_order"]) for one in runs)
    share, goal = statistics.median(shares), GOAL * least
    line = (
        f"| {label(server)}no-wait, {threads} threads | {orders * 60:.0f} | {cpu:.3f} "
        f"| {servers:.3f} | {waited:.2f} | {least:.3f} | **{share:.3f}** "
        f"| {min(shares):.3f} to {max(shares):.3f} "
        f"| ≤ {goal:.3f} | {'yes' if share <= goal else 'NO'} |"
    )
    print(line, flush=True)
    return line


def add_pairs(table, server, folder, threads):
    pairs = in_turns(
        lambda: dyno(server, folder, threads), lambda: go_tpc(server, threads)
    )
    what = f"{label(server)}no-wait, {threads} threads"
    table.add_rounds(f"{what}: New-Orders per minute", pairs, 1, 1, figure="orders",
                     shown="{:.0f}".format)
    table.add_rounds(f"{what}: client CPU per New-Order", pairs, 1, 1, figure="cpu_an_order",
                     shown=CPU, at_most=True)


def measured(kind, pairs):
    """A server's own lines, its name and version, and its dialogue. `pairs`: the table of those
    with go-tpc, if it has any."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-"))
    server = kind(folder)
    try:
        check(
            server,
            folder,
            f'fill = {{ kind = "tpcc_load", warehouses = {WAREHOUSES}, threads = 2 }}',
        )
        talk = dialogue(server, folder)
        shares = [share_line(server, folder, threads, talk) for threads in THREADS]
        for threads in THREADS if pairs else ():
            add_pairs(pairs, server, folder, threads)
        check(server, folder)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    of_each = (
        f"{server.name}: {talk['an_order']:.2f} sends per New-Order, each of "
        f"{talk['asked']:.0f} bytes and answered by {talk['answered']:.0f} in "
        f"{talk['messages']:.2f} messages"
    )
    return shares, f"{server.name} {server.version}", of_each


def main():
    there = {
        "mariadb": Server if shutil.which("mariadbd") else None,
        "postgres": PostgreSql if programs() else None,
    }
    asked = sys.argv[1:] or list(there)
    kinds = [there[name] for name in asked if there[name]]
    if not kinds or not shutil.which("strace"):
        missing = "no strace" if kinds else "neither MariaDB nor PostgreSQL"
        sys.exit(f"benches/tpcc.py: NOT RUN, nothing measured: {missing}")
    for name in (name for name in asked if not there[name]):
        print(f"no {name}: NOT MEASURED; its lines are those of an earlier run")
    if not shutil.which("go-tpc"):
        print("no go-tpc on the PATH: NOT PAIRED with it; its lines are those of an earlier run")
    pairs = Table("go-tpc", floors=False) if shutil.which("go-tpc") else None
    results = [measured(kind, pairs) for kind in kinds]
    shares = [line for lines, *_ in results for line in lines]
    versions, talk = (", ".join(result[at] for result in results) for at in (1, 2))
    facts = f"{versions}, {WAREHOUSES} warehouses; {PAIRS} %s s; all conditions hold afterwards"
    record("tpcc", f"{facts % f'runs of {SHARE_SECONDS}'}; {talk}", COLUMNS, shares)
    if pairs:
        version = re.search(r"Release version: (\S+)", run(["go-tpc", "version"])[0])[1]
        pairs.record("go-tpc", f"go-tpc {version}, {facts % f'pairs of {SECONDS}'}")


if __name__ == "__main__":
    main()
