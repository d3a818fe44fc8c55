//! External input and events: malicious bundles, invalid files, secrets in commands, terminals that
//! disappear. Each test states what must hold afterwards.

mod bench;
mod bundles;
mod consent;
mod files;
mod index;
mod kinds;
mod large;
mod leaving;
mod pages;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod traces;
