//! What `dyno fleet submit` asks of Slurm, by a Slurm that only notes it: arrays, dependencies, and
//! campaigns that go on without a drive or a host.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::made;
use crate::support::{DYNO, said};

/// Numbers the arrays, and notes their options. As Slurm's default, `MaxArraySize` is 1001.
const SBATCH: &str = r#"#!/bin/sh
for script; do :; done
most=$(sed -n 's/^#SBATCH --array=//p' "$script" | sed 's/%.*//' | tr ',' '\n' | sort -n | tail -1)
if [ "$most" -gt 1000 ]; then echo "sbatch: error: Invalid job array specification" >&2; exit 1; fi
echo x >> jobs; number=$(wc -l < jobs)
options=$(grep -h -E '^#SBATCH --(array|nodelist|dependency)' "$script" | tr '\n' ' ')
echo "$number: $options" >> queue
echo "$number"
"#;

/// A campaign's folder with a Slurm of its own.
struct Queue(tempfile::TempDir);

impl Queue {
    fn new(campaign: &str) -> Queue {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(dir.path().join("bin")).expect("a folder");
        std::fs::write(dir.path().join("state"), "").expect("written");
        std::fs::write(dir.path().join("null.toml"), made::NULL).expect("written");
        let queue = Queue(dir);
        queue.program("sbatch", SBATCH);
        queue.program("squeue", "#!/bin/sh\ncat state\n");
        queue.program("scancel", "#!/bin/sh\nexit 0\n");
        queue.campaign(campaign);
        queue
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.path().join("bin").join(name);
        std::fs::write(&path, text).expect("written");
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path, all).expect("changed");
    }

    /// `text` is everything but the protocol and Slurm.
    fn campaign(&self, text: &str) {
        let slurm = "[slurm]\npartition = \"lab\"\nprogram = \"/usr/bin/dyno\"\n";
        let (keys, tables) = text.split_once("[[").expect("a table");
        let text = format!("protocol = \"./null.toml\"\nrepeats = 1\n{keys}{slurm}[[{tables}");
        std::fs::write(self.path().join("c.toml"), text).expect("written");
    }

    /// The drives of a host, all of model M.
    fn drives(&self, host: &str, serials: &[String]) {
        let drive = |(at, serial): (usize, &String)| {
            let device = format!("/dev/nvme{at}n1");
            json!({ "device": device, "model": "M", "identities": [serial] })
        };
        let all: Vec<Value> = serials.iter().enumerate().map(drive).collect();
        let path = self.path().join(format!("{host}.json"));
        std::fs::write(path, json!(all).to_string()).expect("written");
    }

    /// Slurm's view: lines of array, index, state and reason.
    fn state(&self, lines: &str) {
        std::fs::write(self.path().join("state"), lines).expect("written");
    }

    fn dyno(&self, args: &[&str]) -> Output {
        let path = format!("{}/bin:{}", self.path().display(), env!("PATH"));
        let mut command = Command::new(DYNO);
        command.current_dir(self.path()).args(args).env("PATH", path).output().expect("ran")
    }

    #[track_caller]
    fn submit(&self, args: &[&str]) -> String {
        let out = self.dyno(&[&["fleet", "submit", "c.toml"], args].concat());
        assert!(out.status.success(), "{}", said(&out));
        said(&out)
    }

    /// The options of each array.
    fn queue(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path().join("queue")).expect("an array");
        text.lines().map(str::to_string).collect()
    }

    fn states(&self) -> Vec<String> {
        let out = self.dyno(&["fleet", "status", "c.toml", "--json"]);
        let status: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let state = |task: &Value| task["state"].as_str().expect("a state").to_string();
        status["tasks"].as_array().expect("tasks").iter().map(state).collect()
    }
}

fn hosts(names: &[&str]) -> String {
    let one = |name: &&str| format!("[[host]]\nname = \"{name}\"\ndrives = \"{name}.json\"\n");
    names.iter().map(one).collect()
}

