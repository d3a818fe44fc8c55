//! Names from plans and bundles in the language of a brief: titles and sources of built-in
//! protocols, titles of their steps, axes, percentiles. A title counts as built-in if it equals the
//! English message for its protocol and step; users' own texts are unchanged.

use super::axis::field_text;
use crate::analysis::points::axis::AxisFacts;
use crate::analysis::title::{PlanText, ProtocolTitle};
use crate::language::{Language, Message, MessageArg, Name, Number};
use crate::say;

/// Placeholders in English messages for values from a plan's knobs, or from a run.
const MARKS: [char; 4] = ['\u{1}', '\u{2}', '\u{3}', '\u{4}'];

/// Preparation of drives, as stored by a run: the actions and their results.
const DONE: [&str; 23] = [
    "action-namespaces",
    "action-purge",
    "action-write-cache",
    "action-filesystem",
    "action-fill",
    "action-condition",
    "action-steady-state",
    "outcome-filled",
    "outcome-opened",
    "outcome-load",
    "outcome-slices",
    "outcome-not-purged",
    "outcome-not-switched",
    "outcome-has-filesystem",
    "outcome-filesystem",
    "outcome-write-cache",
    "outcome-namespaces",
    "outcome-created",
    "outcome-deleted",
    "outcome-discarded",
    "outcome-formatted",
    "outcome-key-erased",
    "outcome-sanitized",
];

/// Values of facts of hosts and engines that are Dyno's own words.
const SAID: [&str; 10] = [
    "fact-value-histogram",
    "fact-value-ceiling",
    "fact-value-registered-small",
    "fact-value-steady",
    "fact-value-not-steady",
    "fact-value-too-few-rounds",
    "fact-value-cache-hits",
    "fact-value-key-and-value",
    "fact-value-on",
    "fact-value-off",
];

/// The parts of a text at the placeholders of its English message; None if the text does not match.
fn values<'t>(english: &str, written: &'t str) -> Option<[&'t str; MARKS.len()]> {
    let (mut found, mut rest, mut english) = ([""; MARKS.len()], written, english);
    while let Some(at) = english.find(MARKS) {
        rest = rest.strip_prefix(&english[..at])?;
        let mark = MARKS.iter().position(|mark| english[at..].starts_with(*mark))?;
        english = &english[at + 1..];
        let literal = english.find(MARKS).map_or(english, |next| &english[..next]);
        let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
        (found[mark], rest) = rest.split_at(end);
    }
    (rest == english).then_some(found)
}

/// A built-in text in another language; None if `written` does not match its English message.
fn built_in(l: Language, id: &str, written: &str) -> Option<String> {
    l.keyed(id, values(&marked(id)?, written)?)
}

/// A message in English, with placeholders for its arguments.
fn marked(id: &str) -> Option<String> {
    let marks = MARKS.map(String::from);
    Language::ENGLISH.keyed(id, marks.each_ref().map(String::as_str))
}

/// The message of a built-in text, with its values; None if `written` does not match its English.
fn message_of(id: &str, written: &str) -> Option<MessageArg> {
    let number = |value: &str| MessageArg::Number(Number(value.to_string()));
    let [value, second, third, fourth] = values(&marked(id)?, written)?.map(number);
    let args = vec![("value", value), ("second", second), ("third", third), ("fourth", fourth)];
    Some(MessageArg::Message(Message { id: id.to_string().into(), args }))
}

/// A preparation action or its result; as stored if there is no message for it.
pub fn done(stored: &str) -> MessageArg {
    DONE.iter().find_map(|id| message_of(id, stored)).unwrap_or_else(|| stored.into())
}

/// The value of a fact; as stored if it is not one of Dyno's own words.
pub fn said(l: Language, stored: &str) -> String {
    let known = SAID.iter().find_map(|id| built_in(l, id, stored));
    known.unwrap_or_else(|| stored.to_string())
}

