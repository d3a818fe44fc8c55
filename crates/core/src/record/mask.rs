//! Subjects under another name ("Competitor A"): everything that identifies the drive is removed
//! from the data read from a bundle, before anything is derived from them. Equal words stay equal,
//! so comparison and grouping are unaffected.

mod words;

use std::collections::HashMap;

use super::setup::{DriveField, DriveSetup, HostSetup};
use super::{DriveState, Fact, Observed, Outcome, Point, PreparationStep, Run, Sample};
use crate::base::error::{Context, Result};
use crate::plan::Plan;
use words::{MaskedWord, lower};

/// The replacements. If empty, nothing changes.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// Longest first.
    words: Vec<MaskedWord>,
    /// The names of the masked subjects.
    subjects: Vec<String>,
}

/// The parts of a bundle that determine a mask.
pub type Masked<'a> = (&'a Plan, &'a [DriveSetup]);

/// The name of a masked subject where there is no language but English.
pub fn masked_name(letter: &str) -> String {
    format!("Competitor {letter}")
}

impl Mask {
    /// The mask for the subjects of bundles: those marked in their plans, and `also`. A label is
    /// made from a letter.
    pub fn of(bundles: &[Masked<'_>], also: &[String], label: &dyn Fn(&str) -> String) -> Mask {
        let subjects = bundles.iter().flat_map(|(plan, _)| words::masked(plan, also));
        let subjects = subjects.map(|subject| subject.name.clone()).collect();
        Mask { words: words::of(bundles, also, label), subjects }
    }

    /// Whether nothing is masked.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The text with masked words replaced.
    pub fn text(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_string();
        }
        let lower = lower(text);
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        while let Some(next) = text[at..].chars().next() {
            match self.words.iter().find(|word| word.is_at(&lower, at)) {
                Some(word) => {
                    out.push_str(&word.stand_in);
                    at += word.text.len();
                }
                None => {
                    out.push(next);
                    at += next.len_utf8();
                }
            }
        }
        out
    }

    /// The first masked word in a text, unless it may be there by chance.
    pub fn found_in(&self, text: &str) -> Option<&str> {
        let lower = lower(text);
        let distinct = self.words.iter().filter(|word| !word.alone && !word.of_maker);
        distinct.map(|word| word.text.as_str()).find(|word| lower.contains(word))
    }

    /// Masks a text in place.
    pub fn own(&self, text: &mut String) {
        if !self.is_empty() {
            *text = self.text(text);
        }
    }

    /// A fact.
    pub fn fact(&self, fact: &mut Fact) {
        for text in [&mut fact.group, &mut fact.name, &mut fact.value] {
            self.own(text);
        }
    }

    /// The setup of a host; the makers of its own parts are not masked.
    pub fn host(&self, host: &mut HostSetup) {
        let HostSetup { name, kernel_command_line, nvme_parameters, nvme_core_parameters, .. } =
            host;
        [name, kernel_command_line].into_iter().flatten().for_each(|text| self.own(text));
        let parameters = nvme_parameters.iter_mut().chain(nvme_core_parameters);
        parameters.for_each(|(_, value)| self.own(value));
    }

    /// The setup of a drive: for a masked subject, only the fields that do not identify the drive
    /// remain.
    pub fn drive(&self, drive: &mut DriveSetup) {
        if self.is_empty() {
            return;
        }
        if self.subjects.contains(&drive.subject) {
            DriveField::ALL
                .iter()
                .filter(|field| !field.is_shown_of_masked())
                .for_each(|field| drive.clear(*field));
        }
        drive.texts().for_each(|text| self.own(text));
    }

    /// All texts of an observation.
    pub fn observed(&self, observed: &mut Observed) {
        if self.is_empty() {
            return;
        }
        let Ok(mut value) = serde_json::to_value(&*observed) else { return };
        // The only key is the observation's kind, and others are names of fields.
        self.json_values(&mut value);
        if let Ok(masked) = serde_json::from_value(value) {
            *observed = masked;
        }
    }

