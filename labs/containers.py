"""Machines for a lab that needs several: containers of Debian 12 that boot systemd, each with a
name, an address, a disk of its own over one root, and loop devices as drives. They lie in
namespaces of their own, so that whatever ends the lab ends them, and takes mounts and network
with it."""

import fcntl
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import sys
import time

RELEASE = "bookworm"
# For a machine to boot, and for any request to it, on a busy host.
PATIENCE_S = 600
# TEST-NET-2 (RFC 5737), which is unassigned; nothing leaves the lab's own network.
ADDRESSES = "198.51.100"
# Of linux/loop.h.
LOOP_SET_STATUS64, LOOP_GET_STATUS64, LOOP_INFO64_BYTES = 0x4C04, 0x4C05, 232
LO_FLAGS_AT, LO_FLAGS_AUTOCLEAR = 52, 4

TOOLS = {"systemd-nspawn": "systemd-container", "debootstrap": "debootstrap", "ip": "iproute2",
         "unshare": "util-linux", "setpriv": "util-linux", "nsenter": "util-linux",
         "losetup": "mount", "flock": "util-linux"}


def run(*words, **more):
    """Runs a command that must succeed; returns its output."""
    words = [str(word) for word in words]
    ran = subprocess.run(words, text=True, check=False, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(words)} failed: {ran.stdout.strip()}")
    return ran.stdout


def until(what, holds):
    """Waits for a condition; on a timeout, reports which."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"waited {PATIENCE_S} s for {what}")
        time.sleep(0.2)


def cut_off(*namespaces):
    """The prefix of a command that runs it as the first process in its own namespaces: when it or
    this process ends, everything started by it is killed."""
    return ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", *namespaces,
            "--mount-proc", "--fork", "--kill-child"]


def debian(packages):
    """A root of Debian as left by its installer, with an SSH server, and with all required packages
    in apt's cache: created once, and stored with the other roots."""
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    root = pathlib.Path(cache) / "dyno-tools" / "roots" / f"{RELEASE}-installed"
    if not (root / "complete").exists():
        run("rm", "-rf", "--one-file-system", root)
        root.parent.mkdir(parents=True, exist_ok=True)
        script = [sys.executable, pathlib.Path(__file__).resolve(), root, *packages]
        subprocess.run([*cut_off(), *script], check=True, stdin=subprocess.DEVNULL)
    return root


