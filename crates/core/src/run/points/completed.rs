//! Whether a point has any figures: a stream that completed nothing was not measured, and its zero
//! is not a result.

use crate::base::error::{Error, Result, failed};
use crate::base::units;
use crate::plan::{Step, Stream};
use crate::record::{Cell, Class};
use crate::workload;

/// Fails if a stream completed no op on one of its drives, or none of its leading class.
pub fn check(step: &Step, cells: &[Cell], window_ns: u64) -> Result<()> {
    for stream in &step.streams {
        let own: Vec<&Cell> = cells.iter().filter(|cell| cell.stream == stream.name).collect();
        let several = own.len() > 1;
        for cell in &own {
            if ops_of(&[cell], |_| true) == 0 {
                return Err(nothing(stream, several.then_some(*cell), "op", (&own, window_ns)));
            }
        }
        // The recording determines which classes of op it has.
        let is_recorded = workload::recorded(stream)?.is_some();
        if let Some(class) = leading(stream).filter(|_| stream.headline && !is_recorded)
            && !own.is_empty()
            && ops_of(&own, |of| of == class) == 0
        {
            return Err(nothing(stream, None, class.name(), (&own, window_ns)));
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

fn ops_of(cells: &[&Cell], is_of: impl Fn(Class) -> bool) -> u64 {
    let tallies = cells.iter().flat_map(|cell| &cell.tallies);
    tallies.filter(|tally| is_of(tally.class)).map(|tally| tally.ops).sum()
}

fn nothing(
    stream: &Stream,
    on: Option<&Cell>,
    class: &str,
    (own, window_ns): (&[&Cell], u64),
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
