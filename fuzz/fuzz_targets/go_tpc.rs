//! cargo-fuzz's way into the target "go_tpc".
#![no_main]

#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (_, run) = targets::TARGETS.iter().find(|t| t.0 == "go_tpc").expect("a target");
    run(data);
});
