"""Measuring in turns; the lines of a table with their goals; the page in which they are kept."""

import math
import os
import platform
import statistics
import time
from pathlib import Path

PAIRS = int(os.environ.get("PAIRS", "6"))
# Of lines that compare equals, whose interval is to be narrow.
QUICK_PAIRS = int(os.environ.get("QUICK_PAIRS", str(4 * PAIRS)))
# A smaller share of a peer's speed does not count as slower.
EQUAL = 0.02


def in_turns(*measures, count=PAIRS):
    """Rounds of one measurement each, in the given order, with alternating starts."""
    rounds = []
    for i in range(count):
        order = [(i + k) % len(measures) for k in range(len(measures))]
        found = {at: measures[at]() for at in order}
        rounds.append(tuple(found[at] for at in range(len(measures))))
    return rounds


def median_interval(values):
    """The interval that contains the median with at least 95 % probability, whatever the
    distribution: from the k-th smallest to the k-th largest (binomial, p = 1/2). None of fewer than
    six values, whose extremes enclose it less often."""
    n, values = len(values), sorted(values)
    outside = lambda k: 2 * sum(math.comb(n, i) for i in range(k)) / 2**n
    ranks = [k for k in range(1, n // 2 + 1) if outside(k) <= 0.05]
    return (values[ranks[-1] - 1], values[-ranks[-1]]) if ranks else None


def nanoseconds(value):
    return f"{value:.0f} ns"


def si(value):
    return f"{value / 1e6:.2f} M/s" if value >= 1e6 else f"{value / 1e3:.1f} K/s"


class Table:
    """Lines of ratios, printed as soon as each is measured; with the column "Floor" if any has
    one."""

    def __init__(self, peer="Peer", floors=True):
        columns = ["What", "Dyno", peer, "Ratio (median)", "Range", "Floor", "Goal", "Met", "Pairs",
                   "Recorded"]
        self.columns = [name for name in columns if floors or name != "Floor"]
        self.rows = []

    def add(self, what, ours, theirs, goal, ratios, at_most=False, equal=False, floors=(),
            margin=0.1):
        """`goal`: the least ratio, the greatest (`at_most`), or both. `equal`: also met if the
        interval excludes that Dyno is slower by more than EQUAL. `floors`: the ratios of a loop
        that does what is compared and nothing else (benches/bare.rs). No goal is beyond what it
        reaches, less `margin`. A goal that the median misses is open if the median's interval
        reaches it."""
        ratio = statistics.median(ratios)
        floor = statistics.median(floors) if floors else None
        if floor is not None:
            reached = (1 + margin if at_most else 1 - margin) * floor
            goal = round(max(goal, reached) if at_most else min(goal, reached), 2)
        within = isinstance(goal, tuple)
        least, most = goal if within else (0, goal) if at_most else (goal, math.inf)
        interval = median_interval(ratios)
        met = least <= ratio <= most
        if equal and interval:
            met = met or interval[0] >= least - EQUAL
        open_ = interval and interval[0] <= most and interval[1] >= least
        goal = f"{least} to {most}" if within else f"≤ {most}" if at_most else f"≥ {least}"
        cells = {
            "What": what,
            "Dyno": ours,
            "Ratio (median)": f"**{ratio:.2f}**"
            + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""),
            "Range": f"{min(ratios):.2f} to {max(ratios):.2f}",
            "Floor": "-" if floor is None else f"{floor:.2f}",
            "Goal": goal + (f", or interval above {least - EQUAL:.2f}" if equal else ""),
            "Met": "yes" if met else "open" if open_ else "NO",
            "Pairs": f"{len(ratios)}",
            "Recorded": time.strftime("%Y-%m-%d %H:%M"),
        }
        # The column that is left is the peer's.
        self.rows.append(f"| {' | '.join(cells.get(name, theirs) for name in self.columns)} |")
        print(self.rows[-1], flush=True)

    def add_rounds(self, what, rounds, peer, goal, floor=None, figure=None, shown=si, **how):
        """The first measurement of each round against that at `peer`, or the greatest of several;
        `floor`: that of the loop. `figure`: its place where a measurement is several figures, which
        `shown` formats."""
        figure_of = lambda one: one if figure is None else one[figure]
        peers = peer if isinstance(peer, tuple) else (peer,)
        ours = [figure_of(r[0]) for r in rounds]
        theirs = [max(figure_of(r[at]) for at in peers) for r in rounds]
        against = lambda all: [one / other for one, other in zip(all, theirs)]
        floors = () if floor is None else against([figure_of(r[floor]) for r in rounds])
        medians = [shown(statistics.median(all)) for all in (ours, theirs)]
        self.add(what, *medians, goal, against(ours), floors=floors, **how)

    def record(self, name, facts):
        """Writes the lines to the page between the markers of that name, replacing lines of the
        same name."""
        begin, end = (f"<!-- {name} {which} -->" for which in ("begin", "end"))
        page = Path(__file__).resolve().parent.parent / "docs/benchmarks.md"
        cpu = next(
            (l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")),
            "unknown",
        )
        before, rest = page.read_text().split(begin)
        old, after = rest.split(end)
        what = lambda row: row.split("|")[1].strip()
        earlier = [row for row in old.splitlines() if row.startswith("| ")]
        rows = {what(row): row for row in earlier + self.rows if what(row) != "What"}
        head = f"| {' | '.join(self.columns)} |\n{'|---' * len(self.columns)}|"
        facts = f"{cpu}, {os.cpu_count()} processors, Linux {platform.release()}; {facts}."
        page.write_text("\n".join([before + begin, facts, "", head, *rows.values(), end + after]))


def compare(table, what, goal, ours, theirs, count=PAIRS, equal=False, floor=None):
    rounds = in_turns(ours, theirs, *([floor] if floor else []), count=count)
    table.add_rounds(what, rounds, 1, goal, floor=2 if floor else None, equal=equal)
