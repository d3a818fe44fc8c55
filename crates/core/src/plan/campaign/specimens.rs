//! The specimens of a campaign: its subjects' directories, and their drives among those of the
//! hosts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::model::{Drive, DrivePlace};
use super::Campaign;
use super::wanted::{DriveSelection, SubjectLocation, WantedSubject};
use crate::base::text::abridged;
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, nearest};

/// The most names of hosts or models in one list.
const MOST: usize = 10;

/// A drive as reported by its host.
#[derive(Clone, Debug, Default)]
pub struct Offered {
    /// A stable path.
    pub device: PathBuf,
    /// Model number.
    pub model: Option<String>,
    /// Serial number, NGUID and others; the first is used as its name.
    pub identities: Vec<String>,
    /// Why it may not be tested.
    pub obstacle: Option<String>,
}

/// A host with its drives, if known.
#[derive(Clone, Debug)]
pub struct HostDrives {
    /// Its name.
    pub name: String,
    /// None: unknown.
    pub drives: Option<Vec<Offered>>,
}

/// A directory on hosts, or a drive.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// Its name in plans and briefs: the subject's name, with the serial number if the subject may
    /// have several drives.
    pub name: String,
    /// Its possible locations.
    pub homes: Vec<SpecimenLocation>,
    /// Index of its `[[subject]]` table.
    pub subject: usize,
    /// The same device on several hosts, which must not measure it at the same time.
    pub shared: bool,
}

/// The location of a specimen on a host.
#[derive(Clone, Debug)]
pub struct SpecimenLocation {
    /// Index of the host.
    pub host: usize,
    /// Its form in the host's plan.
    pub drive: Drive,
}

/// The specimens of a campaign that was submitted before: its drives may have failed since.
pub struct RemainingSpecimens {
    /// Those that can be measured.
    pub specimens: Vec<Specimen>,
    /// Why a specimen of the file cannot be measured, by its name.
    pub missing: BTreeMap<String, String>,
}

impl Campaign {
    /// Finds every subject's directories and drives; missing ones are mistakes in the file.
    pub fn specimens(&self, hosts: &[HostDrives]) -> Result<Vec<Specimen>, Mistakes> {
        self.find(hosts, None)
    }

    /// The same for a campaign that was submitted before: drives that are missing or in use by now
    /// are no mistakes, and the others go on.
    pub fn remaining(&self, hosts: &[HostDrives]) -> Result<RemainingSpecimens, Mistakes> {
        let mut missing = BTreeMap::new();
        let specimens = self.find(hosts, Some(&mut missing))?;
        Ok(RemainingSpecimens { specimens, missing })
    }

    /// With `missing`, drives that cannot be measured go there; otherwise they are mistakes.
    fn find(
        &self,
        hosts: &[HostDrives],
        mut missing: Option<&mut BTreeMap<String, String>>,
    ) -> Result<Vec<Specimen>, Mistakes> {
        let mut log = self.sources.sources();
        if missing.is_none() {
            self.need_answers(hosts, &mut log);
        }
        let mut all = Vec::new();
        let mut taken = BTreeMap::new();
        for (number, wanted) in self.wanted.iter().enumerate() {
            let on = self.on(wanted, hosts, &mut log);
            let found = match &wanted.whereabouts {
                SubjectLocation::Drives(drives) => {
                    let on = on.iter().map(|&number| (number, &hosts[number]));
                    self.drives(wanted, drives, on, &mut log, missing.as_deref_mut())
                }
                _ => vec![directories(wanted, hosts, &on, &mut log)],
            };
            for specimen in &found {
                for home in &specimen.homes {
                    let place = (home.host, home.drive.place.path().to_path_buf());
                    if let Some(other) = taken.insert(place, &wanted.subject.name) {
                        let message = format!(
                            "{} on {} belongs to the subject '{other}' as well",
                            home.drive.place.path().display(),
                            hosts[home.host].name
                        );
                        let help = "each subject needs its own directories and drives";
                        log.note(wanted.at, message, "used twice", help);
                    }
                }
            }
            all.extend(found.into_iter().map(|found| Specimen { subject: number, ..found }));
        }
        if log.is_empty() { Ok(all) } else { Err(log) }
    }

    /// The `[[subject]]` tables' names.
    pub fn subjects(&self) -> Vec<&str> {
        self.wanted.iter().map(|wanted| wanted.subject.name.as_str()).collect()
    }

    /// Generic resources required by a specimen's tasks.
    pub fn gres(&self, specimen: &Specimen) -> Option<&str> {
        let own = self.wanted[specimen.subject].gres.as_deref();
        own.or(self.slurm.gres.as_deref())
    }

