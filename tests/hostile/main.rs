//! What others hand to Dyno, and what happens around it while it runs: bundles made to harm, files
//! that are none, secrets in commands, terminals that go away. Each test says what must still stand
//! afterwards.

mod bench;
mod bundles;
mod consent;
mod files;
mod kinds;
mod large;
mod leaving;
mod pages;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod traces;