fn serials(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// All drives of model M, which may be erased.
fn subject(serials: &[String]) -> String {
    format!("[[subject]]\nname = \"D\"\nmodel = \"M\"\nerase = {}\n", json!(serials))
}

#[test]
fn no_array_has_an_index_above_a_thousand_and_its_elements_are_found_again() {
    let own = |host: usize| (1..=400).map(|n| format!("S{host}-{n}")).collect::<Vec<_>>();
    let all: Vec<String> = (1..=3).flat_map(own).collect();
    let queue = Queue::new(&format!("{}{}", hosts(&["h1", "h2", "h3"]), subject(&all)));
    (1..=3).for_each(|host| queue.drives(&format!("h{host}"), &own(host)));
    let text = queue.submit(&[]);
    assert!(text.contains("1,200 tasks in 4 arrays"), "{text}");
    // Tasks 801 to 1,200 are on the third host; those above 1,000 begin again at 1.
    let arrays = queue.queue();
    assert!(arrays[3].starts_with("4: #SBATCH --array=1,2,3,"), "{}", arrays[3]);
    let script = std::fs::read_to_string(queue.path().join("c/jobs/h3-4.sh")).expect("a script");
    assert!(script.contains("task=$((SLURM_ARRAY_TASK_ID + 1000))\n"), "{script}");
    queue.state("4|7|RUNNING|None\n");
    let running = queue.states().iter().position(|state| state == "running");
    assert_eq!(running, Some(1_006), "task 1,007");
}

#[test]
fn a_task_of_a_shared_drive_waits_for_its_tasks_of_earlier_calls() {
    let shared = serials(&["S1"]);
    let campaign = format!("rounds = 2\n{}{}", hosts(&["a", "b"]), subject(&shared));
    let queue = Queue::new(&campaign);
    ["a", "b"].iter().for_each(|host| queue.drives(host, &shared));
    let text = queue.submit(&[]);
    assert!(text.contains("D S1 is seen from a, b: taken for one shared drive"), "{text}");
    queue.state("1|1|CANCELLED|None\n2|2|RUNNING|None\n");
    queue.submit(&[]);
    let last = queue.queue().pop().expect("an array");
    assert!(last.starts_with("3: #SBATCH --array=1") && last.contains("=afterany:2 "), "{last}");
}

#[test]
fn a_campaign_goes_on_without_a_drive_that_died_and_its_file_may_lose_it() {
    let all = serials(&["S1", "S2", "S3"]);
    let campaign = format!("{}{}", hosts(&["a", "b"]), subject(&all));
    let queue = Queue::new(&campaign);
    queue.drives("a", &serials(&["S1", "S2"]));
    queue.drives("b", &serials(&["S3"]));
    queue.submit(&[]);
    queue.drives("a", &serials(&["S1"]));
    queue.state("1|1|FAILED|None\n1|2|FAILED|None\n2|3|FAILED|None\n");
    let text = queue.submit(&[]);
    assert!(text.contains("Task 2 (D S2) stays open: no host has it any more"), "{text}");
    assert!(text.contains("2 tasks in 2 arrays"), "{text}");
    queue.campaign(&format!("{}{}", hosts(&["a", "b"]), subject(&serials(&["S1", "S3"]))));
    let text = queue.submit(&[]);
    let lost = "No longer balanced as planned: D: tasks 1 instead of 2 on a";
    assert!(text.contains(lost) && !text.contains("stays open"), "{text}");
    assert_eq!(queue.states()[1], "given up");
    // A drive that was not submitted belongs to another campaign, and so does another load.
    let more = serials(&["S1", "S3", "S4"]);
    for changed in [
        format!("{}{}", hosts(&["a", "b"]), subject(&more)),
        format!("rounds = 2\n{}{}", hosts(&["a", "b"]), subject(&all)),
    ] {
        queue.campaign(&changed);
        let out = queue.dyno(&["fleet", "submit", "c.toml"]);
        assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    }
}

#[test]
fn a_task_of_a_lost_host_goes_where_its_subject_was_least_often() {
    let names = ["h1", "h2", "h3", "h4"];
    let campaign = format!(
        "rounds = 3\n{}[[subject]]\nname = \"A\"\npath = \"/srv/a\"\n",
        names.map(|name| format!("[[host]]\nname = \"{name}\"\n")).concat()
    );
    let queue = Queue::new(&campaign);
    queue.submit(&[]);
    let text = queue.submit(&["--lost", "h2"]);
    let moved =
        "No longer balanced as planned: A: tasks 0 instead of 1 on h2, 1 instead of 0 on h4";
    assert!(text.contains(moved), "{text}");
}

#[test]
fn a_host_without_an_answer_is_named_within_seconds_and_the_others_answers_stay() {
    let queue = Queue::new(
        "[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
         [[subject]]\nname = \"D\"\nmodel = \"M\"\n",
    );
    queue.program(
        "srun",
        r#"#!/bin/sh
case "$*" in
*nodelist=b*) echo "srun: Required node not available" >&2; exec sleep 1000 ;;
esac
echo '[{ "device": "/dev/n", "model": "M", "identities": ["S1"] }]'
"#,
    );
    let out = queue.dyno(&["fleet", "plan", "c.toml", "--find"]);
    let text = said(&out).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("querying b for its drives"), "{text}");
    assert!(text.contains("20 s: srun: Required node not available"), "{text}");
    assert!(queue.path().join("c/drives/a.json").exists(), "kept");
}

#[test]
fn without_slurm_a_host_measures_its_tasks_in_order_and_a_second_attempt_leaves_no_trace() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("srv")).expect("a folder");
    std::fs::write(dir.path().join("null.toml"), made::NULL).expect("written");
    let campaign = format!(
        "protocol = \"./null.toml\"\nrepeats = 1\nrounds = 2\n[[host]]\nname = \"a\"\n\
         [[subject]]\nname = \"A\"\npath = \"{}/srv\"\n",
        dir.path().display()
    );
    std::fs::write(dir.path().join("c.toml"), campaign).expect("written");
    let dyno = |args: &[&str]| crate::support::dyno(dir.path(), args);
    assert!(dyno(&["fleet", "submit", "c.toml", "--dry-run"]).status.success());
    let plan = std::fs::File::open(dir.path().join("c/tasks/1/plan-1.toml")).expect("a plan");
    rustix::fs::flock(&plan, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    let out = dyno(&["fleet", "task", "c", "1", "--host", "a"]);
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    assert!(said(&out).contains("task 1 is already running"), "{}", said(&out));
    assert!(!dir.path().join("c/tasks/1/attempts.jsonl").exists());
    drop(plan);
    let out = dyno(&["fleet", "task", "c", "--host", "a"]);
    assert!(out.status.success(), "{}", said(&out));
    let out = dyno(&["fleet", "collect", "c"]);
    assert!(said(&out).contains("Every point of every task exists once"), "{}", said(&out));
    let out = dyno(&["fleet", "task", "c", "--host", "b"]);
    assert!(said(&out).contains("the campaign has no task on b"), "{}", said(&out));
}
