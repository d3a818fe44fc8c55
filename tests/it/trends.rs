//! Trends: a figure over many runs of a folder, in the terminal, as JSON and as a page.

use std::path::Path;

use dyno::record::setup::DriveSetup;
use dyno::record::{Run, Setup};
use serde_json::{Value, json};

use crate::made::{self, Figures};
use crate::support::{dyno, dyno_well, said};
use crate::web::serve;

const DAY_NS: u64 = 86_400_000_000_000;
/// 2026-08-25 12:00 UTC.
const FIRST_NS: u64 = 1_787_659_200_000_000_000;

/// Runs a day apart: subject A is 10 % faster from the day of its new firmware, B is unchanged;
/// scatter 1 %.
pub fn runs(folder: &Path, days: u32, new_firmware: u32) {
    let mut rng = made::rng(16, 0);
    let sources = tempfile::tempdir().expect("a folder");
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8] }";
    let plan = made::plan(sources.path(), &made::step("reads", sweep, ""), 2, 3);
    for day in 0..days {
        let is_new = day >= new_firmware;
        let firmware = if is_new { "FW2" } else { "FW1" };
        let drive = |subject: &str, model: &str, firmware: &str| DriveSetup {
            subject: subject.into(),
            model: Some(model.into()),
            firmware: Some(firmware.into()),
            ..DriveSetup::default()
        };
        let drives = vec![drive("A", "Model X", firmware), drive("B", "Model Y", "FW1")];
        let setup = Setup { drives, ..Setup::default() };
        let started_unix_ns = FIRST_NS + u64::from(day) * DAY_NS;
        let run = Run { plan: plan.clone(), started_unix_ns, dyno_version: "test".into() };
        let of_day = (0.01 * rng.normal()).exp();
        made::write_run(&folder.join(format!("day-{day:02}.dyno")), &run, &setup, &mut |key| {
            let better = if key.subject == "A" && is_new { 1.1 } else { 1.0 };
            let ops_per_s = 50_000.0 * better * of_day * (0.002 * rng.normal()).exp();
            Some(Figures { ops_per_s, p99_ns: 2e5 / better, ..Figures::default() })
        });
    }
}

fn followed(folder: &Path, args: &[&str]) -> Vec<Value> {
    let args = [&["trend", ".", "--json"], args].concat();
    let document: Value = serde_json::from_str(&dyno_well(folder, &args)).expect("JSON");
    document["histories"].as_array().expect("histories").clone()
}

fn of<'a>(histories: &'a [Value], subject: &str) -> &'a Value {
    histories.iter().find(|h| h["subject"] == subject).expect("a history")
}

#[test]
fn a_step_of_one_subject_is_found_at_its_run_with_the_firmware_that_came_with_it() {
    let made = made::folder();
    runs(made.path(), 24, 14);
    let found = followed(made.path(), &[]);
    assert_eq!(found.len(), 2);
    let (a, b) = (of(&found, "A"), of(&found, "B"));
    assert_eq!((&a["runs"].as_array().map(Vec::len), &b["changes"]), (&Some(24), &json!([])));
    assert_eq!((&a["metric"], &a["at"]), (&json!("ops/s"), &json!("8")));
    assert_eq!(a["runs"][0]["bundle"], "day-00.dyno", "the oldest is the first");
    let changes = a["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0]["bundle"], "day-14.dyno");
    let percent = changes[0]["change_percent"].as_f64().expect("a number");
    assert!((percent - 10.0).abs() < 1.5, "{percent}");
    assert_eq!(changes[0]["within"], json!(["day-14.dyno", "day-14.dyno"]));
    let replaced = &changes[0]["replaced"][0];
    assert_eq!((&replaced["what"], &replaced["after"]), (&json!("firmware"), &json!(["FW2"])));
    for (date, code) in [("2026-09-08", 1), ("2026-09-09", 0)] {
        let out = dyno(made.path(), &["trend", ".", "--changed-since", date]);
        assert_eq!(out.status.code(), Some(code), "{date}: {}", said(&out));
    }
    let text = dyno_well(made.path(), &["trend", ".", "--subject", "model x"]);
    assert!(text.contains("(day-14.dyno) on: firmware FW1 before, FW2 after"), "{text}");
    assert!(text.contains("2026-09-08") && !text.contains("Model Y"), "{text}");
}

#[test]
fn histories_are_of_subjects_models_or_firmware_and_of_any_figure() {
    let made = made::folder();
    runs(made.path(), 16, 8);
    let found = followed(made.path(), &["--by", "firmware", "--measure", "p99"]);
    let old = of(&found, "Model X, FW1");
    assert_eq!((&old["runs"].as_array().map(Vec::len), &old["metric"]), (&Some(8), &json!("p99")));
    assert_eq!(of(&found, "Model X, FW2")["changes"], json!([]));
    let found = followed(made.path(), &["--by", "model", "--last", "5"]);
    assert_eq!(of(&found, "Model X")["runs"].as_array().map(Vec::len), Some(5));
    let none = dyno(made.path(), &["trend", ".", "--subject", "nothing"]);
    assert!(!none.status.success() && said(&none).contains("no completed run"), "{}", said(&none));
}

/// Runs with different plans are not one history.
#[test]
fn another_configuration_begins_another_history_and_is_named() {
    let made = made::folder();
    runs(made.path(), 6, 6);
    let sources = tempfile::tempdir().expect("a folder");
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8] }";
    let mut plan = made::plan(sources.path(), &made::step("reads", sweep, ""), 2, 3);
    plan.protocol.steps[0].duration_ns = 7_000_000_000;
    let run = Run { plan, started_unix_ns: FIRST_NS * 2, dyno_version: "test".into() };
    made::write_run(&made.path().join("other.dyno"), &run, &Setup::default(), &mut |_| {
        Some(Figures { ops_per_s: 9e4, p99_ns: 2e5, ..Figures::default() })
    });
    let found = followed(made.path(), &["--subject", "B"]);
    let runs: Vec<_> = found.iter().map(|h| h["runs"].as_array().map(Vec::len)).collect();
    assert_eq!(runs, [Some(1), Some(6)], "{found:#?}");
    let differs = &found[1]["differs"][0];
    assert!(differs["field"].as_str().is_some_and(|f| f.contains("duration")), "{differs}");
}

