//! Many drives as samples of their models: every specimen at the step's headline place, the scatter
//! between specimens, outliers, and differences between models.
//!
//! A specimen is a drive of a group, or a subject with one drive. If there are too many subjects
//! for pairs to be meaningful, only models are compared.

use std::collections::{BTreeMap, HashMap};

use crate::analysis::claim::compare::observations;
use crate::analysis::comparability::{alike, conditions};
use crate::analysis::difference::Difference;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::keys::{DriveKey, Keyed, StepKey, SubjectKey};
use crate::analysis::notes::models::{DriveModel, Fleet, FleetDrive, ModelRatio};
use crate::analysis::plan_difference::FieldDifference;
use crate::analysis::points::metric::{Metric, PointFigure, PointPart};
use dyno_core::stats::Better;
use dyno_core::stats::level::geometric_mean;
use dyno_core::stats::specimens::{ModelsOnHosts, OnHosts, components, models_on_hosts, outlying};

/// A model with fewer specimens is not a sample.
const FEWEST: usize = 3;

/// The specimens of each step, if some model has enough of them.
pub fn of_steps(facts: &Facts) -> Keyed<StepKey, Option<Fleet>> {
    facts.measured.steps.iter().map(|step| of_step(facts, step)).collect()
}

fn of_step(facts: &Facts, step: &StepFacts) -> Option<Fleet> {
    let value = step.headline_value.unwrap_or(step.lead);
    let wanted = step.headline_metric.clone();
    // Power belongs to the subject, not to a drive, and a stream is not a specimen.
    let usable = wanted.part == PointPart::Whole && !wanted.is_power();
    let metric = if usable { wanted } else { Metric::total(PointFigure::Ops) };
    let mut by_model: BTreeMap<String, Vec<FleetDrive>> = BTreeMap::new();
    for cell in step.cells.iter().filter(|c| c.value == value) {
        for (model, specimen) in specimens(facts, (step, cell), &metric) {
            by_model.entry(model.unwrap_or_default()).or_default().push(specimen);
        }
    }
    let searched = by_model.len();
    let models: Vec<DriveModel> = by_model
        .into_iter()
        .map(|(name, all)| DriveModel::of(name, merged(all), searched))
        .collect();
    let (mut ratios, mut confounded, mut barred) = (Vec::new(), Vec::new(), Vec::new());
    if facts.subjects.are_a_fleet() && models.len() > 1 {
        barred = unlike(facts, step, &models);
        if barred.is_empty() {
            let hosts_vary = facts.statements.vary.iter().any(|field| field == "host");
            (ratios, confounded) = all_ratios(&models, &metric, hosts_vary);
        }
    }
    let sampled = models.iter().any(|m| !m.name.is_empty() && m.specimens.len() >= FEWEST);
    if !sampled && ratios.is_empty() && confounded.is_empty() {
        return None;
    }
    Some(Fleet { step: step.key, value, metric, models, ratios, barred, confounded })
}

impl DriveModel {
    fn of(name: String, specimens: Vec<FleetDrive>, searched: usize) -> DriveModel {
        let repeats: Vec<Vec<f64>> = specimens.iter().map(|s| s.by_repeat.clone()).collect();
        let apart = if name.is_empty() { Vec::new() } else { outlying(&repeats, searched) };
        let (scatter, hosts) = (components(&[&repeats]), between_hosts(&specimens));
        DriveModel { name, specimens, scatter, hosts, apart }
    }
}

/// A drive measured in several bundles is one specimen, identified by its serial number.
fn merged(all: Vec<FleetDrive>) -> Vec<FleetDrive> {
    let mut found: Vec<FleetDrive> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    for one in all {
        let known = one.serial.as_ref().and_then(|serial| at.get(serial));
        if let Some(same) = known.and_then(|at| found.get_mut(*at)) {
            same.by_repeat.extend(one.by_repeat);
            same.levels.extend(one.levels);
            same.level = geometric_mean(&same.by_repeat);
            continue;
        }
        at.extend(one.serial.clone().map(|serial| (serial, found.len())));
        found.push(one);
    }
    found
}

/// The variance component of hosts above their drives.
fn between_hosts(specimens: &[FleetDrive]) -> Option<f64> {
    let mut hosts: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (host, level) in specimens.iter().flat_map(|s| &s.levels) {
        hosts.entry(host.as_deref()?).or_default().push(*level);
    }
    let levels: Vec<Vec<f64>> = hosts.into_values().collect();
    let several = levels.len() > 1 && levels.iter().any(|own| own.len() > 1);
    several.then(|| components(&[&levels]).drives)
}