/// "A and B: nvme0n1": two subjects that share a device, as stated by the host.
pub fn shared_device(l: Language, stated: &str) -> String {
    built_in(l, "fact-value-shared", stated).unwrap_or_else(|| stated.to_string())
}

impl ProtocolTitle {
    /// The title, with a note if the subjects share a device.
    pub fn text(&self, l: Language) -> String {
        let title = match &self.imported_from {
            Some(tool) => say!(l, "imported-from", tool),
            None => self.text.text(l),
        };
        match self.is_control {
            true => say!(l, "control-run", title),
            false => title,
        }
    }
}

impl PlanText {
    /// A built-in protocol's text in the brief's language; text by a user is unchanged.
    pub fn text(&self, l: Language) -> String {
        built_in(l, &self.key, &self.written).unwrap_or_else(|| self.written.clone())
    }
}

impl From<&PlanText> for MessageArg {
    fn from(text: &PlanText) -> MessageArg {
        message_of(&text.key, &text.written)
            .unwrap_or_else(|| MessageArg::Text(text.written.clone()))
    }
}

/// "threads of readers": the axis of a step.
pub fn axis(l: Language, axis: &AxisFacts) -> String {
    match axis.name.split_once('.') {
        Some((stream, key)) => say!(l, "axis-of-stream", stream, key),
        None => field_text(l, axis.field),
    }
}

/// A heading of the disclosure: "Drive: A", "Dataset (uring)".
pub fn heading(l: Language, stored: &str) -> String {
    let end = stored.find([':', '(']).unwrap_or(stored.len());
    let name = stored[..end].trim_end();
    l.name(&Name::fact(name)) + &stored[name.len()..]
}

/// The name of a fact: "Kernel", "note in table.csv".
pub fn fact(l: Language, stored: &str) -> String {
    match stored.strip_prefix("note in ") {
        Some(file) => say!(l, "note-in", file),
        None => l.name(&Name::fact(stored)),
    }
}

/// The facts of an import about the source of its figures and its omissions, statement by
/// statement; the source's own notes are unchanged.
pub fn of_import(l: Language, stored: &str) -> String {
    let all: Vec<String> = stored.split("; ").map(|said| l.name(&Name::fact(said))).collect();
    all.join(&l.text(&Message::new("clause-break")))
}

