//! Terminal output of commands, as wide as the terminal.

use std::io::stdout;

use crate::base::output::columns;
use crate::brief::block::Block;
use crate::render::terminal::terminal;

/// The blocks for standard output.
pub fn on_screen(blocks: &[Block]) -> String {
    terminal(blocks, columns(stdout()))
}
