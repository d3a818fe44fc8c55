//! The words that identify a masked subject's drive, from its plan and the setups of its drives,
//! and their replacements.

use std::path::PathBuf;

use crate::base::units::parse_bytes;
use crate::plan::{DrivePlace, Plan, Subject};
use crate::record::setup::DriveSetup;

/// Words of a model that do not identify its maker.
const GENERIC: [&str; 27] = [
    "block",
    "center",
    "competitor",
    "controller",
    "ctrl",
    "data",
    "datacenter",
    "device",
    "disk",
    "drive",
    "enterprise",
    "express",
    "gen4",
    "gen5",
    "pcie4",
    "pcie5",
    "flash",
    "memory",
    "namespace",
    "nvme",
    "sample",
    "series",
    "solid",
    "state",
    "subject",
    "unit",
    "virtual",
];

/// A shorter word is too unspecific for a model.
const SHORTEST: usize = 4;

/// A shorter word before a model number is not masked: it occurs in too many texts.
const SHORTEST_MAKER: usize = 3;

/// Words from this length on that contain a letter are also found inside other words.
const DISTINCT: usize = 6;

/// A word that is replaced.
#[derive(Clone, Debug)]
pub struct MaskedWord {
    /// The word in lower case (ASCII).
    pub text: String,
    /// Its replacement.
    pub stand_in: String,
    /// A maker's name, which is not masked in the server's own parts.
    pub of_maker: bool,
    /// Only replaced as a whole word.
    pub alone: bool,
}

/// The masked subjects of a plan: those that it masks itself, and `also`.
pub fn masked<'a>(plan: &'a Plan, also: &'a [String]) -> impl Iterator<Item = &'a Subject> {
    plan.subjects.iter().filter(|subject| {
        let stated = plan.stated.get(&subject.name).is_some_and(|drive| drive.mask);
        stated || also.contains(&subject.name)
    })
}

/// The words of all masked subjects, longest first. A label is made from a letter.
pub fn of(
    bundles: &[(&Plan, &[DriveSetup])],
    also: &[String],
    label: &dyn Fn(&str) -> String,
) -> Vec<MaskedWord> {
    let mut open = Vec::new();
    let mut secret: Vec<(&Subject, &[DriveSetup])> = Vec::new();
    for (plan, drives) in bundles {
        let names: Vec<&str> = masked(plan, also).map(|subject| subject.name.as_str()).collect();
        for subject in &plan.subjects {
            match names.contains(&subject.name.as_str()) {
                true => secret.push((subject, drives)),
                false => open.extend(identities(subject, drives).into_iter().map(lower)),
            }
        }
    }
    let mut making = Making { open, words: Vec::new(), labels: Vec::new(), numbers: 0 };
    secret.iter().for_each(|(subject, drives)| making.subject(subject, drives, label));
    making.words.sort_by_key(|word| std::cmp::Reverse(word.text.len()));
    making.words
}

impl MaskedWord {
    /// Whether it occurs at a byte position of a text in lower case.
    pub fn is_at(&self, lower: &str, at: usize) -> bool {
        if !lower[at..].starts_with(&self.text) {
            return false;
        }
        let joins = |c: char| ['.', '-', '_'].contains(&c) && !self.is_of_model();
        let part = |c: &char| c.is_alphanumeric() || joins(*c);
        let before = lower[..at].chars().next_back().filter(part);
        // A full stop may end a sentence.
        let mut rest = lower[at + self.text.len()..].chars();
        let after = match rest.next() {
            Some('.') if joins('.') => rest.next().filter(part),
            next => next.filter(part),
        };
        !self.alone || before.is_none() && after.is_none()
    }

    /// Contains letters and digits, as in "CD8P": it identifies a file named "old-cd8p.dyno".
    fn is_of_model(&self) -> bool {
        let has = |of: fn(&char) -> bool| self.text.chars().any(|c| of(&c));
        self.text.len() >= SHORTEST
            && self.text.chars().all(char::is_alphanumeric)
            && has(|c| c.is_alphabetic())
            && has(|c| c.is_ascii_digit())
    }
}

/// A mask under construction.
struct Making {
    /// Names and models of unmasked subjects.
    open: Vec<String>,
    words: Vec<MaskedWord>,
    /// Labels by subject name.
    labels: Vec<(String, String)>,
    numbers: u32,
}

impl Making {
    fn label(&mut self, name: &str, label: &dyn Fn(&str) -> String) -> String {
        if let Some((_, known)) = self.labels.iter().find(|(of, _)| of == name) {
            return known.clone();
        }
        let free = |n: usize| {
            let letter = u8::try_from(n).ok().filter(|n| *n < 26).map(|n| char::from(b'A' + n));
            let made = label(&letter.map_or((n + 1).to_string(), String::from));
            let taken = self.labels.iter().any(|(_, known)| *known == made);
            (!taken && !self.open.contains(&lower(&made))).then_some(made)
        };
        let made = (0..).find_map(free).unwrap_or_default();
        self.labels.push((name.to_string(), made.clone()));
        made
    }