    fn json_values(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) => self.own(text),
            serde_json::Value::Array(all) => all.iter_mut().for_each(|v| self.json_values(v)),
            serde_json::Value::Object(all) => all.values_mut().for_each(|v| self.json_values(v)),
            _ => {}
        }
    }

    /// A preparation action on a drive.
    pub fn prepared(&self, prepared: &mut PreparationStep) {
        for text in [
            &mut prepared.subject,
            &mut prepared.action,
            &mut prepared.asked,
            &mut prepared.outcome,
        ] {
            self.own(text);
        }
    }

    /// The state in which a drive was left.
    pub fn state(&self, state: &mut DriveState) {
        self.own(&mut state.subject);
        self.own(&mut state.serial);
        self.own(&mut state.counter);
    }

    /// A run with its plan.
    pub fn run(&self, run: &mut Run) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let mut plan = serde_json::to_value(&run.plan).context("masking the plan")?;
        self.json(&mut plan);
        run.plan = serde_json::from_value(plan).context("masking the plan")?;
        // Specifications of a drive would identify it.
        run.plan.stated.values_mut().filter(|drive| drive.mask).for_each(|drive| drive.link = None);
        Ok(())
    }

    /// All texts of a value.
    pub fn json(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) => self.own(text),
            serde_json::Value::Array(all) => all.iter_mut().for_each(|value| self.json(value)),
            serde_json::Value::Object(all) => {
                let masked = std::mem::take(all).into_iter().map(|(mut key, mut value)| {
                    self.own(&mut key);
                    self.json(&mut value);
                    (key, value)
                });
                *all = masked.collect();
            }
            _ => {}
        }
    }

    /// A point, with the names of the masked plan.
    pub fn point(&self, point: &mut Point) {
        if self.is_empty() {
            return;
        }
        self.own(&mut point.key.subject);
        self.own(&mut point.key.step);
        point.key.axis.iter_mut().for_each(|axis| self.own(&mut axis.name));
        if let Outcome::Failed { cause } = &mut point.outcome {
            self.own(cause);
        }
        point.cells.iter_mut().for_each(|cell| self.own(&mut cell.stream));
        point.facts.iter_mut().for_each(|fact| self.fact(fact));
        point.observed.iter_mut().for_each(|observed| self.observed(observed));
    }

    /// Readings: many, but of few gauges.
    pub fn samples(&self, samples: &mut [Sample]) {
        if self.is_empty() {
            return;
        }
        let mut known: HashMap<String, String> = HashMap::new();
        let texts = samples.iter_mut().flat_map(|s| [&mut s.meter, &mut s.name]);
        texts.for_each(|text| match known.get(text) {
            Some(masked) => text.clone_from(masked),
            None => {
                let masked = self.text(text);
                known.insert(std::mem::replace(text, masked.clone()), masked);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Drive, DrivePlace, Subject};

    fn plan(masked: &str, subjects: &[(&str, &str)]) -> Plan {
        let subject = |(name, serial): &(&str, &str)| Subject {
            name: name.to_string(),
            drives: vec![Drive {
                place: DrivePlace::Device {
                    path: format!("/dev/disk/by-id/nvme-X_{serial}").into(),
                    serial: serial.to_string(),
                },
                erase: false,
                erase_signatures: Vec::new(),
                connections: Vec::new(),
                namespaces: Vec::new(),
            }],
            ..Subject::default()
        };
        let stated = crate::plan::specification::Specification { mask: true, ..Default::default() };
        Plan {
            subjects: subjects.iter().map(subject).collect(),
            stated: [(masked.to_string(), stated)].into(),
            ..Plan::default()
        }
    }

    fn drive(name: &str, model: &str, firmware: &str) -> DriveSetup {
        DriveSetup {
            subject: name.into(),
            model: Some(model.into()),
            firmware: Some(firmware.into()),
            scheduler: Some("none".into()),
            mount_options: Some("rw,upperdir=/mnt/kioxia/x".into()),
            ..DriveSetup::default()
        }
    }

    fn competitor(letter: &str) -> String {
        format!("Competitor {letter}")
    }

    #[test]
    fn whatever_says_which_drive_it_is_goes_and_what_else_is_said_stays() {
        let plan = plan("Kioxia CD8P-R", &[("Micron 7600", "22AA11"), ("Kioxia CD8P-R", "9C1")]);
        let drives = [
            drive("Micron 7600", "Micron_7600_MTFDKCC7T6TGP", "E3MU10"),
            drive("Kioxia CD8P-R", "KIOXIA KCD8XPUG7T68 7.68TB NVMe SSD", "1.0"),
        ];
        let mask = Mask::of(&[(&plan, &drives)], &[], &competitor);
        for (text, masked) in [
            ("Drive: Kioxia CD8P-R (2)", "Drive: Competitor A (2)"),
            ("KIOXIA KCD8XPUG7T68 7.68TB NVMe SSD", "Competitor A"),
            ("/mnt/kioxia/x", "/mnt/Competitor A/x"),
            (
                "kioxia-cd8p.dyno, old_cd8p.dyno",
                "Competitor A-Competitor A.dyno, old_Competitor A.dyno",
            ),
            ("the CD8P-R, 7.68TB, NVMe", "the Competitor A, 7.68TB, NVMe"),
            ("serial 9C1, firmware 1.0.", "serial masked 1, firmware masked 2."),
            ("dyno 0.1.0, 9C10, PCIe 1.05", "dyno 0.1.0, 9C10, PCIe 1.05"),
            ("on /dev/disk/by-id/nvme-X_9C1", "on masked 3"),
            ("Micron 7600 (22AA11), E3MU10", "Micron 7600 (22AA11), E3MU10"),
            ("比較 Kioxia CD8P-R µs", "比較 Competitor A µs"),
        ] {
            assert_eq!(mask.text(text), masked);
        }
        assert!(mask.found_in("a KCD8XPUG7T68?").is_some() && mask.found_in("a 9C1 1.0").is_none());
        assert!(Mask::of(&[(&Plan::default(), &drives)], &[], &competitor).is_empty());
        let [mut open, mut masked] = drives.clone();
        mask.drive(&mut open);
        mask.drive(&mut masked);
        assert_eq!(open.firmware, drives[0].firmware);
        let left = DriveSetup {
            subject: "Competitor A".into(),
            scheduler: Some("none".into()),
            mount_options: Some("rw,upperdir=/mnt/Competitor A/x".into()),
            ..DriveSetup::default()
        };
        assert_eq!(masked, left);
    }

    #[test]
    fn a_maker_that_is_named_in_the_open_stays_and_so_do_the_servers_parts() {
        let plan = plan("Intel P5510", &[("Intel P5520", "1"), ("Intel P5510", "2")]);
        let mask = Mask::of(&[(&plan, &[])], &[], &competitor);
        assert_eq!(mask.text("Intel P5510 and P5520 of Intel"), "Competitor A and P5520 of Intel");

        let plan = self::plan("Intel P5510", &[("Micron 7600", "1"), ("Intel P5510", "2")]);
        let mask = Mask::of(&[(&plan, &[])], &[], &competitor);
        assert_eq!(mask.text("an intel drive"), "an Competitor A drive");
    }

    #[test]
    fn labels_follow_the_plans_order_and_are_nobody_elses() {
        let names = [("Competitor A", "1"), ("Drive X", "2"), ("Drive Y", "3")];
        let plan = plan("none", &names);
        let also = ["Drive Y".to_string(), "Drive X".to_string()];
        let mask = Mask::of(&[(&plan, &[])], &also, &competitor);
        assert_eq!(mask.text("Drive X, Drive Y"), "Competitor B, Competitor C");
    }

    #[test]
    fn a_masked_plan_is_still_a_plan_with_the_same_points() {
        let mut own = plan("Kioxia CD8P-R", &[("Kioxia CD8P-R", "9C1X7")]);
        own.stated.get_mut("Kioxia CD8P-R").unwrap().link = Some("https://kioxia.com".into());
        let mask = Mask::of(&[(&own.clone(), &[])], &[], &competitor);
        let mut run = Run { plan: own, started_unix_ns: 0, dyno_version: String::new() };
        mask.run(&mut run).unwrap();
        let text = serde_json::to_string(&run.plan).unwrap().to_lowercase();
        assert_eq!(run.plan.subjects[0].name, "Competitor A");
        assert!(!["kioxia", "cd8p", "9c1x7"].iter().any(|word| text.contains(word)), "{text}");
    }
}
