"""When a replayed request starts, against when it was recorded: Dyno and fio on the same iolog,
seen by the same recorder (arrivals.c, loaded into both), on a file in memory.

fio's replay has known errors: it adds the time of each request to the pauses between them, so that
it takes longer than the recording (axboe/fio issues 772 and 1537, pull request 1540).

    python3 benches/replay.py 5     # five pairs: error in µs and length ÷ recorded length of each
"""

import os
import random
import statistics
import struct
import sys
import tempfile
from pathlib import Path

from peers import DYNO, FIO, SECONDS, preloaded, run

RATE = 1000
BYTES = 256 << 20


def recording(folder, data):
    """An iolog of Poisson arrivals, times in microseconds: the file, and the times."""
    chance, at, times = random.Random(30), 0.0, []
    while at < SECONDS * 1e6:
        times.append(int(at))
        at += chance.expovariate(RATE / 1e6)
    lines = ["fio version 3 iolog", f"0 {data} add", f"0 {data} open"]
    lines += [f"{us} {data} read {chance.randrange(BYTES // 4096) * 4096} 4096" for us in times]
    log = Path(folder) / "log"
    log.write_text("\n".join([*lines, f"{times[-1]} {data} close", ""]))
    return log, times


def replayed(folder, library, name, command, times):
    """The mean difference of a request's start from its recorded time in µs, where the replay's
    beginning is the one that suits most requests; and the replay's length ÷ the recorded one."""
    noted = Path(folder) / "arrivals"
    noted.unlink(missing_ok=True)
    own = dict(LD_PRELOAD=str(library), ARRIVALS=str(noted), ARRIVALS_OF=str(name))
    run(command, env=dict(os.environ, **own))
    words = noted.read_bytes()
    count = struct.unpack_from("Q", words)[0]
    # Dyno looks at a dataset before it loads it.
    starts = struct.unpack_from(f"{count}Q", words, 8)[-len(times):]
    if len(starts) != len(times):
        raise SystemExit(f"{len(times)} requests were recorded, and {count} replayed")
    off = [start / 1e3 - at for start, at in zip(starts, times)]
    begin = statistics.median(off)
    error = statistics.mean(abs(one - begin) for one in off)
    return error, (starts[-1] - starts[0]) / 1e3 / (times[-1] - times[0])


def pair():
    """Dyno's error and length, and fio's."""
    memory = tempfile.TemporaryDirectory(dir="/dev/shm")
    with memory as folder, tempfile.TemporaryDirectory() as beside:
        library = preloaded("arrivals", folder)
        data = Path(folder) / "peer"
        with open(data, "wb") as file:
            file.truncate(BYTES)
        log, times = recording(folder, data)
        replay = ["--ioengine=psync", f"--read_iolog={log}", "--output-format=terse"]
        theirs = replayed(folder, library, data, [FIO, "--name=r", "--thread", *replay], times)
        protocol = Path(beside) / "replay.toml"
        protocol.write_text(
            f'title = "Replay"\nsource = "benches/replay.py"\n[dataset.file]\nengine = "psync"\n'
            f"size = {BYTES}\n[dataset.file.fill]\nkind = \"sequential\"\nread = 0\n"
            f'[[step]]\nname = "replay"\nduration = "1h"\n[[step.stream]]\nengine = "psync"\n'
            f'workload = {{ kind = "trace", file = "{log}", ops = "reads" }}\n'
        )
        what = ["run", protocol, "--subject", f"A={folder}", "--repeats", "1", "--output"]
        ours = replayed(folder, library, "dyno-data/file.0/data",
                        [DYNO, *what, Path(beside) / "replay.dyno"], times)
        return ours, theirs


if __name__ == "__main__":
    for _ in range(int(sys.argv[1])):
        print(*(f"{figure:.3f}" for figure in sum(pair(), ())), flush=True)
