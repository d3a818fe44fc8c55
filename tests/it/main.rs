//! What is shown of the library and of the binary without measuring this machine: one program with
//! a module for each part, whose tests run beside one another. `make test-NAME` runs a module.

mod act;
mod audit;
mod audit_bundle;
mod brief;
mod browser;
mod catalogue;
mod changes;
mod cli;
mod commands;
mod convert;
mod coverage;
mod curves;
mod databases;
mod drifting;
mod durable;
mod engines;
mod first_page;
mod flags;
mod form;
mod fuzz;
mod gate;
mod golden;
mod imports;
mod interop;
mod json;
mod labs;
mod languages;
mod made;
mod method;
mod notebook;
mod outliers;
mod parts;
mod pinning;
mod plans;
mod powercut;
mod prepare;
mod promise;
mod registry;
mod repeats;
mod running;
mod schema;
mod selftest;
mod shared_workers;
mod simulation;
mod sqlserver;
mod tpcc;
mod verified_runs;
mod verify;

mod servers;
#[path = "../support/mod.rs"]
mod support;
mod tds;
mod terminal;
