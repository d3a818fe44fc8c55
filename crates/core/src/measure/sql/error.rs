//! A database server's error and its meaning for a client.

use crate::base::error::Error;

/// The meaning of a server's error for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// A deadlock, a lock-wait timeout or a serialization failure: the transaction is rolled back
    /// and may be retried.
    Retry,
    /// The connection is gone.
    Lost,
    /// The server accepted the connection but did not finish the login in time.
    Slow,
    /// The server's certificate is not trusted by the client.
    Untrusted,
    /// A statement, a permission, a full disk: a retry would not help.
    Wrong,
}

/// A server's error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    /// Whether to retry the transaction, reconnect or give up.
    pub trouble: ErrorClass,
    /// The server's own code: "1213", "40P01"; empty if there was none.
    pub code: String,
    /// The text of the server or the library.
    pub message: String,
}

/// A server's answer or its error.
pub type SqlResult<T> = std::result::Result<T, SqlError>;

impl SqlError {
    /// An error for which a retry would not help.
    pub fn wrong(message: impl Into<String>) -> SqlError {
        SqlError { trouble: ErrorClass::Wrong, code: String::new(), message: message.into() }
    }

    /// An error after which the session must be re-established.
    pub fn lost(message: impl Into<String>) -> SqlError {
        SqlError { trouble: ErrorClass::Lost, ..SqlError::wrong(message) }
    }
}

/// Converts a server's error to ours, for operations outside a transaction.
pub fn refused(what: &str, error: &SqlError) -> Error {
    crate::base::error::failed(
        format!("{what}: {error}"),
        "check the server's log; nothing was changed by this",
    )
}
