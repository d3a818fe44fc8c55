#!/usr/bin/env python3
"""What those who watch a run cost it: `dyno run --serve` with 50 clients on its live page
beside the same without any, in turns.

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


def cpu_s(pid):
    """Processor time of a process, all its threads, none of its children; None when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS if fields[0] != "Z" else None


class Watchers(threading.Thread):
    """So many clients of the events of a run; what they were sent, and how late."""

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


def measured(stream, clients):
    """One run: ops/s, processor time of its process in percent of one processor, what was sent."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "a").mkdir()
        (folder / "p.toml").write_text(
            f'title = "Live"\nsource = "benches/live.py"\n[[step]]\nname = "a"\n'
            f'duration = "{SECONDS}s"\n[[step.stream]]\n{stream}\n'
        )
        run = [DYNO, "run", "./p.toml", "-s", "A=a", "--repeats", "1", "-o", "b.dyno"]
        run += ["--serve=127.0.0.1:0", "--progress", "json"]
        process = subprocess.Popen(run, cwd=folder, stderr=subprocess.PIPE, text=True)
        address = re.search(r"http://([^/:]+):(\d+)/live", process.stderr.readline())
        if not address:
            sys.exit("dyno run --serve: " + process.stderr.read())
        heard = threading.Thread(target=process.stderr.read, daemon=True)
        heard.start()
        watchers = Watchers(*address.groups(), "b.dyno", clients)
        watchers.start()
        used = 0.0
        while (now := cpu_s(process.pid)) is not None:
            used = now
            time.sleep(0.05)
        if process.wait():
            sys.exit("dyno run failed")
        rows = subprocess.check_output([DYNO, "export", "b.dyno"], cwd=folder, text=True)
        head, row = (line.split(",") for line in rows.splitlines()[:2])
        watchers.join(5)
        ops = float(row[head.index("ops_per_s")])
        return ops, used / SECONDS * 100, watchers.bytes, watchers.late


def main():
    loads = {"paced": STREAM + '\nrate = "1000/s"', "closed": STREAM}
    for name, stream in loads.items():
        found = {0: [], CLIENTS: []}
        for pair in range(PAIRS):
            for clients in (0, CLIENTS) if pair % 2 == 0 else (CLIENTS, 0):
                found[clients].append(measured(stream, clients))
        pairs = list(zip(found[0], found[CLIENTS]))
        ratio = statistics.median(many[0] / none[0] for none, many in pairs)
        cpu = statistics.median(many[1] - none[1] for none, many in pairs)
        late = sorted(late for many in found[CLIENTS] for late in many[3])
        sent = sum(many[2] for many in found[CLIENTS]) / PAIRS / SECONDS / 1e3
        print(f"{name}, {PAIRS} pairs of {SECONDS} s, {CLIENTS} clients against none:")
        print(f"  ops/s: {ratio:.4f} times (within 0.01 is the promise)")
        print(f"  processor time of the run's process: {cpu:+.2f} % of one (below 0.5)")
        if late:
            p99 = late[int(len(late) * 0.99)]
            print(f"  behind: median {late[len(late) // 2]:.0f} ms, p99 {p99:.0f} ms (below 1000)")
        print(f"  sent: {sent:.0f} kB/s to all\n")


if __name__ == "__main__":
    main()
