//! Mistakes in a plan: all of them at once, each shown at its position in the file, with a remedy.

use std::fmt;
use std::io::IsTerminal;

use crate::base::output::{self, WIDEST};
use crate::base::text::{masked, visible};
use crate::base::units::plural;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

/// A position: a range of bytes in one of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceSpan {
    /// The number of the source.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl SourceSpan {
    /// For values without a source: the default of a knob.
    pub const NOWHERE: SourceSpan = SourceSpan { source: usize::MAX, start: 0, end: 0 };
}

/// The most places of one mistake that are shown; the rest are counted.
const MOST_PLACES: usize = 3;

/// One mistake, possibly in several places of one source.
#[derive(Clone, Debug, PartialEq)]
struct Mistake {
    at: Vec<SourceSpan>,
    message: String,
    label: String,
    help: String,
}

/// All mistakes in a plan, and their source texts.
#[derive(Debug, std::default::Default)]
pub struct Mistakes {
    /// (name, text) of plan and protocol files and of command-line arguments.
    sources: Vec<(String, String)>,
    list: Vec<Mistake>,
}

impl Mistakes {
    /// Adds a source text; the number is for `At`.
    pub(in crate::plan) fn source(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> usize {
        // Displayed on a terminal, which might interpret part of a plan as control sequences.
        self.sources.push((visible(&name.into()).into_owned(), masked(&text.into()).into_owned()));
        self.sources.len() - 1
    }

    /// Reports a mistake: what is wrong, a short label for the marked text, what to do. The same
    /// mistake in another place is reported with the first; in the same place it is omitted,
    /// because a dataset's knobs are read again for each stream that uses it.
    pub(in crate::plan) fn note(
        &mut self,
        at: SourceSpan,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        let [message, label, help] =
            [message.into(), label.into(), help.into()].map(|s| visible(&s).into_owned());
        let same = |known: &&mut Mistake| {
            known.at[0].source == at.source
                && (&known.message, &known.label, &known.help) == (&message, &label, &help)
        };
        match self.list.iter_mut().find(same) {
            Some(known) if known.at.contains(&at) => {}
            Some(known) => known.at.push(at),
            None => self.list.push(Mistake { at: vec![at], message, label, help }),
        }
    }

    /// The same sources without mistakes, to continue checking with the same positions.
    pub fn sources(&self) -> Mistakes {
        Mistakes { sources: self.sources.clone(), list: Vec::new() }
    }

    /// Whether there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    fn shown<'a>(&'a self, mistake: &'a Mistake) -> ShownMistake<'a> {
        let source = self.sources.get(mistake.at[0].source);
        ShownMistake {
            mistake,
            source: source.map(|(name, text)| NamedSource::new(name, text.clone())),
        }
    }

    /// All of them as text, in colour or plain.
    pub fn render(&self, colour: bool) -> String {
        self.drawn(colour, WIDEST)
    }

    fn drawn(&self, colour: bool, columns: usize) -> String {
        let theme =
            if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .with_width(columns)
            .with_context_lines(1)
            .without_syntax_highlighting();
        let mut text = String::new();
        for mistake in &self.list {
            if handler.render_report(&mut text, &self.shown(mistake)).is_err() {
                // Rendering only fails if a span is outside its source; the message alone is still
                // useful.
                text.push_str(&format!("{} ({})\n", mistake.message, mistake.help));
            }
        }
        text
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let count = self.list.len();
        writeln!(f, "the plan has {}; nothing was touched", plural(count, "mistake"))?;
        f.write_str(self.drawn(colour, output::columns(std::io::stderr())).trim_end())
    }
}

impl std::error::Error for Mistakes {}

/// A mistake with its source, in miette's form.
#[derive(Debug)]
struct ShownMistake<'a> {
    mistake: &'a Mistake,
    source: Option<NamedSource<String>>,
}

impl fmt::Display for ShownMistake<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mistake.message)
    }
}

impl std::error::Error for ShownMistake<'_> {}

impl Diagnostic for ShownMistake<'_> {
    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let Mistake { at, help, .. } = self.mistake;
        let more = at.len().saturating_sub(MOST_PLACES);
        let further = format!("the same in {}", plural(more, "more place"));
        let parts: Vec<&str> = [help.as_str(), further.as_str()]
            .into_iter()
            .zip([!help.is_empty(), more > 0])
            .filter_map(|(part, shown)| shown.then_some(part))
            .collect();
        if parts.is_empty() { None } else { Some(Box::new(parts.join("; "))) }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        let label = |at: &SourceSpan| {
            LabeledSpan::new(Some(self.mistake.label.clone()), at.start, at.end - at.start)
        };
        Some(Box::new(self.mistake.at.iter().take(MOST_PLACES).map(label)))
    }
}

/// The known word that is similar to a mistyped one, if any.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let near = known.map(|k| (strsim::damerau_levenshtein(&word, &k.to_lowercase()), k));
    let similar = near.filter(|(distance, k)| *distance <= 1 + k.len().max(word.len()) / 4);
    similar.min().map(|(_, k)| k)
}

/// The remedy for an unknown word: the most similar known one, and all of them.
pub fn remedy<'a>(word: &str, what: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let all = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    let near = nearest(word, known.iter().copied());
    let meant = near.map(|near| format!("did you mean '{near}'? ")).unwrap_or_default();
    format!("{meant}{what}: {all}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_and_a_far_one_is_not() {
        let known = ["threads", "depth", "rate"];
        assert_eq!(
            remedy("thread", "known", known.into_iter()),
            "did you mean 'threads'? known: threads, depth, rate"
        );
        assert_eq!(remedy("colour", "known", known.into_iter()), "known: threads, depth, rate");
    }

    #[test]
    fn the_same_mistake_in_many_places_is_one_with_the_number_of_places() {
        let mut mistakes = Mistakes::default();
        let source = mistakes.source("p.toml", "bee = 2\n".repeat(40));
        for line in 0..40 {
            let at = SourceSpan { source, start: line * 8, end: line * 8 + 3 };
            (0..2).for_each(|_| mistakes.note(at, "no key 'bee'", "unknown", "known: a"));
        }
        assert_eq!(mistakes.len(), 1);
        let text = mistakes.render(false);
        assert!(text.contains("known: a; the same in 37 more places"), "{text}");
        assert_eq!(text.matches("no key 'bee'").count(), 1, "{text}");
        assert_eq!(text.matches("unknown").count(), MOST_PLACES, "{text}");
    }

    #[test]
    fn a_mistake_shows_its_file_line_and_column() {
        let mut mistakes = Mistakes::default();
        let source = mistakes.source("p.toml", "a = 1\nbee = 2\n");
        mistakes.note(
            SourceSpan { source, start: 6, end: 9 },
            "no key 'bee'",
            "unknown",
            "known: a",
        );
        let text = mistakes.render(false);
        for part in ["no key 'bee'", "p.toml:2:1", "unknown", "known: a"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
