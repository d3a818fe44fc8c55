//! The meaning of MySQL-family error numbers.

use dyno_core::measure::sql::{ErrorClass, SqlError};

/// Deadlock, lock-wait timeout, and a record changed since it was read: ignored by sysbench by
/// default.
const RETRY: [u16; 3] = [1213, 1205, 1020];

/// The server is shutting down or has killed the connection.
const LOST: [u16; 5] = [1053, 1152, 1158, 1927, 4031];

/// The server's message, classified by its number.
pub fn server_error(code: u16, message: &str) -> SqlError {
    let trouble = match code {
        code if RETRY.contains(&code) => ErrorClass::Retry,
        code if LOST.contains(&code) => ErrorClass::Lost,
        _ => ErrorClass::Wrong,
    };
    SqlError { trouble, code: code.to_string(), message: format!("{message} (error {code})") }
}
