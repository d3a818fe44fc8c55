//! The search of one thread: a query is one call of the library, which reads beam after beam.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use diskann_disk::search::search_mode::SearchMode;

use super::build;
use super::build_progress::BuildProgress;
use super::index::{Index, Searcher};
use super::layout::{IndexKnobs, NEIGHBOURS};
use super::query_results::{QueryResult, QueryResults};
use super::reader::ReadCount;
use dyno_core::base::error::{Context, Result, anyhow, failed};
use dyno_core::lab::folder::data::DatasetFolder;
use dyno_core::measure::{Completion, IoContext, Op, OpKind, Wait};

/// A thread's handle to an index.
pub struct SearchContext {
    searcher: Searcher,
    count: Arc<ReadCount>,
    index: Arc<Index>,
    answers: Arc<QueryResults>,
    staged: Option<Op>,
}

impl SearchContext {
    pub fn new(index: Arc<Index>, answers: Arc<QueryResults>) -> Result<SearchContext> {
        let count = Arc::default();
        let searcher = index.searcher(&count)?;
        Ok(SearchContext { searcher, count, index, answers, staged: None })
    }

    /// Executes a query and checks its result; returns the bytes read.
    pub fn ask(&mut self, query: usize) -> Result<u64> {
        let (list, beam) = self.answers.search;
        let before = self.count.now();
        let result = self.searcher.search(
            self.index.query(query),
            NEIGHBOURS as u32,
            list,
            Some(beam as usize),
            SearchMode::graph(),
        );
        let result = result.map_err(|cause| {
            failed(
                format!("query {query} failed: {cause}"),
                "check `dmesg` for errors reported by the device",
            )
        })?;
        let after = self.count.now();
        let numbers = result.results.iter().map(|result| result.vertex_id);
        let answer = QueryResult::of(after.0 - before.0, numbers, self.index.truth(query));
        self.answers.keep(query, answer)?;
        Ok(after.1 - before.1)
    }
}

impl IoContext for SearchContext {
    fn stage(&mut self, _slot: u32, op: &Op) -> Result<()> {
        self.staged = Some(*op);
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let Some(op) = self.staged.take() else { return Ok(()) };
        let OpKind::Search = op.kind else {
            return Err(anyhow!("an index answers queries, and nothing else"));
        };
        let bytes = self.ask(op.at as usize)? as u32;
        done.push(Completion { slot: 0, bytes, hit: true, given_up: false });
        Ok(())
    }
}

/// Creates an index in a separate thread, and waits for it part by part.
pub struct BuildContext {
    folder: DatasetFolder,
    knobs: IndexKnobs,
    progress: Arc<BuildProgress>,
    begun: bool,
    staged: Option<Op>,
}

impl BuildContext {
    pub fn new(
        folder: DatasetFolder,
        knobs: IndexKnobs,
        progress: Arc<BuildProgress>,
    ) -> BuildContext {
        BuildContext { folder, knobs, progress, begun: false, staged: None }
    }

    fn begin(&mut self) -> Result<()> {
        let (folder, knobs, progress) =
            (self.folder.clone(), self.knobs, Arc::clone(&self.progress));
        let build = move || {
            let built =
                catch_unwind(AssertUnwindSafe(|| build::lay_out(&folder, knobs, &progress)));
            progress.end(built.unwrap_or_else(|_| Err(anyhow!("the build of the index panicked"))));
        };
        let begun = std::thread::Builder::new().name("dyno-build".to_string()).spawn(build);
        begun.context("starting the build of the index")?;
        self.begun = true;
        Ok(())
    }
}

impl IoContext for BuildContext {
    fn stage(&mut self, _slot: u32, op: &Op) -> Result<()> {
        self.staged = Some(*op);
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let Some(op) = self.staged.take() else { return Ok(()) };
        let OpKind::Build = op.kind else {
            return Err(anyhow!("there is no index yet: the dataset's fill builds it"));
        };
        if !self.begun {
            self.begin()?;
        }
        if !self.progress.wait_for(op.at)? {
            // A partial index is useless and large. If a file cannot be removed, the next run
            // removes it.
            self.progress.wait_for_end();
            drop(self.folder.remove(false));
        }
        done.push(Completion { slot: 0, bytes: 0, hit: true, given_up: false });
        Ok(())
    }
}
