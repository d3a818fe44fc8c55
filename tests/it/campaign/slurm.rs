//! A four-node Slurm cluster on this machine: a controller and a daemon for each node, on their own
//! ports in their own folder, stopped when dropped.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::support::{DYNO, have, said, skip, until};

pub const NODES: [&str; 4] = ["lab1", "lab2", "lab3", "lab4"];

/// Time limit on a very busy machine, seconds.
const PATIENCE: u64 = 300;

/// The cluster.
pub struct Slurm {
    folder: tempfile::TempDir,
    /// munge, the controller, and the nodes with their names.
    daemons: Vec<(String, Child)>,
}

impl Slurm {
    /// Starts it; the test is skipped if impossible.
    pub fn start() -> Option<Slurm> {
        if !have(&["slurmctld", "slurmd", "munged", "sbatch"]) {
            return None;
        }
        if !rustix::process::geteuid().is_root() {
            skip("Slurm's daemons are started as root");
            return None;
        }
        let mut slurm =
            Slurm { folder: tempfile::tempdir().expect("a folder"), daemons: Vec::new() };
        let at = slurm.path("").display().to_string();
        for folder in ["state", "spool", "run"] {
            std::fs::create_dir(slurm.path(folder)).expect("a folder");
        }
        std::fs::write(slurm.path("slurm.conf"), conf(&at)).expect("written");
        std::fs::write(slurm.path("gres.conf"), "").expect("written");
        let key = slurm.path("munge.key");
        // Nothing else is ever signed with it.
        std::fs::write(&key, [7; 1024]).expect("written");
        let only_mine = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&key, only_mine).expect("changed");
        let munged = ["--foreground", "--force"].map(str::to_string).into_iter().chain(
            [("key-file", "munge.key"), ("socket", "run/munge"), ("pid-file", "run/munged.pid")]
                .map(|(option, file)| format!("--{option}={at}{file}")),
        );
        slurm.daemon("munged", munged.chain([format!("--seed-file={at}run/seed")]).collect());
        let socket = slurm.path("run/munge");
        until("munge", PATIENCE, || socket.exists());
        let conf = slurm.path("slurm.conf").display().to_string();
        slurm.daemon("slurmctld", vec!["-D".into(), "-f".into(), conf]);
        NODES.iter().for_each(|node| slurm.begin(node));
        until("all nodes to be idle", PATIENCE, || {
            let out = slurm.command("sinfo").args(["--noheader", "--Node", "--format=%T"]).output();
            let out = out.expect("ran");
            let text = String::from_utf8_lossy(&out.stdout);
            text.lines().filter(|line| line.trim() == "idle").count() == NODES.len()
        });
        Some(slurm)
    }

    fn daemon(&mut self, program: &str, args: Vec<String>) {
        let log =
            std::fs::File::create(self.path(&format!("{program}-{}.log", self.daemons.len())));
        let log = log.expect("a log");
        let mut command = self.command(program);
        command.args(args).stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        self.daemons.push((program.to_string(), command.spawn().expect("started")));
    }

    fn begin(&mut self, node: &str) {
        self.node(node, &[]);
    }

    /// Starts a node's daemon as on a machine that has just booted.
    pub fn begin_after_boot(&mut self, node: &str) {
        self.node(node, &["-b"]);
    }

    fn node(&mut self, node: &str, more: &[&str]) {
        let conf = self.path("slurm.conf").display().to_string();
        let args = [&["-D", "-f", &conf, "-N", node], more].concat();
        self.daemon("slurmd", args.into_iter().map(str::to_string).collect());
        self.daemons.last_mut().expect("a daemon").0 = node.to_string();
    }

    /// A program that uses this cluster.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin";
        command.env("SLURM_CONF", self.path("slurm.conf")).env("PATH", path);
        command
    }

    /// Dyno in a folder.
    pub fn dyno(&self, dir: &Path, args: &[&str]) -> Output {
        let mut command = self.command(DYNO);
        command.current_dir(dir).args(args).env("DYNO_TEST_SECRET", super::SECRET);
        command.output().expect("ran")
    }

    /// The same if it must succeed; returns its output.
    #[track_caller]
    pub fn well(&self, dir: &Path, args: &[&str]) -> String {
        let out = self.dyno(dir, args);
        assert!(out.status.success(), "dyno {args:?}: {}", said(&out));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    /// A node is lost, with everything running on it.
    pub fn lose(&mut self, node: &str) {
        let at = self.daemons.iter().position(|(name, _)| name == node).expect("a node");
        let (_, mut daemon) = self.daemons.remove(at);
        daemon.kill().expect("killed");
        daemon.wait().expect("ended");
        // Its processes have its name in their environment or command line; the shepherd above a
        // job would report its end.
        let (mark, own) = (format!("SLURMD_NODENAME={node}"), self.path("").display().to_string());
        let mut gone: Vec<Process> =
            processes().filter(|process| process.has(&mark) && process.has(&own)).collect();
        let parents: Vec<u32> = gone.iter().filter_map(Process::parent).collect();
        gone.extend(processes().filter(|p| parents.contains(&p.pid) && p.has("slurmstepd")));
        // All at the same time, as in a power failure.
        gone.iter().for_each(|process| process.signal("STOP"));
        gone.iter().for_each(Process::kill);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for (_, daemon) in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        // Shepherds of jobs, and jobs, outlive the daemons.
        let own = self.path("").display().to_string();
        processes().filter(|process| process.has(&own)).for_each(|process| process.kill());
    }
}

