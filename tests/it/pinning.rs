//! The processors of workers, as reported by the kernel for their running threads.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use dyno::record::{WorkerProcessors, observed};
use dyno::store::Bundle;

use crate::support::{DYNO, dyno, said, skip, until};

/// The processors that this process may use.
fn allowed() -> Vec<usize> {
    let mask = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect()
}

fn plan(dir: &Path, threads: u32, cpus: &str) {
    let text = format!(
        "title = \"Pinned\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nduration = \"1500ms\"\n\
         [[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n\
         threads = {threads}\nrate = \"1000/s\"\n{cpus}\n"
    );
    std::fs::write(dir.join("p.toml"), text).unwrap();
    std::fs::create_dir_all(dir.join("drive")).unwrap();
}

const RUN: [&str; 8] =
    ["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"];

/// For every thread of a process, its permitted processors and the one on which it last ran.
fn threads(process: u32) -> Vec<(String, usize)> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let of = |task: &Path| {
        let status = std::fs::read_to_string(task.join("status")).ok()?;
        let may = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:"))?.trim();
        let stat = std::fs::read_to_string(task.join("stat")).ok()?;
        let ran = stat.rsplit_once(") ")?.1.split(' ').nth(36)?.parse().ok()?;
        Some((may.to_string(), ran))
    };
    tasks.filter_map(|task| of(&task.path())).collect()
}

#[test]
fn each_worker_runs_on_the_processor_that_the_plan_gives_it() {
    let cpus = allowed();
    let [first, .., last] = cpus[..] else {
        return skip("one processor alone: there is nothing to choose from");
    };
    let dir = tempfile::tempdir().unwrap();
    plan(dir.path(), 2, &format!("cpus = \"{last},{first}\""));
    let mut child = Command::new(DYNO)
        .current_dir(dir.path())
        .args(RUN)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let wanted = BTreeSet::from([first, last]);
    until("both workers on a processor each", 60, || {
        assert!(child.try_wait().unwrap().is_none(), "the run ended, and no workers were seen");
        let pinned = threads(child.id()).into_iter().filter(|(may, ran)| *may == ran.to_string());
        pinned.map(|(_, ran)| ran).collect::<BTreeSet<_>>() == wanted
    });
    assert!(child.wait().unwrap().success());
    let points = Bundle::open(&dir.path().join("b.dyno")).unwrap().points().unwrap();
    let observed = &points[0].point.observed;
    let mut workers = observed::all::<WorkerProcessors>(observed);
    assert!(workers.any(|workers| workers.one_each), "{observed:?}");
}

#[test]
fn a_processor_that_is_not_there_is_refused_before_the_first_step() {
    let dir = tempfile::tempdir().unwrap();
    plan(dir.path(), 1, "cpus = \"4000\"");
    let output = dyno(dir.path(), &RUN);
    assert!(!output.status.success());
    let said = said(&output);
    assert!(said.contains("processors 4000") && said.contains("set `cpus` to some of"), "{said}");
    plan(dir.path(), 1, "cpus = \"first\"");
    assert!(self::said(&dyno(dir.path(), &RUN)).contains("\"0-3,8\""));
}