    /// Reports the hosts of whose drives nothing is known, if any subject needs them.
    fn need_answers(&self, hosts: &[HostDrives], log: &mut Mistakes) {
        let Some(wanted) = self.wanted.iter().find(|wanted| wanted.is_drives()) else { return };
        let unknown: Vec<&str> = hosts
            .iter()
            .filter(|host| host.drives.is_none() && self.wanted.iter().any(|w| w.is_on(host)))
            .map(|host| host.name.as_str())
            .collect();
        if !unknown.is_empty() {
            let message = format!("nothing is known of the drives of {}", abridged(&unknown, MOST));
            let help = "query the hosts: dyno fleet plan CAMPAIGN.toml --find; or store the \
                        output of `dyno drives --json` there: drives = \"FILE\" in its [[host]]";
            log.note(wanted.at, message, "needs them", help);
        }
    }

    /// The permitted hosts of a subject.
    fn on(&self, wanted: &WantedSubject, hosts: &[HostDrives], log: &mut Mistakes) -> Vec<usize> {
        let Some(named) = &wanted.hosts else { return (0..hosts.len()).collect() };
        named.iter().filter_map(|(name, at)| number(name, *at, hosts, log)).collect()
    }

    /// The specimens among the drives of these hosts, given with their indices.
    fn drives<'h>(
        &self,
        wanted: &WantedSubject,
        drives: &DriveSelection,
        hosts: impl Iterator<Item = (usize, &'h HostDrives)>,
        log: &mut Mistakes,
        mut missing: Option<&mut BTreeMap<String, String>>,
    ) -> Vec<Specimen> {
        let mut found: BTreeMap<String, Vec<SpecimenLocation>> = BTreeMap::new();
        let mut seen: Vec<&Offered> = Vec::new();
        let name = |serial: &str| match drives.single {
            true => wanted.subject.name.clone(),
            false => format!("{} {serial}", wanted.subject.name),
        };
        let mut all_known = true;
        for (number, host) in hosts {
            all_known &= host.drives.is_some();
            for drive in host.drives.iter().flatten() {
                let Some(serial) = drive.identities.first() else { continue };
                seen.push(drive);
                if !drives.are(drive) {
                    continue;
                }
                if let Some(why) = &drive.obstacle {
                    let message = format!("{serial} on {} may not be tested: {why}", host.name);
                    if let Some(missing) = missing.as_deref_mut() {
                        missing.insert(name(serial), message);
                        continue;
                    }
                    let help = "free it on its host, or name the other drives: serial = [\"…\"]";
                    log.note(wanted.at, message, "in use", help);
                }
                let drive = wanted.drive(drives, drive, serial);
                self.check(wanted, &drive, serial, log);
                found
                    .entry(serial.clone())
                    .or_default()
                    .push(SpecimenLocation { host: number, drive });
            }
        }
        match missing {
            Some(missing) => {
                let named = drives.serials.iter().map(|(serial, _)| serial);
                for serial in named.chain(drives.erase.iter().map(|erase| &erase.serial)) {
                    if !found.contains_key(serial) {
                        let why = "no host has it any more".to_string();
                        missing.entry(name(serial)).or_insert(why);
                    }
                }
            }
            None if all_known => drives.check(wanted.at, &found, &seen, log),
            // The missing ones may be on a host that was not queried, which is reported once.
            None => {}
        }
        let several = |homes: &[SpecimenLocation]| homes.len() > 1;
        let specimen = |(serial, homes): (String, Vec<SpecimenLocation>)| Specimen {
            name: name(&serial),
            shared: several(&homes),
            homes,
            subject: 0,
        };
        found.into_iter().map(specimen).collect()
    }

    /// The protocol's requirements for a device.
    fn check(&self, wanted: &WantedSubject, drive: &Drive, serial: &str, log: &mut Mistakes) {
        if let (Some(writer), false) = (&self.needs.0, drive.erase) {
            let message =
                format!("{writer} would write to {serial}, and the campaign does not allow that");
            let help = format!("if everything on it may be lost, add erase = [\"{serial}\"]");
            log.note(wanted.at, message, "not to be erased", help);
        }
        if let Some(dataset) = &self.needs.1 {
            let message = format!("the dataset '{dataset}' needs files, and this is a bare device");
            let help = "let the run create one: \"prepare.filesystem\" = \"xfs\" under \
                        [override]; or create and mount one on each host, and write path = …";
            log.note(wanted.at, message, "no filesystem", help);
        }
    }
}

impl WantedSubject {
    /// Whether it may be on a host.
    fn is_on(&self, host: &HostDrives) -> bool {
        self.is_drives()
            && self.hosts.as_ref().is_none_or(|on| on.iter().any(|(name, _)| *name == host.name))
    }

    fn drive(&self, drives: &DriveSelection, offered: &Offered, serial: &str) -> Drive {
        let erase = drives.erase.iter().find(|erase| offered.identities.contains(&erase.serial));
        Drive {
            place: DrivePlace::Device { path: offered.device.clone(), serial: serial.to_string() },
            erase: erase.is_some(),
            erase_signatures: erase.map(|erase| erase.signatures.clone()).unwrap_or_default(),
            connections: self.connections.clone(),
            namespaces: Vec::new(),
        }
    }
}

