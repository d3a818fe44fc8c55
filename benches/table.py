"""Measuring in turns; the lines of a table with their goals; the page in which they are kept."""

import math
import os
import platform
import statistics
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
    """Lines of ratios, printed as soon as each is measured."""

    def __init__(self):
        self.rows = []

    def add(self, what, ours, theirs, goal, ratios, at_most=False, equal=False, floors=(),
            margin=0.1):
        """`equal`: also met if the interval excludes that Dyno is slower by more than EQUAL.
        `floors`: the ratios of a loop that does what is compared and nothing else
        (benches/bare.rs). No goal is beyond what it reaches, less `margin`. A goal that the median
        misses is open if the median's interval reaches it."""
        ratio = statistics.median(ratios)
        floor = statistics.median(floors) if floors else None
        if floor is not None:
            reached = (1 + margin if at_most else 1 - margin) * floor
            goal = round(max(goal, reached) if at_most else min(goal, reached), 2)
        interval = median_interval(ratios)
        met = ratio <= goal if at_most else ratio >= goal
        if equal and interval:
            met = met or interval[0] >= goal - EQUAL
        open_ = interval and (interval[0] <= goal if at_most else interval[1] >= goal)
        met = "yes" if met else "open" if open_ else "NO"
        sign = "≤" if at_most else "≥"
        goal = f"{goal}, or interval above {goal - EQUAL:.2f}" if equal else goal
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        interval = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
        self.rows.append(
            f"| {what} | {ours} | {theirs} | **{ratio:.2f}**{interval} | {spread} "
            f"| {'-' if floor is None else f'{floor:.2f}'} | {sign} {goal} "
            f"| {met} |"
        )
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


def compare(table, what, goal, ours, theirs, count=PAIRS, equal=False, floor=None):
    rounds = in_turns(ours, theirs, *([floor] if floor else []), count=count)
    table.add_rounds(what, rounds, 1, goal, floor=2 if floor else None, equal=equal)


def record(begin, end, facts, head, lines):
    """Writes lines of a table to the page between its markers, replacing lines of the same name."""
    page = Path(__file__).resolve().parent.parent / "docs/benchmarks.md"
    cpu = next(
        (l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")),
        "unknown",
    )
    before, rest = page.read_text().split(begin)
    old, after = rest.split(end)
    name = lambda row: row.split("|")[1].strip()
    rows = {
        name(row): row for row in old.splitlines() if row.startswith("| ") and name(row) != "What"
    }
    rows.update({name(row): row for row in lines})
    facts = f"{cpu}, {os.cpu_count()} processors, Linux {platform.release()}; {facts}."
    page.write_text("\n".join([before + begin, facts, "", head, *rows.values(), end + after]))
