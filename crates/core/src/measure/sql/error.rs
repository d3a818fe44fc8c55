//! A database server's error, and what it means for a client.

use crate::base::error::Error;

/// What a server's error means for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// A deadlock, a lock-wait timeout or a serialization failure: the transaction is rolled back
    /// and may be run again.
    Retry,
    /// The connection is gone.
    Lost,
    /// The server took the connection and did not finish the login in time.
    Slow,
    /// The server's certificate is none that the client trusts.
    Untrusted,
    /// A statement, a permission, a full disk: running it again would not help.
    Wrong,
}

/// A server's error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    /// Whether to run the transaction again, connect again or give up.
    pub trouble: ErrorClass,
    /// The server's own code: "1213", "40P01"; empty where there was none.
    pub code: String,
    /// The server's or the library's own text.
    pub message: String,
}

/// What an answer of a server is, or its error.
pub type SqlResult<T> = std::result::Result<T, SqlError>;

impl SqlError {
    /// An error that running the statement again would not help.
    pub fn wrong(message: impl Into<String>) -> SqlError {
        SqlError { trouble: ErrorClass::Wrong, code: String::new(), message: message.into() }
    }

    /// An error after which the session has to be made anew.
    pub fn lost(message: impl Into<String>) -> SqlError {
        SqlError { trouble: ErrorClass::Lost, ..SqlError::wrong(message) }
    }
}

/// A server's error as ours, for what happens outside a transaction.
pub fn refused(what: &str, error: &SqlError) -> Error {
    crate::base::error::failed(
        format!("{what}: {error}"),
        "look at the server's log; nothing was changed by this",
    )
}
