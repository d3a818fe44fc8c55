//! The meaning of PostgreSQL's errors for a client.

use dyno_core::measure::sql::{ErrorClass, SqlError};

/// The meaning of an SQLSTATE code.
fn trouble_of(code: &str) -> ErrorClass {
    match code {
        "40001" | "40P01" | "55P03" => ErrorClass::Retry,
        "57P01" | "57P02" | "57P03" => ErrorClass::Lost,
        _ if code.starts_with("08") => ErrorClass::Lost,
        _ => ErrorClass::Wrong,
    }
}

fn error(code: &str, message: &str) -> SqlError {
    let message = format!("{message} ({code})");
    SqlError { trouble: trouble_of(code), message, code: code.to_string() }
}

/// An error as sent by the server: fields, each with a letter and a text.
pub fn server_error(body: &[u8]) -> SqlError {
    let field = |letter: u8| {
        let found = body.split(|byte| *byte == 0).find(|field| field.first() == Some(&letter));
        found.map(|field| String::from_utf8_lossy(&field[1..])).unwrap_or_default()
    };
    error(&field(b'C'), &field(b'M'))
}

/// The library's error from a login.
pub fn of_library(library: tokio_postgres::Error) -> SqlError {
    if let Some(db) = library.as_db_error() {
        return error(db.code().code(), db.message());
    }
    // The library states the operation; its source states the cause.
    let cause = std::error::Error::source(&library).map(|cause| format!(": {cause}"));
    SqlError::lost(format!("{library}{}", cause.unwrap_or_default()))
}