impl DriveSelection {
    /// Whether a drive is one of them.
    fn are(&self, drive: &Offered) -> bool {
        let model = drive.model.as_deref().unwrap_or_default().trim();
        let of_model =
            self.model.as_ref().is_none_or(|(pattern, _)| matches(pattern.trim(), model));
        let named = |(serial, _): &(String, SourceSpan)| drive.identities.contains(serial);
        of_model && (self.serials.is_empty() || self.serials.iter().any(named))
    }

    /// Whether every named drive was found. No other serial number is suggested: a neighbouring one
    /// is another drive, whose data would be lost.
    fn check(
        &self,
        at: SourceSpan,
        found: &BTreeMap<String, Vec<SpecimenLocation>>,
        seen: &[&Offered],
        log: &mut Mistakes,
    ) {
        let mut missing = |serial: &str, at: SourceSpan| {
            if !found.contains_key(serial) {
                let is = |drive: &&Offered| drive.identities.iter().any(|own| own == serial);
                let (message, help) = match seen.iter().any(is) {
                    true => (
                        format!("{serial} is not one of this subject's drives"),
                        "take it out, or name it under serial as well",
                    ),
                    false => (
                        format!("no host of this subject has the drive {serial}"),
                        "compare it with `dyno drives` on its host; if the drive was moved, query \
                         the hosts again: dyno fleet plan CAMPAIGN.toml --find",
                    ),
                };
                log.note(at, message, "not found", help);
            }
        };
        self.serials.iter().for_each(|(serial, at)| missing(serial, *at));
        self.erase.iter().for_each(|erase| missing(&erase.serial, erase.at));
        if found.is_empty() && self.serials.is_empty() {
            let at = self.model.as_ref().map_or(at, |(_, at)| *at);
            let mut models: Vec<&str> =
                seen.iter().filter_map(|drive| drive.model.as_deref().map(str::trim)).collect();
            models.sort_unstable();
            models.dedup();
            let help = match &models[..] {
                [] => "the hosts report no models: name the drives by serial number".to_string(),
                models => format!("the hosts have the models {}", abridged(models, MOST)),
            };
            log.note(at, "no host has a drive of this model", "not found", help);
        }
    }
}

/// A subject that is a directory.
fn directories(
    wanted: &WantedSubject,
    hosts: &[HostDrives],
    on: &[usize],
    log: &mut Mistakes,
) -> Specimen {
    let home = |host: usize, path: &PathBuf| SpecimenLocation {
        host,
        drive: Drive {
            place: DrivePlace::Directory(path.clone()),
            erase: false,
            erase_signatures: Vec::new(),
            connections: wanted.connections.clone(),
            namespaces: Vec::new(),
        },
    };
    let homes = match &wanted.whereabouts {
        SubjectLocation::Everywhere(path) => on.iter().map(|&host| home(host, path)).collect(),
        SubjectLocation::OnEach(each) => {
            let of = |(name, at, path): &(String, SourceSpan, PathBuf)| {
                number(name, *at, hosts, log)
                    .filter(|host| on.contains(host))
                    .map(|h| home(h, path))
            };
            each.iter().filter_map(of).collect()
        }
        SubjectLocation::Drives(_) => Vec::new(),
    };
    if homes.is_empty() {
        let help = "name a host under path, or leave hosts out";
        log.note(wanted.at, "this subject is on no host", "nowhere", help);
    }
    Specimen { name: wanted.subject.name.clone(), homes, subject: 0, shared: false }
}

/// The index of a named host.
fn number(name: &str, at: SourceSpan, hosts: &[HostDrives], log: &mut Mistakes) -> Option<usize> {
    let found = hosts.iter().position(|host| host.name == name);
    if found.is_none() {
        let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        let near = nearest(name, names.iter().copied());
        let meant = near.map(|near| format!("did you mean '{near}'? ")).unwrap_or_default();
        let help = format!("{meant}the hosts are: {}", abridged(&names, MOST));
        log.note(at, format!("the campaign has no host '{name}'"), "unknown", help);
    }
    found
}

/// Whether a text matches a pattern with `*` for any characters and `?` for one.
fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| matches(rest.as_str(), &text[at..]))
        }
        Some(c) => {
            let mut others = text.chars();
            others.next().is_some_and(|other| c == '?' || c == other)
                && matches(rest.as_str(), others.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_of_models_has_stars_and_question_marks() {
        for (pattern, text, fits) in [
            ("Micron_7450_*", "Micron_7450_MTFDKCC3T8TFR", true),
            ("Micron_7450_*", "Micron_7400_MTFDKCC3T8TFR", false),
            ("*7450*3T8*", "Micron_7450_MTFDKCC3T8TFR", true),
            ("PM9A?", "PM9A3", true),
            ("PM9A?", "PM9A", false),
            ("*", "", true),
            ("", "", true),
            ("PM9A3", "PM9A3 ", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
