//! Power cuts: whether a drive keeps what it acknowledged as durable.
//!
//! `writer` runs on the host that loses its power: each of its threads writes sealed blocks, makes
//! them durable, and sends every acknowledgement to a `listener` on another machine before it goes
//! on. The listener keeps them in a `journal` and runs the hook that cuts the power. Once power is
//! back, `checker` reads every block and `judge` says of each whether it is what was promised.
//! `session` is what the three know of one another. docs/powercut.md has the method.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod checker;
pub mod journal;
pub mod judge;
pub mod listener;
pub mod session;
pub mod writer;
