#!/usr/bin/env python3
"""Runs the tests at the sizes that the promises name, and keeps what came of them.

    [DYNO_SEED=n] scripts/soak.py [PART …]

A skip is a failure here. Each test that has passed is written to a file in the target folder, by
commit and seed: when this is ended and started again, it goes on where it was. A test whose size
differs here from that of every day gets a line in docs/soak.md, whichever way it went.
"""

import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

os.environ.update(DYNO_SOAK="1", STRICT="1")
os.environ.setdefault("DYNO_SEED", "11")
import test  # noqa: E402  It reads the two.

PAGE = test.ROOT / "docs/soak.md"


def commit():
    def git(*words):
        done = subprocess.run(["git", *words], cwd=test.ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/soak.md")
    return git("rev-parse", "--short=10", "HEAD") + (" and changes" if changed else "")


class Kept:
    """Tests that have passed at this commit and seed."""

    def __init__(self):
        self.commit, self.seed = commit(), os.environ["DYNO_SEED"]
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or test.ROOT / "target")
        self.path = target / "soak" / f"{self.commit} {self.seed}.json".replace(" ", "-")
        self.passed = set(json.loads(self.path.read_text())) if self.path.exists() else set()

    def done(self, one):
        if one.state == "passed":
            self.passed.add(one.name)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            partial = self.path.with_suffix(".partial")
            partial.write_text(json.dumps(sorted(self.passed), indent=1))
            partial.replace(self.path)
        sizes = "; ".join(one.lines(test.SIZE))
        if sizes:
            today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M")
            host = f"{platform.machine()}, {os.cpu_count()} processors"
            cells = [today, self.commit, self.seed, host, f"`{one.name}`", sizes, one.state,
                     f"{one.seconds:.0f} s"]
            with PAGE.open("a") as page:
                page.write(f"| {' | '.join(cells)} |\n")


def main():
    kept = Kept()
    tests = test.chosen(sys.argv[1:], list(test.OPTIONS))
    left = [one for one in tests if one.name not in kept.passed]
    before = f"{len(tests) - len(left)} of {len(tests)} passed before"
    print(f"commit {kept.commit}, seed {kept.seed}: {before}", flush=True)
    begun = time.monotonic()
    test.run(left, kept.done)
    sys.exit(test.conclude(left, time.monotonic() - begun))


if __name__ == "__main__":
    main()
