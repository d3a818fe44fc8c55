//! Power cuts: whether a drive keeps what it acknowledged as durable.
//!
//! `writer` runs on the host that loses its power: each of its threads writes sealed blocks, makes
//! them durable, and sends every acknowledgement to a `listener` on another machine before it
//! continues. The listener stores them in a `journal` and runs the hook that cuts the power. After
//! power is restored, `checker` reads every block and `judge` compares each with its promise.
//! `session` is the description shared by all three. docs/powercut.md has the method.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod checker;
pub mod journal;
pub mod judge;
pub mod listener;
pub mod session;
pub mod writer;
