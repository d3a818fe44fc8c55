#!/usr/bin/env python3
"""Runs the tests: each in a process of its own, those that do not measure side by side, those of
tests/measured alone, or beside others of their kind. One that does not pass beside others is
repeated alone, and that counts; the end of the log names it.

    scripts/test.py [PART …] [-- CARGO OPTIONS]

A PART is a module (`tpcc`, `it::tpcc`), a program (`it`) or a whole test
(`tpcc::a_load_is_consistent`); without one all tests run.
Cargo's options default to all features in the release profile; `-- --no-default-features` tests
without RocksDB, in the dev profile. The longest tests begin first, by what each took the last time.

STRICT=1      a test that says SKIPPED fails, and none that fails beside others is repeated
JOBS=n        how many tests run side by side (four times the processors: most of them wait)
DYNO_SOAK=1   sizes as the issues name them (`make soak`): resumable, kept in docs/soak.md
DYNO_SEED=n   the seed of what is drawn
"""

import concurrent.futures
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOAK = os.environ.get("DYNO_SOAK") == "1"
STRICT = os.environ.get("STRICT") == "1"
JOBS = int(os.environ.get("JOBS") or 4 * (os.cpu_count() or 1))
# Time limit, after which a test counts as hung.
LIMIT_S = 48 * 3600 if SOAK else 25 * 60
# Output of `support::skip` and `support::size`.
SKIPPED, SIZE = "SKIPPED: ", "SIZE: "
SLOWEST = 10
# As FLAGS of the Makefile.
OPTIONS = ("--release", "--locked", "--features", "vector")
# The most lines of a failure that are repeated at the end.
PANIC_LINES = 24
# The duration of each test when it last passed, in seconds.
TIMES = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "test-times.json"
# Modules with tests of about a minute or more, used if no durations are recorded.
LONG = ("attack::served", "attack::killed", "hostile::bundles", "hostile::large",
        "it::databases", "it::selftest", "it::tpcc", "it::write_cost::brief",
        "it::write_cost::placement")
# Tests of an emulated machine have names that say so. Its two processors spin if the host has none
# free for one of them, so parallel machines take far more processor time than sequential ones.
EMULATED = "in_qemu"
# Tests that mostly wait, but must be served in time (here a command that prints a counter every
# 50 ms): they and the emulated machines have this nice value.
TIMELY = ("it::write_cost::brief",)
PREFERRED = -10
# Measuring tests that need little processor time: all run side by side, …
PACED = ("measured::act::the_", "measured::kv_cache::a_search",
         "measured::limits::a_window_in_which_dyno", "measured::meters::a_meter_that",
         "measured::meters::a_scripted_meter", "measured::outliers::stalls",
         "measured::replay::a_load", "measured::replay_beside", "measured::terminals",
         "measured::truth::in_open_loop_a_stall")
# … and those that keep one processor busy and expect no more of it than counts, medians and lower
# bounds: as many as there are processors.
BUSY = ("measured::meters::the_meters", "measured::replay::a_long", "measured::selftest",
        "measured::truth::a_bimodal", "measured::truth::a_fixed", "measured::truth::a_high",
        "measured::truth::a_search_among", "measured::truth::what_an_overloaded")
# So many that fail side by side are repeated: more are no matter of a busy machine.
REPEATED = 5
# Set for a test that runs beside others: it measures once, whatever disturbs it.
BESIDE = "DYNO_BESIDE"

# Temporary files of a run are in a folder of its own, which holds this lock as long as the run
# lives. A short name, because sockets are made below it.
FOLDER, LOCK = "dyno-t", "lock"

printing = threading.Lock()
running = set()


