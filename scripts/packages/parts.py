"""Parts of the program other than crates: C and C++ libraries within crates, what zig and rustc
link, fonts. Each with its version, the location of its licence, and its users."""

import json
import pathlib
import re
import subprocess

import tools


class Part:
    """One of them."""

    def __init__(self, name, version, licence, texts, source):
        self.name, self.version, self.licence = name, version, licence
        self.texts, self.source = texts, source


SQLITE = """\
SQLite is in the public domain: "All of the code and documentation in SQLite has been dedicated to
the public domain by the authors." (https://sqlite.org/copyright.html)
"""

# Name, the crate that holds it, licence, its texts, where its version stands, its home.
IN_CRATES = [
    ("RocksDB", "librocksdb-sys", "Apache-2.0 AND BSD-3-Clause",
     ["rocksdb/LICENSE.Apache", "rocksdb/LICENSE.leveldb"],
     ("rocksdb/include/rocksdb/version.h",
      r"ROCKSDB_MAJOR (\d+)\n.*ROCKSDB_MINOR (\d+)\n.*ROCKSDB_PATCH (\d+)"),
     "https://rocksdb.org"),
    ("Snappy", "librocksdb-sys", "BSD-3-Clause", ["snappy/COPYING"],
     ("snappy/CMakeLists.txt", r"project\(Snappy VERSION ([0-9.]+)"),
     "https://github.com/google/snappy"),
    ("LZ4", "lz4-sys", "BSD-2-Clause", ["liblz4/lib/LICENSE"],
     ("liblz4/lib/lz4.h",
      r"LZ4_VERSION_MAJOR +(\d+)[^\n]*\n.*LZ4_VERSION_MINOR +(\d+)[^\n]*\n"
      r".*LZ4_VERSION_RELEASE +(\d+)"),
     "https://lz4.org"),
    ("Zstandard", "zstd-sys", "BSD-3-Clause", ["zstd/LICENSE"],
     ("zstd/lib/zstd.h",
      r"ZSTD_VERSION_MAJOR +(\d+)\n.*ZSTD_VERSION_MINOR +(\d+)\n.*ZSTD_VERSION_RELEASE +(\d+)"),
     "https://facebook.github.io/zstd"),
    ("zlib", "libz-sys", "Zlib", ["src/zlib/LICENSE"],
     ("src/zlib/zlib.h", r'define ZLIB_VERSION "([0-9.]+)"'), "https://zlib.net"),
    ("SQLite", "libsqlite3-sys", "blessing", [SQLITE],
     ("sqlite3/sqlite3.h", r'define SQLITE_VERSION +"([0-9.]+)"'), "https://sqlite.org"),
]

# Fonts within the repository, and what pages show: name, licence, its text, home.
IN_THE_REPOSITORY = [
    ("BIZ UDPGothic", "OFL-1.1", "fonts/BIZUDPGothic-OFL.txt",
     "https://github.com/googlefonts/morisawa-biz-ud-gothic"),
    ("DejaVu Sans", "Bitstream-Vera", "fonts/DejaVu-LICENSE.txt",
     "https://dejavu-fonts.github.io"),
    ("IBM Plex", "OFL-1.1", "fonts/IBMPlex-OFL.txt", "https://github.com/IBM/plex"),
    ("uPlot", "MIT", "templates/web/uplot/LICENSE", "https://github.com/leeoniya/uPlot"),
]


def crates(root, release, options):
    """The crates that are compiled into the program: their manifests as cargo reads them, by id."""
    features = [word for word in options if word == "--no-default-features"]
    listed = subprocess.run(
        ["cargo", "tree", "--package", "dyno", "--locked", "--edges", "normal", "--prefix", "none",
         "--target", release.target, "--format", "{p}", *features],
        check=True, capture_output=True, text=True, cwd=root).stdout
    used = {tuple(line.split()[:2]) for line in listed.splitlines() if line.strip()}
    found = json.loads(subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform",
         release.target, *features], check=True, capture_output=True, text=True, cwd=root).stdout)
    packages = {p["id"]: p for p in found["packages"] if (p["name"], f"v{p['version']}") in used}
    for node in found["resolve"]["nodes"]:
        if node["id"] in packages:
            normal = [d["pkg"] for d in node["deps"]
                      if any(kind["kind"] is None for kind in d["dep_kinds"])]
            packages[node["id"]]["needs"] = sorted(set(normal) & set(packages))
    return dict(sorted(packages.items(), key=lambda p: (p[1]["name"], p[1]["version"])))


def version(text, pattern):
    return ".".join(re.search(pattern, text).groups())


def of_everything(root, packages):
    """Every part of the program other than crates, by the crates that contain it."""
    parts = []
    folders = {p["name"]: pathlib.Path(p["manifest_path"]).parent for p in packages.values()}
    for name, crate, licence, texts, (file, pattern), home in IN_CRATES:
        if crate not in folders:
            continue
        at = folders[crate]
        read = [text if "\n" in text else (at / text).read_text() for text in texts]
        parts.append(
            Part(name, version((at / file).read_text(), pattern), licence, read, home))
    library = tools.zig_library()
    config = (library / "libcxx/include/__config").read_text()
    major, minor, patch = re.search(r"_LIBCPP_VERSION (\d+)(\d\d)(\d\d)", config).groups()
    llvm = f"{int(major)}.{int(minor)}.{int(patch)}"
    for name in ("libcxx", "libcxxabi", "libunwind"):
        text = (library / name / "LICENSE.TXT").read_text()
        parts.append(Part(f"LLVM {name}", llvm, "Apache-2.0 WITH LLVM-exception", [text],
                          "https://llvm.org"))
    zig = tools.ZIG.split("==")[1]
    parts.append(Part("zig's compiler_rt", zig, "MIT",
                      [(library.parent / "LICENSE").read_text()], "https://ziglang.org"))
    rust = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True,
                          cwd=root).stdout.split()[1]
    mit = "Copyright (c) The Rust Project Contributors\n\n" + \
        "\n".join((root / "LICENSE-MIT").read_text().splitlines()[4:]) + "\n"
    parts.append(Part("Rust standard library", rust, "MIT OR Apache-2.0", [mit],
                      "https://www.rust-lang.org"))
    for name, licence, text, home in IN_THE_REPOSITORY:
        parts.append(Part(name, None, licence, [(root / text).read_text()], home))
    return parts
