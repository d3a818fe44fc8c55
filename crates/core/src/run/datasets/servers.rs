//! Each database server's share of the machine: the plan's processors divided evenly, in the order
//! of drives, and separated from the load's; memory that the host has; and the connection string of
//! each existing server.

use std::collections::BTreeMap;

use crate::base::error::{Context, Result, refused};
use crate::base::units;
use crate::lab::machine::processors::Processors;
use crate::lab::machine::{host, processors};
use crate::plan::{
    Component, Cpus, Dataset, Drive, Knobs, Plan, PointPlan, Stream, Subject, read_list,
    shown_list, steps_at,
};
use crate::run::datasets::target_key::{self, TargetKey};

/// Called before any server is started: refuses a plan whose servers need processors or memory that
/// this host lacks, or the same processors.
pub fn check(plan: &Plan) -> Result<()> {
    let (allowed, memory_bytes) = (processors::allowed()?, host::memory_bytes());
    for subject in &plan.subjects {
        for step in plan.protocol.steps.iter().filter(|step| step.streams.iter().any(has_server)) {
            for at in steps_at(step, subject) {
                look(subject, &at.streams, &allowed, memory_bytes)
                    .with_context(|| format!("{}, step {}", subject.name, step.name))?;
            }
        }
    }
    Ok(())
}

fn look(
    subject: &Subject,
    streams: &[Stream],
    allowed: &Processors,
    memory_bytes: Option<u64>,
) -> Result<()> {
    let parts = divide(subject, streams, allowed)?;
    the_loads(streams, &parts, allowed)?;
    let limit = |part: &Component| part.knobs.int("memory").ok().filter(|_| is_own(part));
    let limits: Vec<u64> = parts.values().filter_map(limit).collect();
    let all = limits.iter().fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
    match memory_bytes.filter(|there| all > *there) {
        None => Ok(()),
        Some(there) => Err(refused(
            format!(
                "{} servers may use {} of memory together, and this host has {}",
                limits.len(),
                units::bytes(all),
                units::bytes(there)
            ),
            "lower `memory`, or run fewer servers",
        )),
    }
}

/// The engine of each server used by the streams, with that server's share of common resources.
pub fn divide(
    subject: &Subject,
    streams: &[Stream],
    allowed: &Processors,
) -> Result<BTreeMap<TargetKey, Component>> {
    let mut servers: Vec<(TargetKey, &Component, u32, u32)> = Vec::new();
    for stream in streams.iter().filter(|stream| has_server(stream)) {
        for (drive, instance) in target_key::places(subject, stream) {
            let key = target_key::key(subject, stream, drive, instance);
            if !servers.iter().any(|(known, ..)| *known == key) {
                servers.push((key, &stream.engine, drive, instance));
            }
        }
    }
    let free = free(streams, allowed);
    let mut parts = BTreeMap::new();
    for (key, engine, drive, instance) in &servers {
        let cpus = |part: &Component| part.knobs.text("cpus").ok().map(str::to_string);
        let alike: Vec<&TargetKey> = servers
            .iter()
            .filter(|(_, other, ..)| cpus(other) == cpus(engine))
            .map(|(key, ..)| key)
            .collect();
        let place = alike.iter().position(|other| *other == key).unwrap_or(0);
        let own = own_part(engine, (place, alike.len()), &free)?;
        let own = with_connection(own, &subject.drives[*drive as usize], *instance)?;
        parts.insert(key.clone(), own);
    }
    Ok(parts)
}

/// The same for one copy of a dataset, which is created by its own server: copy `place` of `of`.
pub fn of_copy(
    dataset: &Dataset,
    drive: &Drive,
    (instance, place, of): (u32, usize, usize),
) -> Result<Component> {
    if dataset.engine.knobs.text("server").is_err() {
        return Ok(dataset.engine.clone());
    }
    let own = own_part(&dataset.engine, (place, of), &processors::allowed()?)?;
    with_connection(own, drive, instance)
}

fn has_server(stream: &Stream) -> bool {
    stream.engine.knobs.get("server").is_some()
}

fn is_own(part: &Component) -> bool {
    part.knobs.text("server").is_ok_and(|server| server == "own")
}

fn is_shared(knobs: &Knobs) -> bool {
    knobs.flag("shared_cpus").unwrap_or(false)
}

fn own_part(engine: &Component, place: (usize, usize), free: &Processors) -> Result<Component> {
    let mut own = engine.clone();
    if let (true, Ok(cpus)) = (is_own(engine), engine.knobs.text("cpus")) {
        let set = share(cpus, is_shared(&engine.knobs), place, free)?;
        own.knobs.0.insert("cpus".to_string(), shown_list(&set).into());
    }
    Ok(own)
}

/// The drive's own connection string for this server, if the plan has one per drive.
fn with_connection(mut own: Component, drive: &Drive, instance: u32) -> Result<Component> {
    if drive.connections.is_empty() || is_own(&own) {
        return Ok(own);
    }
    let Some(variable) = drive.connections.get(instance as usize) else {
        return Err(refused(
            format!(
                "drive {} has {} connections, but server {} is needed",
                drive.place.path().display(),
                drive.connections.len(),
                instance + 1
            ),
            "set an environment variable for each server in `connection`",
        ));
    };
    own.knobs.0.insert("connection".to_string(), variable.clone().into());
    Ok(own)
}