def make_root(root, packages):
    """In its own namespaces, so that no mount of debootstrap's remains."""
    sites = run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages")
    mirror = next(site for site in sites.splitlines() if "security" not in site)
    print(f"Debian {RELEASE}, made once, in {root}", flush=True)
    run("debootstrap", "--include=openssh-server,dbus", RELEASE, root, mirror)
    # With this machine's apt configuration.
    for name in ["apt.conf.d", "auth.conf.d", "keyrings", "preferences.d", "sources.list",
                 "sources.list.d", "trusted.gpg", "trusted.gpg.d"]:
        run("rm", "-rf", root / "etc/apt" / name)
        if os.path.exists(f"/etc/apt/{name}"):
            run("cp", "-a", f"/etc/apt/{name}", root / "etc/apt" / name)
    # Images for containers remove downloaded packages.
    (root / "etc/apt/apt.conf.d/zz-lab").write_text(
        "#clear DPkg::Post-Invoke;\n#clear APT::Update::Post-Invoke;\n")
    (root / "etc/resolv.conf").write_bytes(pathlib.Path("/etc/resolv.conf").read_bytes())
    chroot = ["chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
    run(*chroot, "update")
    # As on an installed machine: with updates.
    run(*chroot, "-y", "dist-upgrade")
    run(*chroot, "-y", "--download-only", "install", *packages)
    (root / "etc/resolv.conf").unlink()
    (root / "complete").touch()


class Drives:
    """Loop devices on files of zeroes, each removed when closed by all: this holds them open."""

    def __init__(self, folder):
        self.folder, self.held = folder, []

    def make(self, name, mib):
        """The device and its serial number."""
        path = self.folder / name
        with open(path, "wb") as file:
            file.truncate(mib << 20)
        # One at a time, like concurrent tests: two that search at once may find the same one, and
        # briefly have the other's open.
        lock = "/tmp/dyno-tests-losetup.lock"
        device = run("flock", lock, "losetup", "--find", "--show", path).strip()
        self.held.append(os.open(device, os.O_RDONLY))
        status = bytearray(LOOP_INFO64_BYTES)
        fcntl.ioctl(self.held[-1], LOOP_GET_STATUS64, status)
        struct.pack_into("=I", status, LO_FLAGS_AT, LO_FLAGS_AUTOCLEAR)
        fcntl.ioctl(self.held[-1], LOOP_SET_STATUS64, status)
        return device, str(path)


class Machine:
    """A running container."""

    def __init__(self, name, process):
        self.name, self.process = name, process

    def first(self):
        """Its first process, by this machine's number; None before it exists."""
        todo = [self.process.pid]
        while todo:
            pid = todo.pop()
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
                children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
            except OSError:
                continue
            numbers = next(line for line in status.splitlines() if line.startswith("NSpid:"))
            if numbers.split()[-1] == "1":
                return pid
            todo += [int(child) for child in children.split()]
        return None

    def inside(self, *words):
        """The prefix of a command in it."""
        return ["nsenter", "--target", str(self.first()), "--all", "--", *words]

    def is_up(self):
        """Whether it has booted; if so, it only sees its own drives."""
        if self.process.poll() is not None:
            sys.exit(f"{self.name} ended while it booted: see its log")
        if not self.first():
            return False
        ran = subprocess.run(self.inside("systemctl", "is-active", "ssh", "multi-user.target"),
                             capture_output=True, text=True, check=False)
        if ran.stdout.split() != ["active", "active"]:
            return False
        # The kernel is shared by all machines and knows all their drives.
        run(*self.inside("mount", "--bind", "/srv/block", "/sys/block"))
        return True


class Network:
    """Machines on one network, with one account and one home directory, on one root. Only in its
    own namespaces (`cut_off("--net")`)."""

    def __init__(self, root, names, account, work, logs):
        self.names, self.account, self.work, self.logs = names, account, work, logs
        # nspawn keeps its locks there, and has no systemd to register with.
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        # A single hierarchy of control groups, as in Debian 12, whatever this machine has.
        run("umount", "--recursive", "/sys/fs/cgroup")
        run("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "lab", "type", "bridge")
        run("ip", "link", "set", "lab", "up")
        self.home, self.devices = work / "home", work / "devices"
        self.home.mkdir()
        self.devices.mkdir()
        # Device nodes may be opened there, regardless of the work folder.
        run("mount", "-t", "tmpfs", "tmpfs", self.devices)
        self.prepare(self.overlay("common", [root]))
        self.layers = [work / "common-own", root]

    def overlay(self, name, below):
        at, own, busy = (self.work / f"{name}{end}" for end in ("", "-own", "-busy"))
        for folder in (at, own, busy):
            folder.mkdir()
        lower = ":".join(str(folder) for folder in below)
        # Nothing has to survive a power failure, so nothing is synced.
        run("mount", "-t", "overlay", "overlay", "-o",
            f"lowerdir={lower},upperdir={own},workdir={busy},volatile", at)
        return at

    def prepare(self, root):
        """Common to all: an account whose key root of each accepts, and all hosts' names."""
        run("mount", "--bind", self.home, root / "home")
        chroot = ["chroot", root]
        run(*chroot, "useradd", "--create-home", "--shell", "/bin/bash", "--groups", "disk",
            self.account)
        own = ["runuser", "-u", self.account, "--"]
        home = f"/home/{self.account}"
        run(*chroot, *own, "mkdir", "-m", "700", f"{home}/.ssh")
        run(*chroot, *own, "ssh-keygen", "-q", "-t", "ed25519", "-N", "",
            "-f", f"{home}/.ssh/id_ed25519")
        run(*chroot, *own, "touch", f"{home}/.ssh/known_hosts")
        self.known = self.home / self.account / ".ssh/known_hosts"
        run(*chroot, "install", "-D", "-m", "600", f"{home}/.ssh/id_ed25519.pub",
            "/root/.ssh/authorized_keys")
        run("umount", root / "home")
        hosts = "".join(f"{self.address(name)} {name}\n" for name in self.names)
        (root / "etc/hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
        (root / "etc/machine-id").write_text("")
        # Slurm refuses a kernel with both versions unless one is selected.
        if len(pathlib.Path("/proc/self/cgroup").read_text().splitlines()) > 1:
            print("cgroup.conf: CgroupPlugin=cgroup/v1, as this kernel has control groups of both "
                  "versions", flush=True)
            (root / "etc/slurm").mkdir()
            (root / "etc/slurm/cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        for key in (root / "etc/ssh").glob("ssh_host_*"):
            key.unlink()

    def address(self, name):
        return f"{ADDRESSES}.{self.names.index(name) + 1}"

    def boot(self, name, drives):
        """A machine with these devices, the only ones visible to it."""
        root = self.overlay(name, self.layers)
        (root / "etc/hostname").write_text(f"{name}\n")
        (root / "etc/network/interfaces.d/host0").write_text(
            f"auto host0\niface host0 inet static\n    address {self.address(name)}/24\n")
        run("chroot", root, "ssh-keygen", "-A")
        key = (root / "etc/ssh/ssh_host_ed25519_key.pub").read_text().split()
        with open(self.known, "a", encoding="ascii") as known:
            known.write(f"{name},{self.address(name)} {' '.join(key[:2])}\n")
        seen = self.devices / name
        for folder in (seen, seen / "block"):
            folder.mkdir()
        for device in drives:
            block = os.path.basename(device)
            (seen / "block" / block).symlink_to(f"../devices/virtual/block/{block}")
            os.mknod(seen / block, stat.S_IFBLK, os.stat(device).st_rdev)
            # As created by udev.
            shutil.chown(seen / block, "root", "disk")
            os.chmod(seen / block, 0o660)
        group = group_of(self.work) / name
        group.mkdir(parents=True)
        for controller in (group.parent / "cgroup.controllers").read_text().split():
            (group.parent / "cgroup.subtree_control").write_text(f"+{controller}")

        def join():
            (group / "cgroup.procs").write_text("0")

        with open(self.logs / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--boot", f"--directory={root}",
                 f"--machine={name}", "--register=no", "--keep-unit", "--network-bridge=lab",
                 "--resolv-conf=off", "--timezone=off", "--link-journal=no",
                 "--console=read-only", f"--bind={self.home}:/home",
                 f"--bind-ro={seen / 'block'}:/srv/block",
                 *(f"--bind={seen / os.path.basename(device)}:{device}" for device in drives)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=join)
        return Machine(name, process)


def group_of(work):
    """The control group of all machines of a lab, where one hierarchy is mounted."""
    return pathlib.Path("/sys/fs/cgroup") / work.name


def remove_groups(work):
    """Removes the control groups of a lab that has ended, once their processes have."""
    script = ("umount --recursive /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup;"
              ' [ ! -e "$0" ] || find "$0" -depth -type d -exec rmdir {} + 2>&1')
    words = ["unshare", "--mount", "sh", "-c", script, group_of(work)]
    until("all processes of the machines to end",
          lambda: subprocess.run(words, check=False, capture_output=True).returncode == 0)


if __name__ == "__main__":
    make_root(pathlib.Path(sys.argv[1]), sys.argv[2:])