    fn subject(&mut self, subject: &Subject, all: &[DriveSetup], label: &dyn Fn(&str) -> String) {
        let label = self.label(&subject.name, label);
        self.hide(&subject.name, &label, false);
        let own = || all.iter().filter(|drive| drive.subject == subject.name);
        let models: Vec<&str> = own().filter_map(|drive| drive.model.as_deref()).collect();
        models.iter().for_each(|model| self.hide(model, &label, false));
        self.words(&subject.name, &models, &label);
        let serials = subject.drives.iter().filter_map(|drive| match &drive.place {
            DrivePlace::Device { serial, .. } => Some(serial.as_str()),
            DrivePlace::Directory(_) => None,
        });
        let gathered = own().filter_map(|drive| drive.serial.as_deref());
        let firmware = own().filter_map(|drive| drive.firmware.as_deref());
        let numbered: Vec<&str> = serials.chain(gathered).chain(firmware).collect();
        numbered.iter().for_each(|word| self.number(word));
        let namespaces = subject.drives.iter().flat_map(|drive| &drive.namespaces);
        let paths = subject.drives.iter().map(|drive| drive.place.path());
        let paths: Vec<PathBuf> =
            paths.chain(namespaces.map(PathBuf::as_path)).map(PathBuf::from).collect();
        paths.iter().for_each(|path| self.path(&path.display().to_string()));
    }

    /// A maker's name or a model number within the subject's name and the models. No list of makers
    /// is complete: the words of a name that precede its model number are a maker's, unless they
    /// are common, as in "Western Digital SN655".
    fn words(&mut self, name: &str, models: &[&str], label: &str) {
        let texts = || std::iter::once(name).chain(models.iter().copied());
        let (letter, digit) = (char::is_alphabetic, |c: char| c.is_ascii_digit());
        let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let is_number = |part: &&str| part.contains(digit) && parse_bytes(part).is_err();
        let number = parts
            .iter()
            .rposition(|part| is_number(part) || !part.is_empty() && part.chars().all(digit));
        for word in &parts[..number.unwrap_or(0)] {
            let is_name = word.chars().all(letter) && word.len() >= SHORTEST_MAKER;
            if is_name && !GENERIC.contains(&lower(word).as_str()) {
                self.hide(word, label, true);
            }
        }
        for word in split(name).filter(|word| word.contains(digit)) {
            self.hide_unless_common(word, label);
        }
        for word in models.iter().copied().flat_map(split).filter(|word| word.contains(letter)) {
            self.hide_unless_common(word, label);
        }
        // "CD8P" of "CD8P-R".
        let parts = texts().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        let parts = parts.filter(|part| part.contains(letter) && part.contains(digit));
        parts.for_each(|part| self.hide_unless_common(part, label));
    }

    fn hide_unless_common(&mut self, word: &str, label: &str) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if word.len() >= SHORTEST
            && !GENERIC.contains(&lower(word).as_str())
            && parse_bytes(word).is_err()
        {
            self.hide(word, label, !word.contains(|c: char| c.is_ascii_digit()));
        }
    }

    /// Serial numbers and firmware.
    fn number(&mut self, word: &str) {
        self.numbers += 1;
        let stand_in = format!("masked {}", self.numbers);
        self.hide(word, &stand_in, false);
    }

    fn path(&mut self, path: &str) {
        // "/" is common to all, and imported figures have a word instead of a path.
        if path.len() > 1 && path.starts_with('/') {
            self.number(path);
        }
        self.words.iter_mut().filter(|word| word.text == lower(path)).for_each(|word| {
            word.alone = true;
        });
    }

    /// A maker shared with an unmasked subject is not secret.
    fn hide(&mut self, word: &str, stand_in: &str, of_maker: bool) {
        let text = lower(word.trim());
        let known = self.words.iter().any(|word| word.text == text);
        let shared = of_maker && self.open.iter().any(|open| open.contains(&text));
        if text.is_empty() || known || shared {
            return;
        }
        let alone = text.len() < DISTINCT || !text.contains(char::is_alphabetic);
        self.words.push(MaskedWord { text, stand_in: stand_in.to_string(), of_maker, alone });
    }
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == '_')
}

/// A subject's name, and the models of its drives.
fn identities<'a>(subject: &'a Subject, drives: &'a [DriveSetup]) -> Vec<&'a str> {
    let own = drives.iter().filter(|drive| drive.subject == subject.name);
    let models = own.filter_map(|drive| drive.model.as_deref());
    std::iter::once(subject.name.as_str()).chain(models).collect()
}

/// The text in lower case (ASCII), so that positions are the same as in the original.
pub fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}
