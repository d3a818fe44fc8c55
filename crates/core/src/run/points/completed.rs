//! Whether a point has any figures: a stream that completed nothing was not measured, and its zero
//! is not a result.

use crate::base::error::{Error, Result, failed};
use crate::base::units;
use crate::plan::{Step, Stream};
use crate::record::{Cell, Class, Tally};
use crate::workload;

/// Fails if a stream completed no op on one of its drives, or none of its leading class. A check is
/// measured by its duration, so it may complete after the window.
pub fn check(step: &Step, cells: &[Cell], window_ns: u64) -> Result<()> {
    for stream in &step.streams {
        let own: Vec<&Cell> = cells.iter().filter(|cell| cell.stream == stream.name).collect();
        let several = own.len() > 1;
        for cell in &own {
            if !have_result(&[cell], |_| true) {
                return Err(nothing(stream, several.then_some(*cell), "op", &own, window_ns));
            }
        }
        // The recording determines which classes of op it has.
        let is_recorded = workload::recorded(stream)?.is_some();
        if let Some(class) = leading(stream).filter(|_| stream.headline && !is_recorded)
            && !own.is_empty()
            && !have_result(&own, |of| of == class)
        {
            return Err(nothing(stream, None, class.name(), &own, window_ns));
        }
    }
    Ok(())
}

/// The leading class of a stream: reads if it makes any, otherwise the first class of its workload.
fn leading(stream: &Stream) -> Option<Class> {
    let workload = workload::find(&stream.workload.name)?;
    let all = workload.classes(&stream.workload.knobs);
    [Class::PREFIX, Class::READ]
        .into_iter()
        .find(|class| all.contains(class))
        .or(all.first().copied())
}

fn have_result(cells: &[&Cell], is_of: impl Fn(Class) -> bool) -> bool {
    let tallies = cells.iter().flat_map(|cell| &cell.tallies);
    tallies.filter(|tally| is_of(tally.class)).any(Tally::has_result)
}

fn nothing(
    stream: &Stream,
    on: Option<&Cell>,
    class: &str,
    own: &[&Cell],
    window_ns: u64,
) -> Error {
    let on = on.map_or(String::new(), |cell| {
        format!(" on drive {}, instance {},", cell.drive + 1, cell.instance + 1)
    });
    let due: u64 = own.iter().map(|cell| cell.backlog_end).sum();
    let given_up: u64 = own.iter().flat_map(|cell| &cell.tallies).map(|tally| tally.given_up).sum();
    let also = match (due, given_up) {
        (0, 0) => String::new(),
        (0, given_up) => format!("; {} were rolled back and abandoned", units::grouped(given_up)),
        (due, _) => format!("; {} were due", units::grouped(due)),
    };
    failed(
        format!(
            "stream '{}'{on} completed no {class} in the window of {}{also}: not measured",
            stream.name,
            units::latency(window_ns as f64)
        ),
        "check `dmesg` for errors of the drive, what else uses or limits it, and whether the \
         window is long enough for the rate",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::histogram::Histogram;
    use crate::record::{Outcome, Point, PointKey};

    fn step(workload: &str) -> Step {
        serde_json::from_value(serde_json::json!({
            "name": "a", "title": "", "warmup_ns": 0, "duration_ns": 1, "drop_caches": false,
            "settle": false,
            "streams": [{
                "name": "io",
                "engine": { "name": "null", "knobs": {} },
                "workload": { "name": workload, "knobs": {} },
                "dataset": "", "threads": 1, "depth": 1, "load": "closed", "arrival": "fixed",
                "instances": 1, "headline": true,
            }],
        }))
        .expect("a step")
    }

    /// A cell with this number of ops completed in the window and this number of latencies.
    fn cell(class: Class, ops: u64, timed: u64) -> Cell {
        let mut service = Histogram::new();
        service.add_n(2_000_000_000, timed);
        let (bytes, misses, given_up) = (0, 0, 0);
        let (response, censored) = (None, None);
        Cell {
            stream: "io".to_string(),
            drive: 0,
            instance: 0,
            headline: true,
            threads: Some(1),
            depth: Some(1),
            asked: None,
            late: 0,
            backlog_max: 0,
            backlog_end: 0,
            in_flight: None,
            tallies: vec![Tally {
                class,
                ops,
                bytes,
                misses,
                given_up,
                service,
                response,
                censored,
            }],
        }
    }

    /// Whether such a cell is measured, by the check of a run and by that of a reader.
    fn is_measured(workload: &str, class: Class, (ops, timed): (u64, u64)) -> bool {
        let cells = vec![cell(class, ops, timed)];
        let measured = check(&step(workload), &cells, 10_000_000).is_ok();
        let key = PointKey { subject: "A".into(), step: "a".into(), axis: None, repeat: 1 };
        let point = Point { cells, outcome: Outcome::Measured, ..Point::begun(key, 0) };
        assert_eq!(point.did_nothing(), !measured, "{workload}: {ops} ops, {timed} timed");
        measured
    }

    #[test]
    fn a_check_that_outlasts_the_window_is_measured_and_a_load_without_an_op_in_it_is_not() {
        assert!(is_measured("tpcc_check", Class::CHECK, (0, 1)), "its duration is its result");
        assert!(is_measured("tpcc_check", Class::CHECK, (1, 1)));
        assert!(!is_measured("tpcc_check", Class::CHECK, (0, 0)));
        assert!(is_measured("random", Class::READ, (1, 0)), "due before the window");
        assert!(!is_measured("random", Class::READ, (0, 1)), "a drive that stood still");
        assert!(!is_measured("random", Class::READ, (0, 0)));
    }
}