#[test]
fn a_trend_is_chosen_in_a_form_and_drawn_with_its_change_point() {
    let made = made::folder();
    runs(made.path(), 20, 12);
    let served = serve(made.path());
    let form = served.page("/trends");
    assert!(form.contains("Made (made): 20 runs") || form.contains(": 20 runs"), "{form}");
    let name = form.split("<option value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let address = format!("/trend?protocol={}&by=subject&measure=&subject=", name.expect("a name"));
    let page = served.page(&address);
    assert!(page.contains("20 runs in the order in which they began, with 1 change point"));
    assert!(page.contains("firmware FW1 before, FW2 after"), "{page}");
    assert_eq!(served.get("/trend?protocol=nothing").status, 404);
    assert_eq!(served.get(&address.replace("measure=", "measure=p98")).status, 400);
    assert_eq!(served.get(&address.replace("by=subject", "by=evil")).status, 400);
    assert_eq!(served.get("/trend").status, 400);
}

#[test]
fn subjects_of_several_runs_are_compared_as_far_as_they_were_measured_alike() {
    let made = made::folder();
    runs(made.path(), 2, 1);
    let sources = tempfile::tempdir().expect("a folder");
    let mut plan = made::plan(sources.path(), &made::step("reads", "", ""), 1, 3);
    let write = |plan: &dyno::plan::Plan, name: &str| {
        made::write(&made.path().join(name), plan, &mut |_| {
            Some(Figures { ops_per_s: 9e4, p99_ns: 2e5, ..Figures::default() })
        });
    };
    plan.protocol.steps[0].duration_ns = 7_000_000_000;
    write(&plan, "unlike.dyno");
    plan.protocol.name = "another".to_string();
    write(&plan, "other.dyno");
    let served = serve(made.path());
    assert!(served.page("/").contains("name=\"run\" value=\"day-00.dyno\""));
    let runs = "run=day-00.dyno&run=day-01.dyno";
    let choice = served.page(&format!("/compare?{runs}"));
    assert!(
        choice.contains("value=\"0:A\" checked") && choice.contains("value=\"1:B\""),
        "{choice}"
    );
    let page = served.page(&format!("/comparison?{runs}&subject=0:A&subject=1:A"));
    assert!(page.contains("A (day-00)") && page.contains("A (day-01)"), "{page}");
    assert!(!page.contains("B (day-01)"), "what was not chosen is not there");
    let page = served.page("/comparison?run=day-00.dyno&run=unlike.dyno&subject=0:A&subject=1:A");
    assert!(page.contains("duration"), "{page}");
    for bad in ["", "run=day-00.dyno&run=other.dyno", "run=day-00.dyno&subject=x"] {
        assert_eq!(served.get(&format!("/comparison?{bad}")).status, 400, "{bad}");
    }
    for gone in ["run=../day-00.dyno", "run=day-00.dyno&subject=0:Z", "run=day-00.dyno&subject=7:A"]
    {
        assert_eq!(served.get(&format!("/comparison?{gone}")).status, 404, "{gone}");
    }
}