class Test:
    """A test of a program, and its result."""

    def __init__(self, program, executable, path):
        self.program, self.executable, self.path = program, executable, path
        self.name = f"{program}::{path}"
        self.state, self.output = None, ""
        # Why it did not pass beside others, if it was repeated.
        self.first = []
        # Wall-clock time, and processor time.
        self.seconds, self.processor_s = 0.0, 0.0

    def is_of(self, part):
        whole = part in (self.program, self.path, self.name) or self.name.startswith(part + "::")
        return whole or part in self.path.split("::")[:-1]

    def lines(self, mark):
        # libtest begins a line with the test's name and continues it later.
        found = (line.partition(mark) for line in self.output.splitlines())
        return list(dict.fromkeys(rest for _, marked, rest in found if marked))

    def panic(self):
        """Where and why it failed, for the end of a long log."""
        lines = self.output.splitlines()
        at = [n for n, line in enumerate(lines) if " panicked at " in line]
        return [line for n in at for line in lines[n:n + 12]][-PANIC_LINES:]

    def run(self, **more):
        begun = time.monotonic()
        command = [self.executable, "--exact", self.path, "--nocapture", "--test-threads=1"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment() | more,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        running.add(process)
        if EMULATED in self.path or self.name.startswith(TIMELY):
            prefer(process.pid)
        overtime = threading.Timer(LIMIT_S, end, [process])
        overtime.start()
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        overtime.cancel()
        running.discard(process)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds, self.processor_s = time.monotonic() - begun, used.ru_utime + used.ru_stime
        passed = process.returncode == 0 and b"; 0 failed" in output and b" 1 passed" in output
        if self.seconds >= LIMIT_S:
            output += f"\nended after {LIMIT_S} s\n".encode()
        self.output = output.decode(errors="replace")
        self.state = "FAILED" if not passed else "SKIPPED" if self.lines(SKIPPED) else "passed"

    def report(self):
        took = f"{self.seconds:7.1f} s {self.processor_s:6.1f} s CPU"
        print(f"{self.state:>7} {took}  {self.name}", flush=True)
        for why in self.lines(SKIPPED):
            print(f"{'':30}  {why}", flush=True)
        if self.state == "FAILED":
            print(f"---- output of {self.name} ----\n{self.output}\n----", flush=True)


def rocksdb(options):
    """The RocksDB that cargo links, compiled if necessary, as in the Makefile."""
    if "--no-default-features" in options:
        return {}
    made = subprocess.run([ROOT / "scripts/rocksdb.sh"], cwd=ROOT, stdout=subprocess.PIPE,
                          text=True, check=True).stdout.strip()
    return {"ROCKSDB_LIB_DIR": made, "ROCKSDB_STATIC": "1"} if made else {}


def environment():
    # Where backtraces are on, panics keep theirs; Dyno makes many errors that are no failures (a
    # fact that a host does not have), and each backtrace takes a millisecond.
    own = {"CARGO_MANIFEST_DIR": str(ROOT), "INSTA_WORKSPACE_ROOT": str(ROOT)}
    return {**os.environ, **own, "RUST_LIB_BACKTRACE": "0"}


def prefer(process):
    """Emulated machines run sequentially, which would take longer than everything else without
    this. If Linux schedules by session (sched(7), autogroup), a process's own nice value has no
    effect outside it. Only root may change either."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, PREFERRED)
        pathlib.Path(f"/proc/{process}/autogroup").write_text(str(PREFERRED), encoding="ascii")


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def build(parts, options):
    """The test programs: their names and paths. If every part names its program, no others are
    built."""
    subprocess.run([ROOT / "scripts/checkout.sh"], check=True)
    named = sorted({part.split("::")[0] for part in parts})
    if named and all((ROOT / "tests" / name / "main.rs").exists() for name in named):
        options = [*options, *(f"--test={name}" for name in named)]
    command = ["cargo", "test", "--no-run", "--message-format=json-render-diagnostics", *options]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, **rocksdb(options)})
    if built.returncode != 0:
        sys.exit(f"test.py: {' '.join(command)} failed")
    found = {}
    for line in built.stdout.splitlines():
        message = json.loads(line)
        made = message.get("reason") == "compiler-artifact" and message.get("executable")
        if made and message["profile"]["test"]:
            target = message["target"]
            name = "main" if target["kind"] == ["bin"] else target["name"]
            found[name] = message["executable"]
    return found


def listed(program, executable):
    text = subprocess.run([executable, "--list", "--format", "terse"], cwd=ROOT, env=environment(),
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    names = (line.removesuffix(": test") for line in text.splitlines() if line.endswith(": test"))
    return [Test(program, executable, name) for name in names]


def recorded():
    try:
        return json.loads(TIMES.read_text())
    except (OSError, ValueError):
        return {}


def longest_first(tests):
    """So that no long test runs alone at the end."""
    known = recorded()

    def expected(test):
        rest = 60 if test.name.startswith(LONG) else 5 if not test.program.startswith("dyno") else 0
        return known.get(test.name, rest)

    return sorted(tests, key=expected, reverse=True)


def record(tests):
    took = {t.name: round(t.seconds, 1) for t in tests if t.state == "passed"}
    TIMES.write_text(json.dumps(recorded() | took, indent=1, sort_keys=True))


def phase(what, tests, begun):
    """Where the time went: tests that leave processors idle could run in parallel."""
    seconds, used = time.monotonic() - begun, sum(test.processor_s for test in tests)
    print(f"{len(tests)} tests {what}: {seconds:.0f} s, {used:.0f} s CPU", flush=True)


def run(tests, done=lambda test: None):
    """All in parallel, emulated machines one at a time; measuring tests last: paced ones together,
    then busy ones, then alone the others and those that did not pass beside others; `done` receives
    each result."""

    def ended(test):
        with printing:
            test.report()
            done(test)

    def one(test):
        test.run()
        ended(test)

    def again(test):
        test.first = test.panic() or [test.state]
        why = "".join(f"\n{'':32}{line}" for line in test.first)
        print(f"{'':30}  not passed beside others, so alone: {test.name}{why}", flush=True)
        alone.append(test)

    def side_by_side(test):
        test.run()
        repeated = sum(1 for other in beside if other.first)
        if test.state == "FAILED" and not STRICT and repeated < REPEATED:
            again(test)
        else:
            ended(test)

    def paced_or_busy(test):
        # What was disturbed is skipped, and may not be alone.
        test.run(**{BESIDE: "1"})
        if test.state == "passed":
            ended(test)
        else:
            again(test)

    measured = [t for t in tests if t.program == "measured"]
    paced = [t for t in measured if t.name.startswith(PACED)]
    busy = longest_first(t for t in measured if t.name.startswith(BUSY))
    alone = [t for t in measured if t not in paced and t not in busy]
    beside = longest_first(t for t in tests if t.program != "measured")
    emulated = [test for test in beside if EMULATED in test.path]
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        machines = pool.submit(lambda: [side_by_side(test) for test in emulated])
        list(pool.map(side_by_side, (test for test in beside if test not in emulated)))
        machines.result()
    phase("side by side", beside, begun)
    begun = time.monotonic()
    for together, width in ((paced, len(paced) or 1), (busy, os.cpu_count() or 1)):
        with concurrent.futures.ThreadPoolExecutor(width) as pool:
            list(pool.map(paced_or_busy, together))
    for test in alone:
        one(test)
    phase("that measure", measured, begun)
    if not SOAK:
        record(tests)


def conclude(tests, seconds):
    states = ("passed", "FAILED", "SKIPPED")
    of = {state: [t for t in tests if t.state == state] for state in states}
    print(f"\nThe slowest of {len(tests)} tests, which took {seconds:.0f} s together:")
    for test in sorted(tests, key=lambda t: -t.seconds)[:SLOWEST]:
        print(f"{test.seconds:9.1f} s  {test.name}")
    of["Passed only alone"] = [t for t in of["passed"] if t.first]
    causes = {"SKIPPED": lambda t: t.lines(SKIPPED), "FAILED": Test.panic,
              "Passed only alone": lambda t: t.first}
    for state, cause in causes.items():
        if of[state]:
            print(f"\n{state}:")
        for test in of[state]:
            print(f"  {test.name}")
            for line in cause(test):
                print(f"      {line}")
    counts = f"{len(of['passed'])} passed, {len(of['FAILED'])} failed, {len(of['SKIPPED'])} skipped"
    print(f"\n{counts}", flush=True)
    return 1 if of["FAILED"] or (STRICT and of["SKIPPED"]) else 0


def share_mounts():
    """Unmounts are propagated to the mount namespaces of servers started by parallel tests, as on
    any machine with systemd; elsewhere filesystems stay mounted there."""
    new_mounts, recursive, shared = 0x20000, 0x4000, 0x100000  # CLONE_NEWNS, MS_REC, MS_SHARED
    libc = ctypes.CDLL(None)
    if os.geteuid() == 0 and libc.unshare(new_mounts) == 0:
        libc.mount(b"none", b"/", None, ctypes.c_ulong(recursive | shared), None)


def own_folder():
    """A folder for the temporary files of this run. Those of runs that were killed are removed
    first, with the loop devices over files in them."""
    base = pathlib.Path(tempfile.gettempdir())
    for folder in base.glob(f"{FOLDER}[0-9]*"):
        with contextlib.suppress(OSError), open(folder / LOCK, encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            sweep(folder)
    folder = base / f"{FOLDER}{os.getpid()}"
    folder.mkdir()
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.environ["TMPDIR"] = str(folder)
    return folder


def sweep(folder):
    """Detaches the loop devices over files in a folder that no run uses any more, and removes
    it."""
    for backing in pathlib.Path("/sys/block").glob("loop*/loop/backing_file"):
        file = pathlib.Path(backing.read_text().removesuffix(" (deleted)\n").strip())
        if folder in file.parents:
            device = f"/dev/{backing.parent.parent.name}"
            subprocess.run(["losetup", "--detach", device], check=False)
            print(f"detached {device}, left by a killed test", flush=True)
    mounts = pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    below = [mount for mount in mounts if mount.split()[4].startswith(f"{folder}/")]
    # A folder is removed with what is mounted below it, which may be anyone's.
    if below:
        print(f"{folder} stays, since something is mounted below it", flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def chosen(parts, options):
    """The tests of these parts, built with cargo's options."""
    tests = [test for program in build(parts, options).items() for test in listed(*program)]
    tests = [t for t in tests if not parts or any(t.is_of(part) for part in parts)]
    share_mounts()
    if not tests:
        sys.exit(f"test.py: no test is called {' or '.join(parts)}")
    for ends in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ends, stop)
    return tests


def stop(*_):
    for process in list(running):
        end(process)
    os._exit(130)


def main():
    parts, options = sys.argv[1:], list(OPTIONS)
    if "--" in parts:
        at = parts.index("--")
        parts, options = parts[:at], parts[at + 1:]
    if any(part.startswith("-") for part in parts):
        sys.exit(__doc__)
    tests = chosen(parts, options)
    folder, begun = own_folder(), time.monotonic()
    run(tests)
    sweep(folder)
    sys.exit(conclude(tests, time.monotonic() - begun))


if __name__ == "__main__":
    main()
