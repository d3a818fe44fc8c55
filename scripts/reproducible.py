#!/usr/bin/env python3
"""Builds the packages twice, from clones of HEAD in different folders with different target
folders, and compares them byte by byte.

    scripts/reproducible.py [--folder DIR] [DIST OPTIONS]

DIST OPTIONS are those of scripts/dist.py, as `-- --no-default-features` (without RocksDB, whose two
compiles take most of the time). What was built is removed where all is equal, and kept otherwise.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of different lengths: a stored path would shift what follows it.
FOLDERS = ("a", "another/folder-with-a-longer-name")


def packages(folder, options):
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, folder / "dyno"], check=True)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    out = folder / "packages"
    subprocess.run([folder / "dyno/scripts/dist.py", "--output", out, *options], check=True,
                   env=environment)
    return {path.name: path for path in sorted(out.iterdir())}


def main():
    options = sys.argv[1:]
    work = None
    if options[:1] == ["--folder"]:
        work, options = pathlib.Path(options[1]).absolute(), options[2:]
    work = work or pathlib.Path(tempfile.mkdtemp(prefix="dyno-reproducible."))
    first, second = (packages(work / name, options) for name in FOLDERS)
    if first.keys() != second.keys():
        sys.exit(f"other files: {sorted(first)} and {sorted(second)}")
    differ = [name for name in first if first[name].read_bytes() != second[name].read_bytes()]
    for name in first:
        print(f"{'DIFFERS' if name in differ else 'same bytes'}  {name}")
    if differ:
        sys.exit(f"not reproducible: {len(differ)} of {len(first)} files differ; see {work}")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
