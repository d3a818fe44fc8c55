//! The bundles that a command reads, and the comparison settings.

use std::path::PathBuf;

use clap::Args;

use crate::analysis::merged::SameSubject;
use crate::analysis::points::metric::MetricRequest;
use crate::analysis::{Facts, Question};
use crate::base::error::{Result, failed};
use crate::language::Language;
use crate::{bundles, catalogue};

/// Bundles, and the comparison settings.
#[derive(Args)]
pub struct Bundles {
    /// Bundles, or folders of bundles
    #[arg(required = true, value_name = "BUNDLE")]
    pub paths: Vec<PathBuf>,
    /// The comparison settings.
    #[command(flatten)]
    pub asked: AskedOptions,
    /// Language of the output: en, ja or pt-BR
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub language: String,
}

/// The compared metrics, and the permitted differences.
#[derive(Args, Default)]
pub struct AskedOptions {
    /// Field that may differ between the compared points, as in io.block, or "host"; repeatable
    #[arg(long, value_name = "PATH")]
    pub vary: Vec<String>,
    /// Metric to compare: ops/s, MB/s, mean, p50 … p99.999, ops/s/W, MB/s/W, J/op, J/TB, WAF,
    /// new-orders/min, transactions/min; prefixed, of one stream (reader-4:p99) or of one drive of
    /// each group (drive-1:p99). Repeatable; fewer metrics give narrower intervals
    #[arg(long, value_name = "METRIC")]
    pub metric: Vec<String>,
    /// Two names of one subject in bundles of different tests: NAME=OTHER; repeatable. Subjects on
    /// the same drives are one without it, and imported ones of the same name
    #[arg(long, value_name = "NAME=OTHER")]
    pub same: Vec<String>,
}

impl Bundles {
    /// Reads the bundles and gathers their facts; an error states the unreadable file.
    pub fn facts(&self) -> Result<Facts> {
        self.answer(self.asked.question()?)
    }

    /// The same with the slowest ops, for output that shows them, and with these subjects masked.
    pub fn facts_of_brief(&self, masks: Vec<String>) -> Result<Facts> {
        self.answer(Question { outliers: true, masks, ..self.asked.question()? })
    }

    /// The language of the output; an error names those that there are.
    pub fn language(&self) -> Result<Language> {
        Language::parse(&self.language)
    }

    /// The facts step by step, with the slowest ops and without comparisons; see
    /// [`bundles::each_step`].
    pub fn each_step(&self, show: &mut dyn FnMut(&Facts) -> Result<()>) -> Result<Facts> {
        let question = Question { outliers: true, ..self.asked.question()? };
        merge_freed_blocks();
        bundles::each_step(self.language()?, &each(&self.paths)?, &question, show)
    }

    fn answer(&self, question: Question) -> Result<Facts> {
        merge_freed_blocks();
        bundles::facts_in(self.language()?, &each(&self.paths)?, &question)
    }
}

/// Makes glibc merge a freed block with its neighbours at once, for a process that only reads: the
/// millions of small blocks of a large bundle's points are otherwise kept apart, and merged again
/// and again when a large one is freed (docs/performance.md, "Large bundles").
fn merge_freed_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets a parameter of the allocator, which may be done at any time.
    unsafe {
        libc::mallopt(libc::M_MXFAST, 0);
    }
}

/// The named files, and every bundle below a named folder.
pub fn each(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        // A campaign's folder also contains the tasks' bundles, of which the collected ones are
        // copies.
        let collected = path.join("collected");
        let from = if collected.join("collected.json").is_file() { &collected } else { path };
        let found = catalogue::below(from);
        if found.is_empty() {
            return Err(failed(
                format!("there is no bundle in {}", path.display()),
                "specify a bundle, or a folder with files that end in .dyno",
            ));
        }
        all.extend(found);
    }
    Ok(all)
}

impl AskedOptions {
    /// The same for the analysis; an unknown metric is an error.
    pub fn question(&self) -> Result<Question> {
        let metrics = self.metric.iter().map(|m| MetricRequest::parse(m)).collect::<Result<_>>()?;
        let vary = self.vary.clone();
        let same = self.same.iter().map(|same| same_subject(same)).collect::<Result<_>>()?;
        Ok(Question { vary, metrics, same, joins_sessions: true, ..Question::default() })
    }
}

/// "A=B": the subject A is named B in other bundles.
fn same_subject(text: &str) -> Result<SameSubject> {
    let names = text.split_once('=').map(|(name, other)| (name.trim(), other.trim()));
    match names.filter(|(name, other)| !name.is_empty() && !other.is_empty()) {
        Some((name, other)) => Ok(SameSubject { name: name.into(), other: other.into() }),
        None => Err(failed(
            format!("--same '{text}' does not name two subjects"),
            "write --same \"NAME=OTHER NAME\"",
        )),
    }
}

/// "5%", "5 %" or "5" as a share, from 0 to below 1.
pub fn share(text: &str) -> Option<f64> {
    let percent: f64 = text.trim().trim_end_matches('%').trim_end().parse().ok()?;
    (0.0..100.0).contains(&percent).then_some(percent / 100.0)
}
