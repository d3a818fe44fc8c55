//! Bundles into facts: the store reads, the analysis gathers.

use std::path::PathBuf;

use clap::Args;

use crate::analysis::metric::Asked;
use crate::analysis::{Facts, Gathering, Question};
use crate::base::error::{Context, Result};
use crate::language::Language;
use crate::store::Bundle;

/// Bundles, and what is asked of them.
#[derive(Args)]
pub struct Bundles {
    /// Bundles, as `dyno run` writes them
    #[arg(required = true, value_name = "BUNDLE")]
    pub paths: Vec<PathBuf>,
    /// How they are to be compared.
    #[command(flatten)]
    pub asked: AskedOptions,
    /// Language of what is made of them: en, ja or pt-BR
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub language: String,
}

/// What is compared, and which differences are the question.
#[derive(Args, Default)]
pub struct AskedOptions {
    /// A field that is varied on purpose, as in io.block, or "host"; repeatable
    #[arg(long, value_name = "PATH")]
    pub vary: Vec<String>,
    /// Metric to compare: ops/s, MB/s, mean, p50 … p99.99, ops/s/W, MB/s/W, J/op, new-orders/min,
    /// transactions/min, each also of one stream (reader-4:p99) or one drive of each group
    /// (drive-1:p99); repeatable. Fewer metrics give narrower intervals
    #[arg(long, value_name = "METRIC")]
    pub metric: Vec<String>,
}

impl Bundles {
    /// Reads the bundles and gathers their facts; an error names the file that cannot be read.
    pub fn facts(&self) -> Result<Facts> {
        self.answer(&self.asked.question()?)
    }

    /// The same with the slowest ops, for what shows them.
    pub fn facts_with_outliers(&self) -> Result<Facts> {
        self.answer(&Question { outliers: true, ..self.asked.question()? })
    }

    fn answer(&self, question: &Question) -> Result<Facts> {
        let language = Language::parse(&self.language)?;
        Ok(Facts { language, ..facts(&self.paths, question)? })
    }
}

impl AskedOptions {
    /// The same for the analysis; an error names a metric that there is not.
    pub fn question(&self) -> Result<Question> {
        let metrics = self.metric.iter().map(|m| Asked::parse(m)).collect::<Result<_>>()?;
        Ok(Question { vary: self.vary.clone(), metrics, outliers: false })
    }
}

/// Reads bundles: their runs, then point by point.
pub fn facts(paths: &[PathBuf], question: &Question) -> Result<Facts> {
    let open =
        |path: &PathBuf| Bundle::open(path).with_context(|| format!("opening {}", path.display()));
    let bundles = paths.iter().map(open).collect::<Result<Vec<_>>>()?;
    let runs = bundles.iter().map(Bundle::contents).collect::<Result<Vec<_>>>()?;
    let mut gathering = Gathering::new(&runs, question)?;
    for (index, (bundle, path)) in bundles.iter().zip(paths).enumerate() {
        let each = bundle.each_contents(question.outliers, &mut |point| {
            gathering.point(index, point);
            Ok(())
        });
        each.with_context(|| format!("reading {}", path.display()))?;
    }
    Ok(gathering.finish())
}
