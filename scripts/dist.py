#!/usr/bin/env python3
"""Packages: .deb, .rpm and .tar.zst of one binary for glibc 2.28 and later, with checksums.

    scripts/dist.py [--target TRIPLE] [--binary FILE] [--only deb] [-o DIR] [-- CARGO OPTIONS]

TRIPLE is x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu. --binary packages a program that
is there already, --only one kind of package. Packages go to DIR, by default `packages` in the
target folder. The same commit gives the same bytes, in whichever folder and whenever it is built
(scripts/reproducible.py).

What builds it is installed here by pip, in pinned versions, beside the target folder of CI:
cargo-zigbuild, zig, CycloneDX's library. Debian's dpkg-deb, rpmbuild and zstd pack.
"""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "packages"))
import licences  # noqa: E402
import parts  # noqa: E402
import tools  # noqa: E402

# The oldest systems: RHEL 8, Debian 10 (2.28), Ubuntu 20.04 (2.31).
GLIBC = "2.28"
MAINTAINER = "The Dyno developers <maintainers@dyno.invalid>"
SUMMARY = "dynamometer for SSDs"
DESCRIPTION = """\
Dyno puts two or more drives, or groups of drives, through the same load, block by block, database
by database, and says which is faster, at what, by how much and at how many watts, with confidence
intervals and with everything disclosed that a reviewer would ask for."""
# Of Debian and of RPM.
ARCHITECTURES = {"x86_64-unknown-linux-gnu": ("amd64", "x86_64"),
                 "aarch64-unknown-linux-gnu": ("arm64", "aarch64")}
SHELLS = {"bash": ("bash-completion/completions", "dyno"), "zsh": ("zsh/site-functions", "_dyno"),
          "fish": ("fish/vendor_completions.d", "dyno.fish")}
DEBIAN_ZSH = "zsh/vendor-completions"


def target_folder():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").absolute()


def said(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          **more).stdout.strip()


class Release:
    """The packaged version, its commit and its timestamp."""

    def __init__(self, target):
        self.target = target
        self.debian, self.rpm = ARCHITECTURES[target]
        package = said("cargo", "pkgid", "--offline", "--locked")
        self.version = package.rsplit("#", 1)[1].rsplit("@", 1)[-1]
        self.commit = said("git", "describe", "--always", "--dirty", "--abbrev=12")
        self.epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or
                         said("git", "log", "-1", "--format=%ct"))
        self.name = f"dyno-{self.version}-{self.rpm}-linux"

    def environment(self):
        """No path of this machine remains in the binary."""
        cargo = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
        places = [(cargo, "/cargo"), (ROOT, "/dyno"), (target_folder(), "/target")]
        # cargo-zigbuild enables debugging information, which would be stripped again.
        maps = (f"-ffile-prefix-map={here}={there}" for here, there in places)
        flags = " ".join(["-g0", *maps])
        rust = " ".join(f"--remap-path-prefix={here}={there}" for here, there in places)
        # ROCKSDB_COMPILE: zig recompiles RocksDB with its own C++ library.
        return {**os.environ, "RUSTFLAGS": rust, "CFLAGS": flags, "CXXFLAGS": flags,
                "ROCKSDB_COMPILE": "1",
                "CARGO_TARGET_DIR": str(target_folder()), "DYNO_COMMIT": self.commit,
                "SOURCE_DATE_EPOCH": str(self.epoch), "TZ": "UTC", "LC_ALL": "C.UTF-8"}

    def build(self, options):
        environment = self.environment()
        environment["PATH"] = f"{tools.programs()}{os.pathsep}{environment['PATH']}"
        subprocess.run(
            ["cargo", "zigbuild", "--locked", "--profile", "dist", "--package", "dyno",
             "--bin", "dyno",
             "--target", f"{self.target}.{GLIBC}", *options],
            check=True, cwd=ROOT, env=environment)
        return target_folder() / self.target / "dist" / "dyno"


