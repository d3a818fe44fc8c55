//! The processors on which a stream's workers ran, if the plan pins them.

use serde::{Deserialize, Serialize};

use super::Fact;

/// The workers of a stream on one drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerProcessors {
    /// The stream's name.
    pub stream: String,
    /// Index of the drive in the subject, from 0.
    pub drive: u32,
    /// The processors, as in "0-3,8".
    pub processors: String,
    /// Whether each worker has one of its own.
    pub one_each: bool,
}

impl WorkerProcessors {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let how = match self.one_each {
            true => "one worker on each",
            false => "shared by all workers, who are more than there are processors",
        };
        let name = format!("{}, drive {}", self.stream, self.drive + 1);
        Fact::new("Processors of workers", name, format!("{}: {how}", self.processors))
    }
}
