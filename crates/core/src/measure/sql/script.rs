//! The statements that a transactional workload sends for each op.

use super::error::SqlResult;
use super::session::{SqlSession, Statements};
use crate::base::error::Result;
use crate::measure::op::{Op, OpGenerator, OpKind};

/// The outcome of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The statements sent, by kind.
    pub statements: Statements,
    /// False if the transaction ended in the rollback that its specification requires.
    pub hit: bool,
}

/// One worker's transactions: how to execute consecutive ops.
pub trait TransactionScript: Send {
    /// The advice if a transaction failed and a retry would not help.
    fn remedy(&self) -> &'static str;

    /// Prepares the statements. Called once, before the window, on a new session.
    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()>;

    /// Draws the op's parameters. Outside the timed bracket.
    fn stage(&mut self, op: &Op);

    /// Executes the staged op, from its first statement to its commit. Called again with the same
    /// parameters after a `Trouble::Retry` (the I/O context has rolled back) and after a
    /// `Trouble::Lost` (it has reconnected).
    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed>;
}

/// Transactions by number; the script defines their contents.
pub struct Transactions {
    /// The number after which it ends, if any.
    pub pass: Option<u64>,
}

impl OpGenerator for Transactions {
    fn op(&mut self, n: u64) -> Op {
        Op { kind: OpKind::Transaction, class: 0, len: 0, at: n, salt: 0 }
    }

    fn pass(&self) -> Option<u64> {
        self.pass
    }
}
