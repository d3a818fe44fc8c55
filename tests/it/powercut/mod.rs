//! `dyno powercut`: the states in which a cut may leave a real NVMe drive's medium, from QEMU's log
//! of its requests, judged one by one; databases recovered from such states; and refusals.

mod databases;
mod lab;
mod liars;
mod logged;
mod refused;
#[cfg(feature = "rocksdb")]
mod rocks;
mod servers;
mod write_log;
