//! The seam between a workload of transactions and a database server: a session speaks the server's
//! protocol, a dialect says how the server spells what SQL leaves open, a script says which
//! statements a transaction is made of.
//!
//! One op is one transaction. The workload's source numbers it, the script draws its parameters
//! outside the timed bracket (`stage`), and inside it sends the statements through the worker's own
//! session (`run`). What the server may answer at any time and a client must bear (a deadlock, a
//! lost connection) is distinguished from what is wrong.

pub mod answers;
mod decimal;
mod error;
mod script;
mod session;

pub use decimal::{Decimal, LONGEST_DECIMAL};
pub use error::{ErrorClass, SqlError, SqlResult, refused};
pub use script::{Committed, TransactionScript, Transactions};
pub use session::{
    Dialect, Identity, Param, ServerCounters, SqlSession, StatementBatch, StatementId, Statements,
    SysbenchDriver, reported,
};
