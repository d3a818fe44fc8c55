//! What may be said of subjects that were measured one after the other, in separate runs or in
//! turns: through bundles and the program's own views.

use std::path::{Path, PathBuf};

use dyno::base::rng::Rng;
use dyno::plan::{Order, PointIndex};
use serde_json::Value;

use crate::made::{self, Figures, rng};
use crate::support::{dyno, dyno_well, said, size};

const DEPTHS: &str = "sweep = { axis = \"io.depth\", values = [1, 8, 32] }";

/// A bundle of these subjects in an order. `faster`: the factor of each subject.
fn bundle(
    folder: &Path,
    name: &str,
    (subjects, faster): (&[&str], &[f64]),
    order: Order,
) -> PathBuf {
    let mut plan = made::plan(folder, &made::step("reads", DEPTHS, ""), subjects.len(), 5);
    plan.order = order;
    plan.subjects.iter_mut().zip(subjects).for_each(|(own, name)| own.name = name.to_string());
    let path = folder.join(name);
    let mut rng = rng(71, name.len() as u64);
    made::write(&path, &plan, &mut |key| {
        let own = subjects.iter().position(|s| *s == key.subject).expect("a subject");
        let ops_per_s = 5e4 * faster[own] * (0.01 * rng.normal()).exp();
        let p99_ns = 2e5 / faster[own] * (0.01 * rng.normal()).exp();
        Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
    });
    path
}

fn standings(found: &Value) -> Vec<String> {
    let all = found["comparisons"].as_array().expect("a list");
    all.iter().map(|c| c["standing"].as_str().expect("a word").to_string()).collect()
}

/// Nothing is claimed, no interval of a difference is printed, and the sentence says why, in each
/// view.
fn says_separate_runs(folder: &Path, files: &[&str]) {
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let found = made::claims(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &[]);
    assert_eq!(found["claims"].as_array().map(Vec::len), Some(0), "{found:#}");
    assert_eq!(found["comparisons_in_family"], 0);
    let all = found["comparisons"].as_array().expect("a list");
    assert!(!all.is_empty());
    for c in all {
        assert_eq!(c["standing"], "SeparateRuns", "{c:#}");
        assert!(c["factor"][1].is_null() && c["percent"][2].is_null(), "{c:#}");
        assert_eq!(c["printed"], "measured in separate runs");
    }
    let with = |command: &[&str]| dyno_well(folder, &[command, files].concat());
    for text in [with(&["claims"]), with(&["compare"])] {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("A and B were measured in separate runs: ops/s"), "{text}");
        assert!(words.contains("no difference is stated"), "{text}");
        assert!(!text.contains('▲') && !text.contains('≈'), "{text}");
    }
    with(&["report", "-o", "b.md"]);
    let report = std::fs::read_to_string(folder.join("b.md")).expect("read");
    assert!(report.contains("measured in separate runs") && !report.contains('▲'), "{report}");
    let export = with(&["export", "--table", "comparisons"]);
    let mut rows = export.lines();
    let head: Vec<&str> = rows.next().expect("a head").split(',').collect();
    let low = head.iter().position(|name| *name == "percent_low").expect("a column");
    assert!(rows.clone().count() > 0);
    rows.for_each(|row| assert_eq!(row.split(',').nth(low), Some(""), "{row}"));
}

#[test]
fn separate_runs_and_blocks_support_no_claim_in_any_view() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "a.dyno", (&["A"], &[1.0]), Order::Interleaved);
    bundle(folder, "b.dyno", (&["B"], &[1.3]), Order::Interleaved);
    says_separate_runs(folder, &["a.dyno", "b.dyno"]);
    bundle(folder, "bl.dyno", (&["A", "B"], &[1.0, 1.3]), Order::Blocked);
    says_separate_runs(folder, &["bl.dyno"]);
    bundle(folder, "three.dyno", (&["A", "B", "C"], &[1.0, 1.3, 1.1]), Order::Blocked);
    says_separate_runs(folder, &["three.dyno"]);
}

