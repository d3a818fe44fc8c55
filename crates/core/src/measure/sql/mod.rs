//! The interface between a transactional workload and a database server: a session implements the
//! server's protocol, a dialect the server's variants of SQL, a script the statements of a
//! transaction.
//!
//! One op is one transaction. The workload's source numbers it, the script draws its parameters
//! outside the timed bracket (`stage`), and sends the statements through the worker's own session
//! inside it (`run`). Failures that a client must expect (a deadlock, a lost connection) are
//! distinguished from errors.

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