/// A percentile in a sentence or a caption; its column is named "p99".
pub fn percentile(l: Language, column: &str) -> String {
    say!(l, "percentile", value = column.trim_start_matches('p'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::plan::protocols;

    /// (id, English) of every title and source of a built-in protocol, with placeholders for knobs.
    fn written() -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (protocol, toml) in protocols() {
            let plan: toml::Table = toml.parse().expect("TOML");
            let text = |table: &toml::Table, key: &str| {
                table.get(key).and_then(|v| v.as_str()).map(str::to_string)
            };
            all.push((format!("protocol-{protocol}"), text(&plan, "title").expect("a title")));
            all.push((format!("source-of-{protocol}"), text(&plan, "source").expect("a source")));
            let steps = plan.get("step").and_then(|s| s.as_array()).into_iter().flatten();
            for step in steps.filter_map(|step| step.as_table()) {
                let name = text(step, "name").expect("a name");
                all.push((
                    format!("step-of-{protocol}-{name}"),
                    text(step, "title").unwrap_or(name),
                ));
            }
        }
        all
    }

    /// "TPC-C {terminals.timing|spec=with} keying" with the knob replaced by its text.
    fn filled(written: &str) -> String {
        let Some((before, (knob, after))) = written
            .split_once('{')
            .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        else {
            return written.to_string();
        };
        let value = knob
            .split_once('=')
            .map_or("100 MB/s", |(_, words)| words.split('|').next().unwrap_or_default());
        format!("{before}{value}{after}")
    }

    #[test]
    fn every_title_and_source_of_a_built_in_protocol_is_a_message_and_every_such_message_is_one() {
        let written = written();
        for (id, english) in &written {
            for language in Language::all() {
                let said = built_in(language, id, &filled(english));
                let said = said.unwrap_or_else(|| {
                    panic!("{}: the message {id} is not “{english}” in English", language.tag())
                });
                assert!(!said.is_empty() && !said.contains(MARKS), "{id}: {said}");
            }
        }
        let kinds = ["protocol-", "source-of-", "step-of-"];
        let ids = Language::ENGLISH.ids();
        let ours = ids.iter().filter(|id| kinds.iter().any(|kind| id.starts_with(kind)));
        let unknown: Vec<_> =
            ours.filter(|id| !written.iter().any(|(known, _)| known == *id)).collect();
        assert!(unknown.is_empty(), "no built-in protocol has {unknown:?}");
    }

    /// Every name of a fact in the sources of Dyno that is written as `fact("…"`.
    fn fact_names() -> Vec<String> {
        let mut folders = vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src").into()];
        let mut all = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir::<std::path::PathBuf>(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let calls = text.split(" fact(").chain(text.split("(fact(")).skip(1);
                let named = calls.filter_map(|call| call.trim_start().strip_prefix('"'));
                all.extend(named.filter_map(|rest| Some(rest.split_once('"')?.0.to_string())));
            }
        }
        all
    }

    #[test]
    fn every_fact_that_an_engine_or_the_host_discloses_has_a_word_in_every_language() {
        let names = fact_names();
        assert!(names.len() > 10, "{names:?}");
        for language in Language::all() {
            for name in &names {
                let id = Name::fact(name).id();
                assert!(language.keyed(&id, [""; 4]).is_some(), "{}: no {id}", language.tag());
            }
        }
    }

    #[test]
    fn values_of_facts_in_words_of_dyno_s_own_are_in_the_brief_s_language() {
        let ja = Language::parse("ja").expect("Japanese");
        let stored = [
            "923975 ops/s in this shape, of requests that take no time",
            "1 ns to 1 hour, relative error at most 0.1 % (HdrHistogram, 3 digits)",
            "registered, in pages of 4 KiB, since no huge page is free (`sysctl vm.nr_hugepages`)",
            "NOT steady within 5 rounds by iops: excursion 32.4 %, slope 16.8 %",
            "67.02 % of 114,157 block look-ups",
            "20 + 400 bytes",
            "off",
        ];
        for value in stored {
            assert_eq!(said(Language::ENGLISH, value), value);
            let own = said(ja, value);
            assert!(own != value && !own.contains(" of "), "{own}");
        }
        assert!(said(ja, stored[3]).contains("32.4%"), "{}", said(ja, stored[3]));
        assert_eq!(shared_device(ja, "Disk A and Disk B: vda"), "Disk A と Disk B：vda");
        // Values reported by a drive or the kernel are quoted unchanged.
        assert_eq!(said(ja, "write back"), "write back");
    }

    #[test]
    fn what_stands_at_the_marks_of_a_text_is_found() {
        let of = |written| values("\u{1} ops of \u{2} in \u{3}", written);
        assert_eq!(of("4,096 ops of random in 3 s"), Some(["4,096", "random", "3 s", ""]));
        assert_eq!(of("4,096 ops"), None);
        assert_eq!(values("as it is", "as it is"), Some([""; 4]));
        assert_eq!(values("as it is", "as it was"), None);
    }

    #[test]
    fn a_title_that_a_user_wrote_stays_as_it_is() {
        let ja = Language::parse("ja").expect("Japanese");
        let id = "step-of-block-basics-random-read-4k";
        assert_eq!(built_in(ja, id, "My own reads"), None);
        assert_ne!(built_in(ja, id, "4 KiB random reads"), Some("4 KiB random reads".into()));
        let rate = |rate: &str| {
            let title = format!("Three readers beside three writers of {rate} each");
            built_in(ja, "step-of-noisy-neighbour-neighbours", &title).expect("a title")
        };
        assert!(rate("100 MB/s").contains("100 MB/s"), "{}", rate("100 MB/s"));
    }
}