#[test]
fn pairs_in_turns_are_judged_beside_others_in_separate_runs() {
    let made = made::folder();
    let folder = made.path();
    let ab = bundle(folder, "ab.dyno", (&["A", "B"], &[1.0, 1.3]), Order::Interleaved);
    let c = bundle(folder, "c.dyno", (&["C"], &[2.0]), Order::Interleaved);
    let found = made::claims(&[&ab, &c], &[]);
    // Three points and their mean of two figures.
    assert_eq!(found["comparisons_in_family"], 8, "{found:#}");
    let separate = standings(&found).iter().filter(|s| *s == "SeparateRuns").count();
    assert_eq!(separate, 16, "{found:#}");
    for claim in found["claims"].as_array().expect("a list") {
        assert_eq!((&claim["better"], &claim["worse"]), (&"B".into(), &"A".into()), "{claim:#}");
    }
    assert!(!found["claims"].as_array().expect("a list").is_empty());
    // Two runs of both: each within itself.
    let again = bundle(folder, "again.dyno", (&["A", "B"], &[1.0, 1.3]), Order::Interleaved);
    let found = made::claims(&[&ab, &again], &[]);
    assert_eq!(found["comparisons_in_family"], 16, "{found:#}");
    assert_eq!(standings(&found).iter().filter(|s| *s == "SeparateRuns").count(), 32);
}

/// A session of one subject on its own drive; its effect is common to its repeats.
fn session(folder: &Path, (name, subject): (&str, &str), rng: &mut Rng, faster: f64) -> PathBuf {
    let mut plan = made::plan(folder, &made::step("reads", DEPTHS, ""), 1, 5);
    plan.subjects[0].name = subject.to_string();
    let effect = (0.03 * rng.normal()).exp();
    let path = folder.join(format!("{name}.dyno"));
    let _ = std::fs::remove_file(&path);
    made::write(&path, &plan, &mut |_| {
        let ops_per_s = 5e4 * faster * effect * (0.03 * rng.normal()).exp();
        let p99_ns = 2e5 / faster / effect * (0.03 * rng.normal()).exp();
        Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
    });
    path
}

/// Three sessions of A and of B in this order of time, with B faster by a factor.
fn sessions(folder: &Path, order: &[&str], rng: &mut Rng, faster: f64) -> Value {
    let of = |name: &&str| {
        let subject = if name.starts_with('a') { "A" } else { "B" };
        let own = if subject == "B" { faster } else { 1.0 };
        session(folder, (name, subject), rng, own)
    };
    let paths: Vec<PathBuf> = order.iter().map(of).collect();
    made::claims(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &[])
}

const IN_TURNS: [&str; 6] = ["a1", "b1", "a2", "b2", "a3", "b3"];

#[test]
fn bundles_of_a_subject_are_its_sessions_and_support_claims_if_they_alternate_in_time() {
    let made = made::folder();
    let (folder, rng) = (made.path(), &mut rng(74, 0));
    let found = sessions(folder, &IN_TURNS, rng, 1.5);
    // Three points and their mean of two figures.
    assert_eq!(found["comparisons_in_family"], 8, "{found:#}");
    let claims = found["claims"].as_array().expect("a list");
    assert!(!claims.is_empty(), "{found:#}");
    for claim in claims {
        assert_eq!((&claim["better"], &claim["worse"]), (&"B".into(), &"A".into()), "{claim:#}");
        let basis = claim["basis"].as_str().expect("text");
        assert!(basis.contains("sessions as a random effect: 3 and 3"), "{basis}");
    }
    // One drive in the first half of the time, the other in the second.
    let found = sessions(folder, &["a1", "a2", "a3", "b1", "b2", "b3"], rng, 1.5);
    assert_eq!(found["comparisons_in_family"], 0, "{found:#}");
    assert!(standings(&found).iter().all(|s| s == "SeparateRuns"), "{found:#}");
    // The only subject: its bundles are what is compared.
    let text = dyno_well(folder, &["compare", "a1.dyno", "a2.dyno"]);
    assert!(text.contains("A (a1)") && text.contains("A (a2)"), "{text}");
    // Another test of the same subject is another subject.
    let mut plan = made::plan(folder, &made::step("reads", DEPTHS, "threads = 2"), 1, 5);
    plan.subjects[0].name = "A".to_string();
    made::write(&folder.join("a4.dyno"), &plan, &mut |_| {
        Some(Figures { ops_per_s: 5e4, p99_ns: 2e5, ..Figures::default() })
    });
    let text = dyno_well(folder, &["compare", "a1.dyno", "b1.dyno", "a2.dyno", "a4.dyno"]);
    assert!(text.contains("A (a1)") && text.contains("A (a4)"), "{text}");
    assert!(!text.contains("A (a2)"), "{text}");
}