def runner(release):
    """The emulator for a program of another architecture."""
    if release.rpm == os.uname().machine:
        return []
    # Debian's libc6-arm64-cross.
    return [f"qemu-{release.rpm}-static", "-L", f"/usr/{release.rpm}-linux-gnu"]


def compressed(path):
    """As required for Debian's pages and changes: without name and time in the header."""
    (path.parent / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()


def bill(release, crates, others):
    """The bill of materials (scripts/packages/sbom.py)."""
    described = []
    for one in crates.values():
        own = one["name"] == "dyno"
        described.append({
            "name": one["name"], "version": one["version"], "crate": True,
            "source": one["repository"], "licence": one["license"],
            "type": "application" if own else "library",
            "ref": f"{one['name']}@{one['version']}",
            "needs": [f"{crates[id]['name']}@{crates[id]['version']}" for id in one["needs"]]})
    described.sort(key=lambda one: one["type"] != "application")
    for part in others:
        described.append({
            "name": part.name, "version": part.version, "crate": False, "source": part.source,
            "type": "library", "licence": part.licence, "ref": part.name, "needs": []})
        described[0]["needs"].append(part.name)
    identity = f"dyno {release.version} {release.commit} {release.target}"
    text = json.dumps({"identity": identity, "epoch": release.epoch, "parts": described})
    return said(tools.programs() / "python", ROOT / "scripts/packages/sbom.py", input=text) + "\n"


def tree(at, binary, release, options):
    """Everything that is installed, below the prefix `at`."""
    share, doc = at / "share", at / "share" / "doc" / "dyno"
    for folder in (at / "bin", doc, share / "dyno", share / "man" / "man1"):
        folder.mkdir(parents=True)
    shutil.copyfile(binary, at / "bin" / "dyno")
    os.chmod(at / "bin" / "dyno", 0o755)
    dyno = [*runner(release), str(at / "bin" / "dyno")]
    said(*dyno, "man", str(share / "man" / "man1"))
    for page in sorted((share / "man" / "man1").iterdir()):
        compressed(page)
    for shell, (folder, name) in SHELLS.items():
        (share / folder).mkdir(parents=True)
        (share / folder / name).write_text(said(*dyno, "completions", shell) + "\n")
    said(*dyno, "schema", "--all", str(share / "dyno" / "schemas"))
    for folder, source in (("protocols", "plans"), ("examples", "examples")):
        shutil.copytree(ROOT / source, share / "dyno" / folder)
    for name in ("README.md", "GLOSSARY.md", "LICENSE-APACHE", "LICENSE-MIT"):
        shutil.copyfile(ROOT / name, doc / name)
    shutil.copyfile(ROOT / "CHANGELOG.md", doc / "changelog")
    compressed(doc / "changelog")
    shutil.copytree(ROOT / "docs", doc / "docs")
    crates = parts.crates(ROOT, release, options)
    others = parts.of_everything(ROOT, crates)
    (doc / "THIRD-PARTY-LICENCES").write_text(licences.of_everything(crates, others))
    compressed(doc / "THIRD-PARTY-LICENCES")
    (doc / "dyno.cdx.json").write_text(bill(release, crates, others))
    for path in sorted(at.rglob("*")):
        if path.name != "dyno" or path.parent.name != "bin":
            os.chmod(path, 0o755 if path.is_dir() else 0o644)


def dated(folder, epoch):
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def archive(stage, out, release):
    """A .tar.zst with one folder: sorted names, owned by root, with the commit's time."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = release.epoch
        return entry

    path = out / f"{release.name}.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for one in [stage, *sorted(stage.rglob("*"))]:
            name = pathlib.Path(release.name) / one.relative_to(stage)
            tar.add(one, arcname=str(name), recursive=False, filter=plain)
    subprocess.run(["zstd", "-q", "-f", "-19", "--single-thread", "--rm", path], check=True)
    return out / f"{release.name}.tar.zst"


def deb(stage, out, release):
    with tempfile.TemporaryDirectory() as work:
        root = pathlib.Path(work) / "root"
        shutil.copytree(stage, root / "usr")
        share = root / "usr" / "share"
        (share / DEBIAN_ZSH).parent.mkdir(exist_ok=True)
        (share / "zsh" / "site-functions").rename(share / DEBIAN_ZSH)
        shutil.copyfile(ROOT / "scripts" / "packages" / "copyright",
                        share / "doc" / "dyno" / "copyright")
        kib = sum(-(-p.stat().st_size // 1024) for p in root.rglob("*") if p.is_file())
        control = root / "DEBIAN" / "control"
        control.parent.mkdir()
        lines = DESCRIPTION.replace("\n", "\n ")
        control.write_text(
            f"Package: dyno\nVersion: {release.version}-1\nArchitecture: {release.debian}\n"
            f"Maintainer: {MAINTAINER}\nInstalled-Size: {kib}\nDepends: libc6 (>= {GLIBC})\n"
            "Recommends: nvme-cli\nSuggests: xfsprogs, mariadb-server, postgresql\n"
            f"Section: utils\nPriority: optional\nDescription: {SUMMARY}\n {lines}\n")
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                os.chmod(path, 0o755)
        dated(root, release.epoch)
        path = out / f"dyno_{release.version}-1_{release.debian}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", root, path],
            check=True, stdout=subprocess.DEVNULL, env=release.environment())
        return path


def rpm(stage, out, release):
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        dated(stage, release.epoch)
        spec = (ROOT / "scripts" / "packages" / "dyno.spec").read_text()
        values = {"VERSION": release.version, "SUMMARY": SUMMARY, "DESCRIPTION": DESCRIPTION,
                  "GLIBC": GLIBC, "STAGE": str(stage)}
        for name, value in values.items():
            spec = spec.replace(f"@{name}@", value)
        (work / "dyno.spec").write_text(spec)
        subprocess.run(
            ["rpmbuild", "-bb", "--quiet", "--target", f"{release.rpm}-linux",
             "--define", f"_topdir {work}", "--define", f"_rpmdir {work}/rpms",
             "--define", f"_buildrootdir {work}/root", work / "dyno.spec"],
            check=True, stdout=subprocess.DEVNULL, env=release.environment())
        [made] = sorted((work / "rpms").rglob("*.rpm"))
        return pathlib.Path(shutil.copy(made, out / made.name))


# Kinds of packages: what packs them.
PACKS = {"tar": ("zstd", archive), "deb": ("dpkg-deb", deb), "rpm": ("rpmbuild", rpm)}


def sums(out):
    """SHA256SUMS of every package in the folder, including earlier targets."""
    names = sorted(p.name for p in out.iterdir() if p.is_file() and p.name != "SHA256SUMS")
    (out / "SHA256SUMS").write_text(
        subprocess.run(["sha256sum", *names], check=True, capture_output=True, text=True,
                       cwd=out).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=ARCHITECTURES, default="x86_64-unknown-linux-gnu")
    parser.add_argument("--binary", type=pathlib.Path)
    parser.add_argument("--only", choices=PACKS)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("options", nargs="*", metavar="-- CARGO OPTIONS")
    args = parser.parse_args()
    packs = [PACKS[args.only]] if args.only else list(PACKS.values())
    tools.of_the_system(*(program for program, _ in packs))
    release = Release(args.target)
    binary = args.binary or release.build(args.options)
    out = (args.output or target_folder() / "packages").absolute()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        stage = pathlib.Path(work) / "stage"
        tree(stage, binary, release, args.options)
        shutil.copyfile(stage / "share/doc/dyno/dyno.cdx.json", out / f"{release.name}.cdx.json")
        made = [pack(stage, out, release) for _, pack in packs]
    sums(out)
    for path in made:
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