/// A process by its number.
pub struct Process {
    pub pid: u32,
    seen: String,
}

impl Process {
    /// Whether its command line or environment contains this.
    pub fn has(&self, text: &str) -> bool {
        self.seen.contains(text)
    }

    pub fn kill(&self) {
        self.signal("KILL");
    }

    fn signal(&self, name: &str) {
        let _ = Command::new("kill").args(["-s", name, &self.pid.to_string()]).output();
    }

    fn parent(&self) -> Option<u32> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
    }
}

/// All processes except this one.
pub fn processes() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| *pid != std::process::id()).filter_map(|pid| {
        let read = |file: &str| std::fs::read(format!("/proc/{pid}/{file}"));
        let seen = [read("cmdline").ok()?, b" ".to_vec(), read("environ").ok()?].concat();
        Some(Process { pid, seen: String::from_utf8_lossy(&seen).replace('\0', " ") })
    })
}

fn conf(at: &str) -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host = host.split('.').next().unwrap_or_default().to_string();
    // Held until all are known, so that they differ.
    let ports: Vec<TcpListener> =
        (0..=NODES.len()).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let ports: Vec<u16> = ports.iter().map(|l| l.local_addr().expect("a port").port()).collect();
    let nodes: String = NODES
        .iter()
        .zip(&ports[1..])
        .map(|(node, port)| {
            format!("NodeName={node} NodeHostname={host} Port={port} CPUs=1 Gres=nvme:2\n")
        })
        .collect();
    format!(
        "ClusterName=dyno\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmUser=root\n\
         AuthType=auth/munge\nAuthInfo=socket={at}run/munge\nCryptoType=crypto/munge\n\
         StateSaveLocation={at}state\nSlurmdSpoolDir={at}spool/%n\n\
         SlurmctldPidFile={at}run/slurmctld.pid\nSlurmdPidFile={at}run/%n.pid\n\
         ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nMpiDefault=none\n\
         JobAcctGatherType=jobacct_gather/none\nSelectType=select/cons_tres\n\
         SelectTypeParameters=CR_CPU\nReturnToService=2\nBatchStartTimeout=1\n\
         SlurmdTimeout=300\nMinJobAge=300\n\
         SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1\nGresTypes=nvme\n\
         {nodes}PartitionName=lab Nodes=lab[1-4] Default=YES State=UP MaxTime=INFINITE\n",
        ports[0]
    )
}
