//! A watcher process for each server, which ends the server if Dyno is killed. The kernel's signal
//! is not sufficient: a starting server may ignore it, and child processes of a tool do not receive
//! it.
//!
//! It is a shell, because a copy of Dyno's own process would slow down Dyno's memory. It leads the
//! process group of the server and waits for its standard input to end. Processes that leave the
//! group are still in the server's control group, if the host permits one.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::base::error::{Context, Result};
use crate::lab::machine::cgroup::Cgroup;

/// Its argument is the socket folder, and its input a line for each step of the start: "folder"
/// once it is Dyno's, "group FOLDER" with the control group, "server PROCESS SIGNAL" when the
/// server runs, and "ended" when nothing is left to watch. A clean stop has three seconds.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
cgroup=
now() { read -r up _ < /proc/uptime; now=${up%.*}; }
others() {
    found=
    # All of them, also one that has left the process group; and much faster than a search.
    [ -z "$cgroup" ] || while read -r process; do
        found="$found $process"
    done 2> /dev/null < "$cgroup/cgroup.procs"
    [ -z "$found" ] || return
    for stat in /proc/[0-9]*/stat; do
        { read -r line < "$stat"; } 2> /dev/null || continue
        set -- ${line##*) }
        [ "$3" = $$ ] && [ "$1" != Z ] && [ "${line%% *}" != $$ ] && found="$found ${line%% *}"
    done
}
folder= server= signal=
while read -r word rest; do
    case $word in
        folder) folder=$1 ;;
        group) cgroup=$rest ;;
        server) server=${rest% *} signal=${rest#* } ;;
        ended) exit ;;
    esac
done
if [ -n "$server" ]; then
    kill "-$signal" "$server"
    others
    now
    end=$((now + 3))
    while [ -n "$found" ] && [ $now -lt $end ]; do sleep 0.1; others; now; done
else
    others
fi
now
end=$((now + 60))
while [ -n "$found" ] && [ $now -lt $end ]; do
    kill -KILL $found
    sleep 0.05
    others
    now
done
# One that is not announced yet is empty.
if [ -n "$folder" ]; then rm -rf -- "$folder"; else rmdir -- "$1"; fi
[ -z "$cgroup" ] || rmdir -- "$cgroup"
"#;

/// The watcher; it ends when this is dropped.
#[derive(Debug)]
pub struct Watcher {
    child: Child,
}

impl Watcher {
    /// Starts a watcher, before the socket folder is made and the watched process started.
    pub fn start(run: &Path) -> Result<Watcher> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "dyno-watcher"]).arg(run);
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn();
        let child = child.context("starting /bin/sh, which would end a server without Dyno")?;
        Ok(Watcher { child })
    }

    /// The process group for the watched processes.
    pub fn group(&self) -> i32 {
        self.child.id() as i32
    }

    /// Announces that the socket folder is Dyno's.
    pub fn has_folder(&mut self) {
        self.say("folder\n");
    }

    /// Announces the control group of the watched processes.
    pub fn has_cgroup(&mut self, cgroup: &Cgroup) {
        self.say(&format!("group {}\n", cgroup.folder().display()));
    }

    /// Announces a running server, and the signal that stops it.
    pub fn watch(&mut self, server: u32, stop_signal: i32) {
        self.say(&format!("server {server} {stop_signal}\n"));
    }

    fn say(&mut self, line: &str) {
        // If the watcher has been killed, the kernel's signal remains.
        let _ = self.child.stdin.as_mut().map(|input| input.write_all(line.as_bytes()));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.say("ended\n");
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::time::{Duration, Instant};

    use super::*;

    /// The remaining processes of a group, without the watcher itself.
    fn members(group: i32) -> Vec<String> {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let of = |entry: std::fs::DirEntry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let (name, rest) = stat.rsplit_once(')')?;
            let fields: Vec<&str> = rest.split_whitespace().collect();
            (fields[2] == group.to_string() && fields[0] != "Z").then(|| name.to_string())
        };
        all.filter_map(of).collect()
    }

    /// A process that ignores SIGTERM, like a starting server, and its child.
    fn stubborn(group: i32) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "trap '' TERM; sleep 600 & wait"]).process_group(group);
        command.stdin(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn a_server_and_its_children_end_with_dyno_and_their_folder_goes() {
        for knows in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let run = folder.path().join("dyno-1-1");
            std::fs::create_dir_all(run.join("db")).unwrap();
            let mut watcher = Watcher::start(&run).unwrap();
            watcher.has_folder();
            let group = watcher.group();
            let mut server = stubborn(group);
            if knows {
                watcher.watch(server.id(), libc::SIGTERM);
            }
            let begun = Instant::now();
            // This is what the watcher observes if Dyno is killed.
            drop(watcher.child.stdin.take());
            server.wait().unwrap();
            watcher.child.wait().unwrap();
            assert_eq!(members(group), [""; 0], "it knows the server: {knows}");
            assert!(!run.exists());
            // An upper bound for a busy machine: a clean stop has three seconds.
            assert!(begun.elapsed() < Duration::from_secs(60));
        }
    }

    #[test]
    fn a_process_that_leaves_the_group_ends_too_if_there_is_a_control_group() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("dyno-watched-{}", std::process::id());
        let Some(cgroup) = Cgroup::unlimited(name.as_ref()) else {
            eprintln!("SKIPPED: no control group can be made here");
            return;
        };
        let run = folder.path().join("dyno-1-1");
        std::fs::create_dir(&run).unwrap();
        let mut watcher = Watcher::start(&run).unwrap();
        watcher.has_cgroup(&cgroup);
        let procs = cgroup.folder().join("cgroup.procs");
        let script = format!("echo 0 > {} && exec setsid --fork sleep 600", procs.display());
        let mut server = Command::new("/bin/sh");
        server.args(["-c", &script]).process_group(watcher.group());
        assert!(server.stdin(Stdio::null()).status().unwrap().success());
        let escaped = std::fs::read_to_string(&procs).unwrap();
        assert_eq!(escaped.lines().count(), 1, "{escaped}");
        drop(watcher.child.stdin.take());
        watcher.child.wait().unwrap();
        // Nobody may have waited for it yet.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", escaped.trim()));
        let has_ended = stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z "));
        assert!(has_ended && !procs.exists(), "{}", procs.exists());
    }

    #[test]
    fn a_server_that_has_ended_leaves_its_folder_to_dyno() {
        let folder = tempfile::tempdir().unwrap();
        let mut watcher = Watcher::start(folder.path()).unwrap();
        watcher.has_folder();
        let group = watcher.group();
        watcher.watch(group as u32, libc::SIGTERM);
        drop(watcher);
        assert!(folder.path().exists() && members(group).is_empty());
        drop(Watcher::start(folder.path()).unwrap());
        assert!(folder.path().exists(), "a server that was never started");
        // Dyno is killed before it announces the folder: only an empty one can be its own.
        for (is_empty, stays) in [(false, true), (true, false)] {
            let file = folder.path().join("somebody's");
            if is_empty {
                std::fs::remove_file(&file).unwrap();
            } else {
                std::fs::write(&file, "").unwrap();
            }
            let mut watcher = Watcher::start(folder.path()).unwrap();
            drop(watcher.child.stdin.take());
            drop(watcher);
            assert_eq!(folder.path().exists(), stays);
        }
    }
}
