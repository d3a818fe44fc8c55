//! What becomes of each option of another tool's file. The tables are data: `fio.options` and
//! `vdbench.options` list every option of the tools with its fate.

use std::sync::OnceLock;

/// What becomes of an option. In order of weight: an option that applies to several jobs has the
/// heaviest of its fates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It does not change the requests.
    Irrelevant,
    /// The protocol has it.
    Carried,
    /// Dyno has a value of its own, which is named.
    Fixed,
    /// It defines the load, and the protocol does not have it.
    Lost,
}

/// All fates, as counts are printed.
pub const FATES: [Fate; 4] = [Fate::Carried, Fate::Fixed, Fate::Irrelevant, Fate::Lost];

impl Fate {
    /// As printed after a count and before a reason.
    pub fn words(self) -> &'static str {
        match self {
            Fate::Carried => "carried over",
            Fate::Fixed => "fixed by Dyno",
            Fate::Irrelevant => "irrelevant to the load",
            Fate::Lost => "not carried over",
        }
    }

    fn of_table(word: &str) -> Option<Fate> {
        match word {
            "carried" => Some(Fate::Carried),
            "fixed" => Some(Fate::Fixed),
            "irrelevant" => Some(Fate::Irrelevant),
            "lost" => Some(Fate::Lost),
            _ => None,
        }
    }
}

/// A line of a table.
pub struct KnownOption {
    /// vdbench: the kind of definition that has it. fio: empty.
    pub definition: &'static str,
    pub name: &'static str,
    pub aliases: Vec<&'static str>,
    /// It needs no value.
    pub flag: bool,
    /// The engines that have it; empty for all.
    pub engines: Vec<&'static str>,
    pub fate: Fate,
    /// Values that change nothing.
    pub neutral: Vec<&'static str>,
    /// Carried over: the key of Dyno. Fixed: Dyno's value. Otherwise the reason or the remedy.
    pub what: &'static str,
}

impl KnownOption {
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Whether `name` begins it.
    pub fn begins(&self, name: &str) -> bool {
        self.name.starts_with(name) || self.aliases.iter().any(|alias| alias.starts_with(name))
    }
}

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().collect()
}

/// The lines of a table: `None` for one with another number of columns or an unknown fate.
fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split('|').map(str::trim).collect())
}

fn fio_option(line: &[&'static str]) -> Option<KnownOption> {
    let [name, aliases, flag, engines, fate, neutral, what] = *line else { return None };
    Some(KnownOption {
        definition: "",
        name,
        aliases: words(aliases),
        flag: flag == "flag",
        engines: words(engines),
        fate: Fate::of_table(fate)?,
        neutral: words(neutral),
        what,
    })
}

fn vdbench_option(line: &[&'static str]) -> Option<KnownOption> {
    let [definition, name, aliases, fate, neutral, what] = *line else { return None };
    Some(KnownOption {
        definition,
        name,
        aliases: words(aliases),
        flag: false,
        engines: Vec::new(),
        fate: Fate::of_table(fate)?,
        neutral: words(neutral),
        what,
    })
}

/// The options of fio's job files and, after `--`, those of its command line alone.
pub fn fio_options() -> &'static [KnownOption] {
    static TABLE: OnceLock<Vec<KnownOption>> = OnceLock::new();
    let read = || lines(include_str!("fio.options")).filter_map(|l| fio_option(&l)).collect();
    TABLE.get_or_init(read)
}

/// The keywords of vdbench.
pub fn vdbench_options() -> &'static [KnownOption] {
    static TABLE: OnceLock<Vec<KnownOption>> = OnceLock::new();
    let read =
        || lines(include_str!("vdbench.options")).filter_map(|l| vdbench_option(&l)).collect();
    TABLE.get_or_init(read)
}

/// fio's option of this name for a job with this engine. An option that only other engines have is
/// returned too: `engines` does not contain the job's.
pub fn fio_option_of(name: &str, engine: &str) -> Option<&'static KnownOption> {
    let called = || fio_options().iter().filter(|option| option.is_called(name));
    let has = |option: &&KnownOption| option.engines.is_empty() || option.engines.contains(&engine);
    called().find(has).or_else(|| called().next())
}

/// vdbench's keyword of a definition, which may be abbreviated to two letters: the first that
/// begins so.
pub fn vdbench_option_of(definition: &str, name: &str) -> Option<&'static KnownOption> {
    let own = || vdbench_options().iter().filter(|option| option.definition == definition);
    let begins = |option: &&KnownOption| name.len() >= 2 && option.begins(name);
    own().find(|option| option.is_called(name)).or_else(|| own().find(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_read_and_every_name_is_there_once() {
        let all = lines(include_str!("fio.options")).count();
        assert_eq!(fio_options().len(), all);
        assert_eq!(vdbench_options().len(), lines(include_str!("vdbench.options")).count());
        let mut seen = std::collections::BTreeSet::new();
        for option in fio_options().iter().chain(vdbench_options()) {
            let engines = if option.engines.is_empty() { vec![""] } else { option.engines.clone() };
            for name in option.aliases.iter().chain([&option.name]) {
                for engine in &engines {
                    let place = (option.definition, *name, *engine);
                    assert!(seen.insert(place), "{place:?} is there twice");
                }
            }
            // A fate without a reason says nothing.
            assert!(!option.what.is_empty(), "{}", option.name);
        }
    }

    #[test]
    fn a_keyword_of_vdbench_may_be_abbreviated_as_vdbench_resolves_it() {
        for (definition, short, name) in [
            ("rd", "io", "iorate"),
            ("rd", "el", "elapsed"),
            ("rd", "in", "interval"),
            ("rd", "forx", "forxfersize"),
            ("rd", "xf", "forxfersize"),
            ("rd", "th", "forthreads"),
            ("wd", "xf", "xfersize"),
            ("wd", "rd", "rdpct"),
            ("wd", "re", "rdpct"),
            ("wd", "se", "seekpct"),
            ("sd", "th", "threads"),
        ] {
            let found = vdbench_option_of(definition, short).map(|option| option.name);
            assert_eq!(found, Some(name), "{definition} {short}");
        }
        assert!(vdbench_option_of("rd", "i").is_none());
    }
}