/// Sessions differ by as much as their repeats scatter; 36 of 60 such briefs of one session each
/// were false when sessions did not count.
#[test]
fn equal_subjects_in_several_sessions_are_hardly_ever_called_different() {
    let made = made::folder();
    let (briefs, mut rng) = (size(20, 400), rng(75, 0));
    let is_false = |found: &Value| found["claims"].as_array().is_some_and(|all| !all.is_empty());
    let of = |faster: f64, briefs: usize, rng: &mut Rng| {
        (0..briefs).filter(|_| is_false(&sessions(made.path(), &IN_TURNS, rng, faster))).count()
    };
    let wrong = of(1.0, briefs, &mut rng);
    let found = of(1.5, briefs / 10, &mut rng);
    println!(
        "{wrong} of {briefs} briefs were false; +50 % was found in {found} of {}",
        briefs / 10
    );
    // At 5 %, chance exceeds this in 3 of 1,000 such sets.
    assert!(wrong <= if briefs > 100 { 33 } else { 4 }, "{wrong} of {briefs}");
    assert!(found > 0);
}

#[test]
fn a_returned_block_claims_what_is_large_beside_its_return() {
    let made = made::folder();
    let folder = made.path();
    let of = |name: &str, faster: f64| {
        let path = bundle(folder, name, (&["A", "B"], &[1.0, faster]), Order::Returned);
        made::claims(&[&path], &[])
    };
    let same = of("same.dyno", 1.0);
    assert_eq!(same["claims"].as_array().map(Vec::len), Some(0), "{same:#}");
    assert!(standings(&same).iter().all(|s| s == "NotShown"), "{same:#}");
    let other = of("other.dyno", 40.0);
    assert!(standings(&other).iter().any(|s| s == "Claimed"), "{other:#}");
    // The plan measures the first subject before and after the other.
    let mut plan = made::plan(folder, &made::step("reads", "", ""), 2, 5);
    plan.order = Order::Returned;
    let order: Vec<String> =
        dyno::plan::points(&plan).map(|p| format!("{}{}", p.key.subject, p.key.repeat)).collect();
    assert_eq!(order.join(" "), "A1 A2 A3 B1 B2 B3 B4 B5 A4 A5");
}

/// With an odd number of repeats one subject is first more often, so that the levels as measured
/// divide to another number than the difference.
#[test]
fn a_number_and_its_calculation_agree_where_the_order_was_adjusted_for() {
    let made = made::folder();
    let plan = made::plan(made.path(), &made::step("reads", "", ""), 2, 3);
    let (places, path) = (PointIndex::of(&plan), made.path().join("pl.dyno"));
    let mut rng = rng(72, 0);
    made::write(&path, &plan, &mut |key| {
        let place = f64::from(places.place(&plan, key).expect("in turns"));
        let faster = if key.subject == "A" { 1.25 } else { 1.0 };
        let ops_per_s = 5e4 * faster * (1.0 - 0.1 * place) * (0.001 * rng.normal()).exp();
        Some(Figures { ops_per_s, p99_ns: 2e5, ..Figures::default() })
    });
    let found = made::claims(&[&path], &["--metric", "ops/s"]);
    let claim = &found["claims"][0];
    let basis = claim["basis"].as_str().expect("text");
    assert!(basis.contains("levels adjusted for the order of measurement"), "{basis}");
    let result =
        basis.split("= ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a result");
    let result: f64 = result.parse().expect("a number");
    let percent = claim["percent"][0].as_f64().expect("a number");
    assert!((result - percent).abs() < 0.05 && (percent - 25.0).abs() < 1.0, "{basis}: {percent}");
}

