//! The `dyno` binary: parse, call, print the error, exit code.

use std::process::ExitCode;

use dyno::base::error::{describe, exit_code};
use dyno::base::text::say;
use dyno::plan::Mistakes;

fn main() -> ExitCode {
    match dyno::cmd::main() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            match error.downcast_ref::<Mistakes>() {
                // Control characters were made visible when the message was composed: it has its
                // own colours.
                Some(mistakes) => dyno::base::text::say_as_it_is(&mistakes.to_string()),
                None => {
                    let (what, try_next) = describe(&error);
                    say(&format!("dyno: {what}"));
                    try_next.iter().for_each(|hint| say(&format!("  try: {hint}")));
                }
            }
            ExitCode::from(exit_code(&error))
        }
    }
}
