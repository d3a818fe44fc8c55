"""Shared by the labs: a guest with Debian's cloud kernel and busybox, its drives, and reports of
missing requirements."""

import glob
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
# Exit of a lab that cannot run here.
CANNOT = 77


def kernel():
    found = sorted(glob.glob("/boot/vmlinuz-*cloud-amd64"))
    return found[-1] if found else None


def missing(tools, modules=()):
    """Missing requirements of a lab; each line names the Debian package."""
    needs = {
        "qemu-system-x86_64 (qemu-system-x86)": shutil.which("qemu-system-x86_64"),
        "busybox (busybox-static)": shutil.which("busybox"),
        "a kernel (linux-image-cloud-amd64)": kernel(),
    }
    needs.update({f"{tool} ({package})": os.path.exists(tool) for tool, package in tools.items()})
    if kernel():
        needs.update({f"the kernel's module {name}": module(name) for name in modules})
    return [name for name, there in needs.items() if not there]


def module(name):
    """The files of a kernel module, dependencies first; empty if missing."""
    folder = kernel().replace("/boot/vmlinuz-", "/lib/modules/")
    with open(os.path.join(folder, "modules.dep"), encoding="ascii") as lists:
        for line in lists:
            path, others = line.rstrip().split(":")
            if os.path.basename(path) == f"{name}.ko":
                return [os.path.join(folder, each) for each in [*reversed(others.split()), path]]
    return []


def libraries(program):
    """The shared libraries of a program, including its loader."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    words = [word for line in listed.splitlines() for word in line.split()]
    return [word for word in words if word.startswith("/")]


def initramfs(work, dyno, tools, guest, modules=()):
    """A root of busybox, Dyno, the tools and their libraries, the modules and a guest's files,
    packed for the kernel."""
    root = os.path.join(work, "root")
    for folder in [
        "bin",
        "usr/bin",
        "usr/sbin",
        "dev",
        "proc",
        "sys",
        "tmp",
        "out",
        "lab",
        "etc",
        "run",
        "modules",
    ]:
        os.makedirs(os.path.join(root, folder))
    shutil.copy(shutil.which("busybox"), os.path.join(root, "bin/busybox"))
    shutil.copy(dyno, os.path.join(root, "bin/dyno"))
    subprocess.run(["strip", os.path.join(root, "bin/dyno")], check=False)
    for tool in tools:
        place = os.path.join(root, tool.lstrip("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        (shutil.copytree if os.path.isdir(tool) else shutil.copy)(tool, place)
    programs = [dyno, *(tool for tool in tools if os.path.isfile(tool))]
    for library in {library for program in programs for library in libraries(program)}:
        place = os.path.join(root, library.lstrip("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(library, place)
    files = dict.fromkeys(path for name in modules for path in module(name))
    for number, path in enumerate(files):
        shutil.copy(path, os.path.join(root, "modules", f"{number:02}-{os.path.basename(path)}"))
    guest = os.path.join(HERE, guest)
    for name in os.listdir(guest):
        shutil.copy(os.path.join(guest, name), os.path.join(root, "lab", name))
    shutil.copy(os.path.join(guest, "init"), os.path.join(root, "init"))
    os.chmod(os.path.join(root, "init"), 0o755)
    image = os.path.join(work, "initramfs")
    names = subprocess.run(["find", "."], cwd=root, capture_output=True, check=True).stdout
    with open(image, "wb") as out:
        subprocess.run(
            ["busybox", "cpio", "-o", "-H", "newc", "-R", "0:0"],
            cwd=root,
            input=names,
            stdout=out,
            check=True,
            stderr=subprocess.DEVNULL,
        )
    return image


def qemu(
    image, memory_mib, part, *more, boots=None, processors=2, program="qemu-system-x86_64"
):
    """The command of the machine, whose guest reads its instructions from the kernel command line.
    `boots` is a kernel and `program` a QEMU with another version than this system's. Emulated
    processors wait for each other, so a guest that measures nothing has one."""
    return [
        program,
        "-accel",
        "tcg,thread=multi",
        "-cpu",
        "max",
        "-machine",
        "q35",
        "-smp",
        str(processors),
        "-m",
        str(memory_mib),
        "-nographic",
        "-nodefaults",
        "-no-reboot",
        "-serial",
        "stdio",
        "-kernel",
        boots or kernel(),
        "-initrd",
        image,
        "-append",
        # Code at one address in every process is translated once for all.
        f"console=ttyS0 quiet norandmaps no_timer_check panic=-1 mitigations=off lab={part}",
        *more,
    ]


def disk(work, name, mib):
    path = os.path.join(work, name)
    with open(path, "wb") as file:
        file.truncate(mib * MIB)
    return path


def outbox(work):
    """A drive to which the guest writes its output as an archive: QEMU's arguments."""
    path = disk(work, "outbox", 256)
    return ["-drive", f"file={path},format=raw,if=none,id=outbox,cache=unsafe",
            "-device", "nvme,id=outbox,serial=OUTBOX,drive=outbox"]


def unpack(work, out):
    subprocess.run(["tar", "xf", os.path.join(work, "outbox"), "-C", out], check=True)
    with open(os.path.join(out, "finished"), encoding="ascii") as finished:
        return int(finished.read())
