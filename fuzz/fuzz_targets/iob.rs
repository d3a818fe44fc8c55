//! cargo-fuzz's way into the target "iob".
#![no_main]

#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (_, run) = targets::TARGETS.iter().find(|t| t.0 == "iob").expect("a target");
    run(data);
});
