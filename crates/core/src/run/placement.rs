//! The processors of each worker, if the plan pins them: one each while there are enough, local to
//! its drive first, and cores before their second threads.

use std::collections::BTreeMap;

use crate::base::error::{Result, failed};
use crate::engine::DatasetLocation;
use crate::lab::machine::processors::{self, Processors};
use crate::plan::{Cpus, Plan, Stream, shown_list};
use crate::record::WorkerProcessors;

/// The requirements of a group.
pub struct PlacementRequest<'a> {
    /// Preferred ones.
    first: &'a Processors,
    /// Whether others may be used when those are taken.
    others: bool,
    workers: u32,
}

/// The processors of each worker of each group; empty for groups that are not pinned.
pub type Placement = Vec<Option<Vec<Processors>>>;

/// The processors local to a dataset's location.
pub fn local_to(home: &DatasetLocation) -> Processors {
    match home {
        DatasetLocation::Device { path, .. } => processors::local_to(path),
        DatasetLocation::Folder(_) | DatasetLocation::Nowhere => Processors::new(),
    }
}

/// Refuses lists with processors that Dyno may not use.
pub fn check(plan: &Plan) -> Result<()> {
    let allowed = processors::allowed()?;
    for stream in plan.protocol.steps.iter().flat_map(|step| &step.streams) {
        let Some(Cpus::List(asked)) = &stream.cpus else { continue };
        let missing: Processors = asked.difference(&allowed).copied().collect();
        if !missing.is_empty() {
            return Err(failed(
                format!(
                    "stream '{}' is to run on processors {}, which this process may not use",
                    stream.name,
                    shown_list(&missing)
                ),
                format!(
                    "set `cpus` to some of {} (`taskset` or the cgroup's cpuset allows others)",
                    shown_list(&allowed)
                ),
            ));
        }
    }
    Ok(())
}

/// The processors on which no worker will run; empty if a stream may use any.
pub fn unused(plan: &Plan) -> Result<Processors> {
    let streams = || plan.protocol.steps.iter().flat_map(|step| &step.streams);
    let mut unused = processors::allowed()?;
    for stream in streams() {
        let Some(Cpus::List(listed)) = &stream.cpus else { return Ok(Processors::new()) };
        unused.retain(|cpu| !listed.contains(cpu));
    }
    Ok(unused)
}

/// The requirements of a stream's workers on a drive with these local processors.
pub fn wish<'a>(stream: &'a Stream, local: &'a Processors) -> Option<PlacementRequest<'a>> {
    let workers = stream.threads;
    match stream.cpus.as_ref()? {
        Cpus::Unpinned => None,
        Cpus::Local if local.is_empty() => None,
        Cpus::Local => Some(PlacementRequest { first: local, others: true, workers }),
        Cpus::List(listed) => Some(PlacementRequest { first: listed, others: false, workers }),
    }
}

