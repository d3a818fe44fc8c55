//! The `dyno` binary: parse, call, print the error, exit code.

use std::process::ExitCode;

use dyno::base::error::describe;
use dyno::plan::Mistakes;

fn main() -> ExitCode {
    match dyno::cmd::main() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            match error.downcast_ref::<Mistakes>() {
                Some(mistakes) => eprint!("{mistakes}"),
                None => {
                    let (what, try_next) = describe(&error);
                    eprintln!("dyno: {what}");
                    try_next.iter().for_each(|hint| eprintln!("  try: {hint}"));
                }
            }
            ExitCode::from(1)
        }
    }
}
