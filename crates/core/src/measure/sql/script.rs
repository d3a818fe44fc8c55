//! The statements that a transactional workload sends for each op.

use super::error::SqlResult;
use super::session::{SqlSession, Statements};
use crate::base::error::Result;
use crate::measure::op::{Op, OpGenerator, OpKind};

/// How a transaction ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The statements that it sent, by kind.
    pub statements: Statements,
    /// False where the transaction ended in the rollback that its specification asks for.
    pub hit: bool,
}

/// One worker's transactions: how to carry op after op out.
pub trait TransactionScript: Send {
    /// What to look at where a transaction failed and running it again would not help.
    fn remedy(&self) -> &'static str;

    /// Prepares the statements. Called once, before the window, on a fresh session.
    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()>;

    /// Draws the op's parameters. Outside the timed bracket.
    fn stage(&mut self, op: &Op);

    /// Carries the staged op out, from its first statement to its commit. Called again, with the
    /// same parameters, after a `Trouble::Retry` (when the I/O context has rolled back) and after a
    /// `Trouble::Lost` (when it has reconnected).
    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed>;
}

/// Transactions by number; the script says what is in them.
pub struct Transactions {
    /// How many there are before it ends by itself, if it does.
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