/// Every comparable pair of models, and the pairs that were measured on hosts of their own.
fn all_ratios(
    models: &[DriveModel],
    metric: &Metric,
    hosts_vary: bool,
) -> (Vec<ModelRatio>, Vec<(usize, usize)>) {
    let pairs = || (0..models.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let searched = pairs().count();
    let known = |m: usize| !models[m].name.is_empty();
    let mut hosts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for (host, _) in models.iter().flat_map(|m| &m.specimens).flat_map(|s| &s.levels) {
        let next = hosts.len();
        hosts.entry(host.as_deref().filter(|_| !hosts_vary)).or_insert(next);
    }
    let on_hosts = |m: usize| -> Vec<OnHosts> {
        let number = |host: &Option<String>| hosts[&host.as_deref().filter(|_| !hosts_vary)];
        let specimen = |s: &FleetDrive| OnHosts {
            repeats: s.by_repeat.clone(),
            levels: s.levels.iter().map(|(host, level)| (number(host), *level)).collect(),
        };
        models[m].specimens.iter().map(specimen).collect()
    };
    let (mut ratios, mut confounded) = (Vec::new(), Vec::new());
    for (a, b) in pairs().filter(|(a, b)| known(*a) && known(*b)) {
        // first ÷ second; for latencies the inverse is better ÷ worse.
        let (found, hosts) = match models_on_hosts(&on_hosts(a), &on_hosts(b), searched) {
            ModelsOnHosts::Models(found) => (found, None),
            ModelsOnHosts::TheseDrives(found, hosts) => (found, Some(hosts)),
            ModelsOnHosts::Confounded => {
                confounded.push((a, b));
                continue;
            }
            ModelsOnHosts::TooFew => continue,
        };
        let higher = metric.better() == Better::Higher;
        let first = (found.ratio >= 1.0) == higher;
        let pair = if first { (a, b) } else { (b, a) };
        let found = if found.ratio >= 1.0 { found } else { found.inverse() };
        ratios.push(ModelRatio { pair, found, hosts });
    }
    (ratios, confounded)
}

/// Differences that rule out comparing the models: different plans or test conditions. Hosts whose
/// names are known are blocks.
fn unlike(facts: &Facts, step: &StepFacts, models: &[DriveModel]) -> Vec<Difference> {
    let mut subjects: Vec<SubjectKey> =
        models.iter().flat_map(|m| &m.specimens).map(|s| s.subject).collect();
    subjects.sort_unstable();
    subjects.dedup();
    let Some((&first, others)) = subjects.split_first() else { return Vec::new() };
    let plans = others.iter().find_map(|other| {
        let (vary, pair) = (&facts.statements.vary, (first, *other));
        let found = alike::likeness(&facts.subjects, &facts.setup, vary, step, pair).unlike;
        let between = |d: FieldDifference| d.between(pair);
        (!found.is_empty()).then(|| found.into_iter().map(between).collect::<Vec<_>>())
    });
    let mut hosts = models.iter().flat_map(|m| &m.specimens).flat_map(|s| &s.levels);
    let known = hosts.all(|(host, _)| host.is_some());
    plans.unwrap_or_else(|| conditions::disqualifying(facts, &subjects, known))
}

/// The specimens of a cell, with their models.
fn specimens(
    facts: &Facts,
    (step, cell): (&StepFacts, &CellFacts),
    metric: &Metric,
) -> Vec<(Option<String>, FleetDrive)> {
    let subject = cell.subject;
    let drives: Vec<Option<DriveKey>> = match cell.drives.is_empty() {
        true => vec![None],
        false => cell.drives.iter().map(|(drive, _)| Some(*drive)).collect(),
    };
    let of = |drive: Option<DriveKey>| {
        let part = drive.map_or(PointPart::Whole, PointPart::Drive);
        let metric = Metric { figure: metric.figure.clone(), part };
        if metric.is_barred(cell) {
            return None;
        }
        let by_repeat: Vec<f64> =
            observations(step, cell, &metric).into_iter().map(|o| o.value).collect();
        let level = geometric_mean(&by_repeat);
        if by_repeat.is_empty() || !level.is_finite() || level <= 0.0 {
            return None;
        }
        let number = drive.map_or(String::new(), |drive| format!(" ({})", drive.0 + 1));
        let own = &facts.subjects[subject];
        let setup = own.setup_of(drive.map_or(0, |drive| drive.0 as u32)).cloned();
        let setup = setup.unwrap_or_default();
        let host = facts.setup.run_of(own).host.name.clone();
        let specimen = FleetDrive {
            subject,
            drive,
            name: format!("{}{number}", own.name),
            serial: setup.serial,
            firmware: setup.firmware,
            health: setup.health,
            levels: vec![(host, level)],
            by_repeat,
            level,
        };
        Some((setup.model, specimen))
    };
    drives.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specimen(serial: &str, host: &str, by_repeat: &[f64]) -> FleetDrive {
        let level = geometric_mean(by_repeat);
        FleetDrive {
            subject: SubjectKey(0),
            drive: None,
            name: serial.into(),
            serial: Some(serial.into()).filter(|s: &String| !s.is_empty()),
            firmware: None,
            health: None,
            levels: vec![(Some(host.into()), level)],
            by_repeat: by_repeat.to_vec(),
            level,
        }
    }

    #[test]
    fn a_drive_that_was_measured_in_two_hosts_is_one_specimen_and_one_without_a_serial_its_own() {
        let all = ["S1", "S2", "S1", "", ""].map(|serial| specimen(serial, serial, &[2.0, 8.0]));
        let found = merged(all.to_vec());
        let counts: Vec<(usize, usize)> =
            found.iter().map(|s| (s.by_repeat.len(), s.levels.len())).collect();
        assert_eq!(counts, [(4, 2), (2, 1), (2, 1), (2, 1)]);
        assert!(found.iter().all(|s| (s.level - 4.0).abs() < 1e-12));
    }

    #[test]
    fn hosts_scatter_beyond_their_drives_and_one_host_does_not() {
        let of = |host: &str, level: f64| specimen(&format!("{host}{level}"), host, &[level; 3]);
        let apart = [of("a", 100.0), of("a", 101.0), of("b", 120.0), of("b", 121.2)];
        let found = between_hosts(&apart).expect("two hosts");
        // ln 1.2 ÷ √2, minus the scatter of the drives.
        assert!((found - 0.129).abs() < 0.002, "{found}");
        assert_eq!(between_hosts(&apart[..2]), None);
    }
}