/// Server `place` of `of` gets its part of a list, or its number of the free processors.
fn share(
    cpus: &str,
    shared: bool,
    (place, of): (usize, usize),
    free: &Processors,
) -> Result<Processors> {
    let each = cpus.strip_suffix("each").map(|count| count.trim().parse::<usize>());
    let wrong = || {
        let help = "write a list of processors, cpus = \"0-15\", or so many for each server, \
                    cpus = \"16 each\"";
        refused(format!("cpus = \"{cpus}\" is not a set of processors"), help)
    };
    let (all, count) = match each {
        Some(Ok(count)) if count > 0 => (free.clone(), count),
        Some(_) => return Err(wrong()),
        None => {
            let all = read_list(cpus).filter(|all| !all.is_empty()).ok_or_else(wrong)?;
            let count = if shared { all.len() } else { all.len() / of.max(1) };
            (all, count)
        }
    };
    let uneven = each.is_none() && !shared && !all.len().is_multiple_of(of.max(1));
    let most = if shared { all.len() } else { all.len() / of.max(1) };
    if count == 0 || count > most || uneven {
        let (there, shown) = (all.len(), shown_list(&all));
        return Err(refused(
            format!(
                "{there} processors ({shown}) are not enough for cpus = \"{cpus}\" and {of} \
                     servers, or cannot be divided evenly between them"
            ),
            "use other processors, run fewer servers, or permit sharing: \
             shared_cpus = true",
        ));
    }
    // Round-robin, if shared.
    Ok(all.iter().cycle().skip(place * count % all.len()).take(count).copied().collect())
}

/// The processors to which the plan does not pin the load.
fn free(streams: &[Stream], allowed: &Processors) -> Processors {
    let mut free = allowed.clone();
    for stream in streams {
        if let Some(Cpus::List(own)) = &stream.cpus {
            free.retain(|cpu| !own.contains(cpu));
        }
    }
    free
}

/// The processors of the load's workers if servers have their own, and the plan does not specify
/// the load's: the remaining ones. None if nothing has to be separated.
fn the_loads(
    streams: &[Stream],
    parts: &BTreeMap<TargetKey, Component>,
    allowed: &Processors,
) -> Result<Option<Processors>> {
    let own: Vec<(&Component, Processors)> = parts
        .values()
        .filter(|part| is_own(part))
        .filter_map(|part| Some((part, read_list(part.knobs.text("cpus").ok()?)?)))
        .collect();
    if own.is_empty() {
        return Ok(None);
    }
    let shared = own.iter().all(|(part, _)| is_shared(&part.knobs));
    let mut taken = Processors::new();
    for (_, set) in &own {
        let twice: Processors = taken.intersection(set).copied().collect();
        if !shared && !twice.is_empty() {
            return Err(overlap("two servers", &twice));
        }
        taken.extend(set);
    }
    let missing: Processors = taken.difference(allowed).copied().collect();
    if !missing.is_empty() {
        let what = format!(
            "servers are to run on processors {}, which this process may not use",
            shown_list(&missing)
        );
        let help = format!("set `cpus` to some of {}", shown_list(allowed));
        return Err(refused(what, help));
    }
    let rest: Processors = allowed.difference(&taken).copied().collect();
    for stream in streams.iter().filter(|_| !shared) {
        let load = match &stream.cpus {
            Some(Cpus::List(listed)) => listed,
            None if !rest.is_empty() => &rest,
            _ => allowed,
        };
        let twice: Processors = load.intersection(&taken).copied().collect();
        if !twice.is_empty() {
            return Err(overlap(&format!("stream '{}' and the servers", stream.name), &twice));
        }
    }
    Ok((!rest.is_empty()).then_some(rest))
}

fn overlap(who: &str, twice: &Processors) -> crate::base::error::Error {
    refused(
        format!("{who} would run on the same processors, {}", shown_list(twice)),
        "reserve some for the load (`cpus` of a stream), or permit sharing: \
         shared_cpus = true",
    )
}

/// A point whose load has its own processors, if its servers do.
pub fn with_load_apart(point: &PointPlan) -> Result<PointPlan> {
    let (mut apart, allowed) = (point.clone(), processors::allowed()?);
    let parts = divide(&point.subject, &point.step.streams, &allowed)?;
    if let Some(rest) = the_loads(&point.step.streams, &parts, &allowed)? {
        for stream in apart.step.streams.iter_mut().filter(|stream| stream.cpus.is_none()) {
            stream.cpus = Some(Cpus::List(rest.clone()));
        }
    }
    Ok(apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(cpus: &str, shared: bool, of: usize) -> std::result::Result<Vec<String>, String> {
        let free = (0..16).collect();
        let one = |place| share(cpus, shared, (place, of), &free).map(|set| shown_list(&set));
        (0..of).map(one).collect::<Result<_>>().map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn servers_divide_the_processors_evenly_or_not_at_all() {
        assert_eq!(shares("0-7", false, 4).unwrap(), ["0-1", "2-3", "4-5", "6-7"]);
        assert_eq!(shares("0,2,4,6", false, 2).unwrap(), ["0,2", "4,6"]);
        assert_eq!(shares("3 each", false, 4).unwrap(), ["0-2", "3-5", "6-8", "9-11"]);
        assert_eq!(shares("0-3", false, 1).unwrap(), ["0-3"]);
        for (cpus, of) in [("0-7", 3), ("0-1", 4), ("5 each", 4)] {
            assert!(shares(cpus, false, of).unwrap_err().contains("shared_cpus = true"), "{cpus}");
        }
    }

    #[test]
    fn servers_share_processors_only_where_the_plan_says_so() {
        assert_eq!(shares("0-1", true, 4).unwrap(), ["0-1"; 4]);
        assert_eq!(shares("8 each", true, 3).unwrap(), ["0-7", "8-15", "0-7"]);
        assert!(shares("17 each", true, 1).is_err());
        for wrong in ["", "all", "each", "0 each", "3-1"] {
            assert!(shares(wrong, true, 1).unwrap_err().contains("not a set"), "{wrong}");
        }
    }
}
