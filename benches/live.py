#!/usr/bin/env python3
"""What those who watch a run cost it: `dyno run --serve` with 50 clients on its live page, beside
the same without any, and beside the same whose 50 clients watch another run of this machine, in
turns.

The third is the control: server and clients are programs that share the processors with the load
wherever they look. What they cost the run that they watch is the first against the third.

Two loads, since one process cannot show both: one that is paced leaves the run's process nearly
idle, so that its processor time is what it does besides; the other is closed, so that its ops/s
would fall. Prints a table; CLIENTS, SECONDS (60) and PAIRS (3) are taken from the environment.
"""

import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from peers import DYNO

CLIENTS = int(os.environ.get("CLIENTS", "50"))
SECONDS = int(os.environ.get("SECONDS", "60"))
PAIRS = int(os.environ.get("PAIRS", "3"))
TICKS = os.sysconf("SC_CLK_TCK")
STREAM = 'name = "io"\nengine = "null"\nworkload = "random"'
PACED = STREAM + '\nrate = "1000/s"'


def cpu_s(pid):
    """Processor time of a process, all its threads, excluding children; None when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS if fields[0] != "Z" else None


class Watchers(threading.Thread):
    """Clients of a run's events; counts the data sent to them, and their delay."""

    def __init__(self, host, port, bundle, many):
        super().__init__(daemon=True)
        self.selector, self.bytes, self.late = selectors.DefaultSelector(), 0, []
        ask = f"GET /events/{bundle} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
        for _ in range(many):
            client = socket.create_connection((host, int(port)))
            client.sendall(ask)
            self.selector.register(client, selectors.EVENT_READ)
        self.left = many

    def run(self):
        while self.left:
            for key, _ in self.selector.select(1):
                data = key.fileobj.recv(1 << 20)
                now = time.time_ns()
                if not data:
                    self.selector.unregister(key.fileobj)
                    self.left -= 1
                    continue
                self.bytes += len(data)
                for written in re.findall(rb'"written_unix_ns":(\d+)', data):
                    self.late.append((now - int(written)) / 1e6)


def begun(folder, stream, seconds):
    """A served run: its process, and the host and port of its pages."""
    (folder / "a").mkdir(parents=True)
    (folder / "p.toml").write_text(
        f'title = "Live"\nsource = "benches/live.py"\n[[step]]\nname = "a"\n'
        f'duration = "{seconds}s"\n[[step.stream]]\n{stream}\n'
    )
    run = [DYNO, "run", "./p.toml", "-s", "A=a", "--repeats", "1", "-o", "b.dyno"]
    run += ["--serve=127.0.0.1:0", "--progress", "json"]
    process = subprocess.Popen(run, cwd=folder, stderr=subprocess.PIPE, text=True)
    address = re.search(r"http://([^/:]+):(\d+)/live", process.stderr.readline())
    if not address:
        sys.exit("dyno run --serve: " + process.stderr.read())
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process, address.groups()


def measured(stream, clients, elsewhere=False):
    """One run: ops/s, processor time of its process in percent of one processor, data sent; with
    `elsewhere`, its clients watch another run."""
    with tempfile.TemporaryDirectory() as folder:
        other = None
        if elsewhere:
            other, watched = begun(Path(folder) / "other", PACED, SECONDS + 30)
        folder = Path(folder) / "run"
        process, address = begun(folder, stream, SECONDS)
        watchers = Watchers(*(watched if elsewhere else address), "b.dyno", clients)
        watchers.start()
        used = 0.0
        while (now := cpu_s(process.pid)) is not None:
            used = now
            time.sleep(0.05)
        if process.wait():
            sys.exit("dyno run failed")
        if other:
            other.kill()
            other.wait()
        rows = subprocess.check_output([DYNO, "export", "b.dyno"], cwd=folder, text=True)
        head, row = (line.split(",") for line in rows.splitlines()[:2])
        watchers.join(5)
        ops = float(row[head.index("ops_per_s")])
        return ops, used / SECONDS * 100, watchers.bytes, watchers.late


def main():
    arms = {"none": (0,), "its own": (CLIENTS,), "another's": (CLIENTS, True)}
    for name, stream in {"paced": PACED, "closed": STREAM}.items():
        rounds = []
        for turn in range(PAIRS):
            order = list(arms)[turn % 3:] + list(arms)[:turn % 3]
            found = {arm: measured(stream, *arms[arm]) for arm in order}
            rounds.append(found)
        watched = [found["its own"] for found in rounds]
        late = sorted(late for one in watched for late in one[3])
        sent = sum(one[2] for one in watched) / PAIRS / SECONDS / 1e3
        print(f"{name}, {PAIRS} rounds of {SECONDS} s, {CLIENTS} clients on its live page:")
        for arm, what in {"none": "no clients", "another's": "as many on another run's"}.items():
            ratios = [found["its own"][0] / found[arm][0] for found in rounds]
            cpu = statistics.median(found["its own"][1] - found[arm][1] for found in rounds)
            print(f"  against {what}: {statistics.median(ratios):.4f} times the ops/s "
                  f"({min(ratios):.4f} to {max(ratios):.4f}), processor time of the run's process "
                  f"{cpu:+.2f} % of one")
        p99 = late[int(len(late) * 0.99)]
        print(f"  behind: median {late[len(late) // 2]:.0f} ms, p99 {p99:.0f} ms (below 1000)")
        print(f"  sent: {sent:.0f} kB/s to all\n")


if __name__ == "__main__":
    main()