/// The placement of all groups' workers.
pub fn place(wishes: &[Option<PlacementRequest<'_>>]) -> Result<Placement> {
    if wishes.iter().all(Option::is_none) {
        return Ok(wishes.iter().map(|_| None).collect());
    }
    let allowed = processors::allowed()?;
    let siblings = allowed.iter().map(|&cpu| (cpu, processors::siblings(cpu))).collect();
    Ok(placed(wishes, &allowed, &siblings))
}

/// Each worker gets the least used processor, counting its core's other threads second. Groups that
/// would have two workers on one processor may use all of theirs instead, because the scheduler
/// then distributes them better than a fixed placement.
fn placed(
    wishes: &[Option<PlacementRequest<'_>>],
    allowed: &Processors,
    siblings: &BTreeMap<u32, Processors>,
) -> Placement {
    let mut taken: BTreeMap<u32, u32> = allowed.iter().map(|&cpu| (cpu, 0)).collect();
    let take = |wish: &PlacementRequest<'_>, taken: &mut BTreeMap<u32, u32>| {
        let near: Processors = wish.first.intersection(allowed).copied().collect();
        let places = (0..wish.workers).map(|_| {
            let used = |cpu: &u32| taken.get(cpu).copied().unwrap_or(0);
            let beside = |cpu: &u32| siblings.get(cpu).into_iter().flatten().map(used).sum::<u32>();
            let least = |of: &Processors| {
                of.iter().copied().min_by_key(|cpu| (used(cpu), beside(cpu), *cpu))
            };
            let free = |cpu: &u32| used(cpu) == 0;
            let best = least(&near)
                .filter(free)
                .or_else(|| least(allowed).filter(|cpu| wish.others && free(cpu)))
                .or_else(|| least(&near));
            best.into_iter().inspect(|cpu| *taken.entry(*cpu).or_default() += 1).collect()
        });
        places.collect::<Vec<Processors>>()
    };
    let first: Placement =
        wishes.iter().map(|wish| wish.as_ref().map(|wish| take(wish, &mut taken))).collect();
    let shared = |places: &[Processors]| {
        places.iter().flatten().any(|cpu| taken.get(cpu).is_some_and(|&workers| workers > 1))
    };
    let spread = |(wish, places): (&Option<PlacementRequest<'_>>, Option<Vec<Processors>>)| {
        let (wish, places) = (wish.as_ref()?, places?);
        if !shared(&places) {
            return Some(places);
        }
        let all: Processors = wish.first.intersection(allowed).copied().collect();
        let own: Processors = places.into_iter().flatten().collect();
        Some(vec![all.union(&own).copied().collect(); wish.workers as usize])
    };
    wishes.iter().zip(first).map(spread).collect()
}

/// The bundle's record of a group's placement on a drive.
pub fn record(stream: &str, drive: u32, places: &[Processors]) -> WorkerProcessors {
    let all: Processors = places.iter().flatten().copied().collect();
    WorkerProcessors {
        stream: stream.to_string(),
        drive,
        processors: shown_list(&all),
        one_each: places.iter().all(|place| place.len() == 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cpus: &[u32]) -> Processors {
        cpus.iter().copied().collect()
    }

    /// Eight processors: cores 0 to 3 with second threads 4 to 7.
    fn on_eight(wishes: &[(&[u32], bool, u32)]) -> Vec<Vec<Vec<u32>>> {
        let allowed = set(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let siblings = allowed.iter().map(|&cpu| (cpu, set(&[(cpu + 4) % 8]))).collect();
        let first: Vec<Processors> = wishes.iter().map(|wish| set(wish.0)).collect();
        let wishes: Vec<Option<PlacementRequest<'_>>> = wishes
            .iter()
            .zip(&first)
            .map(|(&(_, others, workers), first)| Some(PlacementRequest { first, others, workers }))
            .collect();
        let plain = |place: &Processors| place.iter().copied().collect();
        let placed = placed(&wishes, &allowed, &siblings);
        placed.iter().flatten().map(|places| places.iter().map(plain).collect()).collect()
    }

    #[test]
    fn each_worker_has_a_processor_of_its_own_cores_before_their_second_threads() {
        assert_eq!(on_eight(&[(&[2, 6, 3, 7], true, 2)]), [[[2], [3]]]);
        assert_eq!(on_eight(&[(&[2, 6, 3, 7], true, 4)]), [[[2], [3], [6], [7]]]);
    }

    #[test]
    fn drives_with_the_same_processors_do_not_share_one_while_others_are_free() {
        let two = on_eight(&[(&[0, 1], true, 2), (&[0, 1], true, 2)]);
        assert_eq!(two, [[[0], [1]], [[2], [3]]]);
    }

    #[test]
    fn more_workers_than_processors_share_those_that_they_may_use() {
        assert_eq!(on_eight(&[(&[0, 1], false, 3)]), [[[0, 1], [0, 1], [0, 1]]]);
        let all: Vec<u32> = (0..8).collect();
        assert_eq!(on_eight(&[(&[0, 1], true, 9)])[0][8], all);
    }
}
