//! `dyno powercut`: the states in which a cut may leave a real NVMe drive's medium, as QEMU logged
//! its requests, judged one by one; and what the program refuses.

mod lab;
mod refused;
mod write_log;
