//! cargo-fuzz's way into the target "fio_log".
#![no_main]

#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (_, run) = targets::TARGETS.iter().find(|t| t.0 == "fio_log").expect("a target");
    run(data);
});
