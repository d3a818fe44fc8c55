#!/usr/bin/env python3
"""The benchmarks' own PostgreSQL, with a database `dyno`, on a local socket and on a loopback
port."""

import os
import pwd
import shutil
import subprocess
import sys
import time
from pathlib import Path

from peers import free_port

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def programs():
    """The folder with Debian's newest initdb and postgres, or the one on the PATH; None without."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = newest[-1] if newest else shutil.which("initdb")
    return Path(found).parent if found else None


class PostgreSql:
    engine = "postgres"
    name = "PostgreSQL"

    def __init__(self, folder):
        self.port, self.data, self.account = free_port(), folder / "data", []
        self.socket = folder / f".s.PGSQL.{self.port}"
        if os.geteuid() == 0:
            folder.chmod(0o755)
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self.account = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        made = subprocess.run(
            [
                *self.account,
                programs() / "initdb",
                "-U",
                "postgres",
                "--auth=trust",
                "-D",
                self.data,
            ],
            capture_output=True,
            text=True,
        )
        if made.returncode != 0:
            sys.exit(f"initdb: {made.stderr}")
        self.version = subprocess.run(
            [programs() / "postgres", "--version"], capture_output=True, text=True
        ).stdout.split()[2]
        self.start()
        self.sql("CREATE DATABASE dyno")

    def start(self):
        self.process = subprocess.Popen(
            [
                *self.account,
                programs() / "postgres",
                "-D",
                self.data,
                "-k",
                self.socket.parent,
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                f"port={self.port}",
                "-c",
                "shared_buffers=512MB",
                "-c",
                "max_wal_size=2GB",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + 60
        while self.sql("SELECT 1") != 0:
            if time.monotonic() > give_up or self.process.poll() is not None:
                sys.exit("PostgreSQL does not come up")
            time.sleep(0.1)

    def sql(self, text):
        where = ["-h", self.socket.parent, "-p", str(self.port), "-U", "postgres", "-d", "postgres"]
        return subprocess.run(["psql", *where, "-c", text], capture_output=True).returncode

    def env(self, database, tcp=False, socket=None):
        """Its address for Dyno, perhaps by another socket that leads to its own."""
        folder = str((socket or self.socket).parent).replace("/", "%2F")
        host = "127.0.0.1" if tcp else folder
        return {"DYNO_POSTGRES_URL": f"postgresql://postgres@{host}:{self.port}/{database}"}

    def cpu(self):
        """CPU seconds so far: its own and its processes', including ended ones."""
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            own = stat.parent.name == str(self.process.pid)
            if own or fields[1] == str(self.process.pid):
                total += sum(int(field) for field in fields[11 : 15 if own else 13])
        return total / TICKS_A_SECOND

    def stop(self):
        self.process.terminate()
        self.process.wait()