#[test]
fn an_outlying_repeat_of_one_subject_is_named() {
    let made = made::folder();
    let plan = made::plan(made.path(), &made::step("reads", "", ""), 2, 5);
    let path = made.path().join("b.dyno");
    let mut rng = rng(73, 0);
    made::write(&path, &plan, &mut |key| {
        let slow = if (key.subject.as_str(), key.repeat) == ("A", 3) { 0.3 } else { 1.0 };
        let ops_per_s = 5e4 * slow * (0.01 * rng.normal()).exp();
        Some(Figures { ops_per_s, p99_ns: 2e5, ..Figures::default() })
    });
    let text = dyno_well(made.path(), &["compare", "b.dyno"]);
    assert!(text.contains("repeat 3 of A ran at 0.30 × its others"), "{text}");
}

/// 1,000 ops are too few for p99, whatever it seems to be.
#[test]
fn a_value_with_too_few_ops_for_its_percentile_neither_holds_nor_fails() {
    let made = made::folder();
    let sweep = "sweep = { axis = \"io.rate\", values = [\"1000/s\", \"20000/s\", \"30000/s\"], \
                 search = { metric = \"io.p99\", at_most = \"900us\" } }";
    let plan = made::plan(made.path(), &made::step("s", sweep, "rate = \"1000/s\""), 1, 3);
    let report = |name: &str, most: f64| {
        let path = made.path().join(format!("{name}.dyno"));
        made::write(&path, &plan, &mut |key| {
            let rate = key.axis.as_ref().map_or(0.0, |a| a.value.as_f64());
            let p99_ns = if rate > most { 2e6 } else { 2.5e5 };
            Some(Figures { ops_per_s: rate, p99_ns, asked: Some(rate), ..Figures::default() })
        });
        let page = format!("{name}.md");
        dyno_well(made.path(), &["report", &format!("{name}.dyno"), "-o", &page]);
        std::fs::read_to_string(made.path().join(page)).expect("read")
    };
    let all = report("all", 30_000.0);
    let broken = "first that does not hold";
    assert!(all.contains("| A | 30,000 | 250") && !all.contains(broken), "{all}");
    let some = report("some", 20_000.0);
    assert!(some.contains(broken) && some.contains("| 20,000 | 30,000 | "), "{some}");
}

/// At 1,000/s and 1.5 s, p99 has 1,500 ops instead of its 10,000.
#[test]
fn a_search_plans_as_long_as_its_percentile_needs() {
    let made = made::folder();
    let step = "[[step]]\nname = \"s\"\nduration = \"200ms\"\n\
                sweep = { axis = \"io.rate\", values = [\"4000/s\", \"8000/s\", \"9000/s\"], \
                search = { metric = \"io.p99\", at_most = \"10s\" } }\n\
                [[step.stream]]\nname = \"io\"\nworkload = \"random\"\nrate = \"4000/s\"\n\
                engine = { kind = \"null\", latency = \"20us\" }\n";
    let protocol = format!("title = \"s\"\nsource = \"test\"\n{step}");
    std::fs::write(made.path().join("s.toml"), protocol).expect("written");
    std::fs::create_dir(made.path().join("drive")).expect("a folder");
    let of_plan = ["s.toml", "--subject", "A=drive", "--repeats", "1"];
    let check = dyno(made.path(), &[&["plan", "check"], &of_plan[..], &["--json"]].concat());
    let found: Value =
        serde_json::from_slice(&check.stdout).unwrap_or_else(|_| panic!("{}", said(&check)));
    assert_eq!(found["steps"][0]["duration_ns"], 2_600_000_000u64, "{found:#}");
    assert_eq!(found["not_measured"], serde_json::json!([]));
    let text = std::fs::read_to_string(made.path().join("s.toml")).expect("read");
    let short = text.replace("io.p99", "io.p99.999");
    std::fs::write(made.path().join("short.toml"), short).expect("written");
    let short = ["plan", "check", "short.toml", "--subject", "A=drive", "--repeats", "1"];
    let said = dyno_well(made.path(), &short);
    assert!(said.contains("p99.999 is not measured up to 9000 ops/s"), "{said}");
}
