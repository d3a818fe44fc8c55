//! A watcher process for each server, which ends the server if Dyno is killed. The kernel's signal
//! is not sufficient: a starting server may ignore it, and child processes of a tool do not receive
//! it.
//!
//! It is a shell, because a copy of Dyno's own process would slow down Dyno's memory. It leads the
//! process group of the server and waits for its standard input to end: no process can leave or
//! enter the group after that, so none escapes.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::base::error::{Context, Result};

/// Its input is "PROCESS SIGNAL" when the server runs, and "ended" when it has ended. Its arguments
/// are the socket folder and, if there is one, the control group. A clean stop has three seconds.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
others() {
    found=
    for stat in /proc/[0-9]*/stat; do
        { read -r line < "$stat"; } 2> /dev/null || continue
        set -- ${line##*) }
        [ "$3" = $$ ] && [ "$1" != Z ] && [ "${line%% *}" != $$ ] && found="$found ${line%% *}"
    done
}
read -r server signal
others
if [ -n "$server" ]; then
    read -r word
    [ "$word" = ended ] && exit
    kill "-$signal" "$server"
    others
    n=0
    while [ -n "$found" ] && [ $n -lt 30 ]; do sleep 0.1; n=$((n + 1)); others; done
fi
n=0
while [ -n "$found" ] && [ $n -lt 100 ]; do
    kill -KILL $found
    sleep 0.05
    n=$((n + 1))
    others
done
rm -rf -- "$1"
[ -z "$2" ] || rmdir -- "$2"
"#;

/// The watcher; it ends when this is dropped.
pub struct Watcher {
    child: Child,
    knows_server: bool,
}

impl Watcher {
    /// Starts a watcher, before the process that it watches.
    pub fn start(run: &Path, cgroup: Option<&Path>) -> Result<Watcher> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "dyno-watcher"]).arg(run).arg(cgroup.unwrap_or(Path::new("")));
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn();
        let child = child.context("starting /bin/sh, which would end a server without Dyno")?;
        Ok(Watcher { child, knows_server: false })
    }

    /// The process group for the watched processes.
    pub fn group(&self) -> i32 {
        self.child.id() as i32
    }

    /// Announces a running server, and the signal that stops it.
    pub fn watch(&mut self, server: u32, stop_signal: i32) {
        self.say(&format!("{server} {stop_signal}\n"));
        self.knows_server = true;
    }

    fn say(&mut self, line: &str) {
        // If the watcher has been killed, the kernel's signal remains.
        let _ = self.child.stdin.as_mut().map(|input| input.write_all(line.as_bytes()));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.say(if self.knows_server { "ended\n" } else { "none 0\nended\n" });
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
            let mut watcher = Watcher::start(&run, None).unwrap();
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
    fn a_server_that_has_ended_leaves_its_folder_to_dyno() {
        let folder = tempfile::tempdir().unwrap();
        let mut watcher = Watcher::start(folder.path(), None).unwrap();
        let group = watcher.group();
        watcher.watch(group as u32, libc::SIGTERM);
        drop(watcher);
        assert!(folder.path().exists() && members(group).is_empty());
        drop(Watcher::start(folder.path(), None).unwrap());
        assert!(folder.path().exists(), "a server that was never started");
    }
}
