"""Dyno itself: runs a step and returns its rows."""

import csv
import io
import tempfile
from pathlib import Path

from peers import DYNO, SECONDS, run

NULL = 'name = "io"\nengine = "null"\nworkload = "random"'


def file_dataset(name, engine, mib=256):
    """A filled file."""
    fill = '{ kind = "sequential", read = 0 }'
    return f'[dataset.{name}]\nengine = "{engine}"\nsize = "{mib}MiB"\nfill = {fill}'


def dyno(home, streams, dataset="", seconds=SECONDS, warmup="0s", options=(), by=run):
    """One point on one drive, or on a group of several; returns its data rows and the user CPU
    seconds."""
    with tempfile.TemporaryDirectory() as folder:
        protocol, bundle = Path(folder) / "bench.toml", Path(folder) / "bench.dyno"
        protocol.write_text(
            f'title = "Bench"\nsource = "benches/run.py"\n{dataset}\n[[step]]\nname = "bench"\n'
            f'duration = "{seconds}s"\nwarmup = "{warmup}"\n'
            + "".join(f"[[step.stream]]\n{stream}\n" for stream in streams)
        )
        what = [protocol, "--subject", f"A={home}", "--repeats", "1"]
        if isinstance(home, list):
            drives = ", ".join(f'{{ path = "{Path(one).resolve()}" }}' for one in home)
            what = [Path(folder) / "plan.toml"]
            what[0].write_text(
                'protocol = "./bench.toml"\nrepeats = 1\n'
                f'[[subject]]\nname = "A"\ndrives = [{drives}]\n'
            )
        _, user = by([DYNO, "run", *what, "--output", bundle, *options])
        rows = list(csv.DictReader(io.StringIO(run([DYNO, "export", bundle])[0])))
    # The row of all ops repeats those of reads and writes.
    own = lambda row: row["headline"] == "true" and row["class"] != "all"
    return [row for row in rows if own(row)], user


def ops(rows):
    return sum(float(row["ops_per_s"]) for row in rows)
