//! Somebody else's bundle is data, not a program. What its plan would have Dyno do besides reading and writing in its own
//! folder is done only when it is named on the command line, word for word. A bundle that this user's own run made is
//! known by the plan that was kept when the run began.

use std::path::Path;

use crate::base::error::{Result, failed};
use crate::base::private;
use crate::engine;
use crate::meter;
use crate::plan::{Info, Kind, Part, Place, Plan};
use crate::record::Run;
use crate::store::Bundle;

/// Remembers that this user began the run of a bundle.
pub fn remember(bundle: &Path) -> Result<()> {
    let bundle = Bundle::open(bundle)?;
    if let Ok(plan) = serde_json::to_string(&bundle.run().plan) {
        private::keep(&file(bundle.run()), &plan);
    }
    Ok(())
}

fn file(run: &Run) -> String {
    format!("run-{:020}", run.started_unix_ns)
}

/// Refuses what the plan of a bundle would do, unless this user made the bundle or `allowed` names it.
pub fn check(run: &Run, allowed: &[String]) -> Result<()> {
    let own = serde_json::to_string(&run.plan).ok();
    if own.is_some() && private::kept(&file(run)) == own {
        return Ok(());
    }
    let missing: Vec<String> = asks(&run.plan).into_iter().filter(|ask| !allowed.contains(ask)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let quoted = |ask: &String| format!("--allow '{}'", ask.replace('\'', "'\\''"));
    let flags = missing.iter().map(quoted).collect::<Vec<_>>().join(" ");
    let what = format!("the bundle's plan is not of this user's making, and would: {}", missing.join("; "));
    Err(failed(what, format!("if that is what you want, name it: {flags}")))
}

/// Everything that the plan would have done on this machine, as it is to be named.
fn asks(plan: &Plan) -> Vec<String> {
    let mut asks = Vec::new();
    for subject in &plan.subjects {
        for drive in &subject.drives {
            if let (Place::Device { path, .. }, true) = (&drive.place, drive.erase) {
                asks.push(format!("erase {}", path.display()));
            }
        }
    }
    let meters = plan.meters.iter().chain(plan.subjects.iter().flat_map(|s| &s.meters));
    for part in meters {
        let info = meter::ALL.iter().map(|m| m.info()).find(|info| info.name == part.name);
        asks.extend(info.into_iter().flat_map(|info| of_part(info, part)));
    }
    let protocol = &plan.protocol;
    let streams = protocol.steps.iter().flat_map(|s| &s.streams).map(|s| &s.engine);
    let loads = protocol.prepare.iter().map(|c| &c.stream).chain(protocol.preparation.steady.iter().map(|s| &s.stream));
    let parts = protocol.datasets.iter().map(|d| &d.engine).chain(streams).chain(loads.map(|s| &s.engine));
    for part in parts {
        let Some(engine) = engine::find(&part.name) else { continue };
        match part.knobs.text("server") {
            Ok("existing") => asks.push(format!("use the existing server of {}", part.name)),
            Ok(_) => asks.push(format!("start a server of {}", part.name)),
            Err(_) => {}
        }
        asks.extend(of_part(engine.info(), part));
    }
    let filesystem = protocol.preparation.filesystem.iter();
    asks.extend(filesystem.filter(|f| !f.mkfs.is_empty()).map(|f| format!("mkfs with {}", f.mkfs.join(" "))));
    let mut seen = std::collections::HashSet::new();
    asks.retain(|ask| seen.insert(ask.clone()));
    asks
}

/// Free text is where a plan names commands, files, hosts and settings of its own choice.
fn of_part(info: &Info, part: &Part) -> Vec<String> {
    let mut asks = Vec::new();
    for knob in info.knobs {
        match knob.kind {
            Kind::Words => {
                let words = part.knobs.words(knob.name).unwrap_or_default();
                asks.extend((!words.is_empty()).then(|| format!("run {}", words.join(" "))));
            }
            Kind::Text if knob.name != "server" && knob.name != "cpus" => {
                let text = part.knobs.text(knob.name).ok();
                asks.extend(text.map(|text| format!("{} {} {text}", part.name, knob.name)));
            }
            Kind::Options => {
                let options = part.knobs.options(knob.name).unwrap_or_default();
                asks.extend(options.iter().map(|(name, value)| format!("{} {name}={value}", part.name)));
            }
            _ => {}
        }
    }
    asks.iter_mut().for_each(|ask| *ask = ask.chars().flat_map(shown).collect());
    asks
}

/// What is not printed is written as it would be in a string.
fn shown(c: char) -> Vec<char> {
    if crate::plan::unprintable(&c.to_string()).is_some() { c.escape_unicode().collect() } else { vec![c] }
}
