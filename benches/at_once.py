"""Two programs at once on the same processors.

Each is a session of its own, and Linux divides the processor's time equally between sessions
(sched(7), "The autogroup feature"). So ops ÷ ops is the ratio of ops per CPU second, and what the
machine's neighbours take, they take from both: it scatters less from round to round than the ratio
of programs in turns (docs/performance.md). For loads that never sleep.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from peers import output

# CPU time after which a program has started. Until then both may use every processor, so that the
# start of one takes little from the other's load.
STARTED_S = 0.25
AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


class Session:
    """A program that runs as a session of its own."""

    def __init__(self):
        self.process = None

    def run(self, command):
        """Runs it; returns its output, as peers.run, without CPU seconds."""
        return output(command, self.begin, start_new_session=True), None

    def begin(self, process):
        self.process = process

    def has_started(self):
        if not self.process:
            return False
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        except FileNotFoundError:
            sys.exit(f"at once: {self.process.args[0]} ended before the other program had started")
        # utime and stime (proc(5), /proc/pid/stat).
        used = sum(map(int, stat.rpartition(")")[2].split()[11:13]))
        return used / os.sysconf("SC_CLK_TCK") >= STARTED_S

    def move_to(self, processors):
        """Moves its threads; those they start later follow them."""
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), processors)


def at_once(processors, *measures):
    """One figure of each, on so many processors. A measurement runs its program by the function
    that it is passed."""
    if AUTOGROUP.read_text().strip() != "1":
        sys.exit(f"at once: processors are not divided between sessions: write 1 to {AUTOGROUP}")
    sessions = [Session() for _ in measures]
    chosen = sorted(os.sched_getaffinity(0))[-processors:]
    with ThreadPoolExecutor(len(measures)) as pool:
        figures = [pool.submit(one, session.run) for one, session in zip(measures, sessions)]
        while not all(session.has_started() for session in sessions):
            time.sleep(0.01)
        for session in sessions:
            session.move_to(chosen)
        return tuple(figure.result() for figure in figures)
