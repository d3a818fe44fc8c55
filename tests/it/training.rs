//! Checkpoints and reads of training samples through the whole program: what reaches a drive is
//! what is reported of it, also what is read back, and both protocols end in a brief.

use std::fs;

use dyno::record::{Class, Point};

use crate::durable::Disk;
use crate::kv_cache::moved;
use crate::replay::ops;
use crate::support::{dyno, dyno_well, points, said};

/// Runs a stream on a disk of 16 MiB: the point, and what the kernel counted beyond `bytes` of it,
/// read and written.
fn beyond(disk: &Disk, stream: &str, bytes: fn(&Point, Class) -> u64) -> (Point, (u64, u64)) {
    // Sectors read and written (Documentation/admin-guide/iostats.rst).
    let count = || (disk.kernel(3) * 512, disk.kernel(7) * 512);
    let before = count();
    let output = disk.prepared_run("", "psync", stream);
    assert!(output.status.success(), "{}", said(&output));
    let after = count();
    let point = points(&disk.folder.path().join("b.dyno")).remove(0);
    let (read, written) = (bytes(&point, Class::READ), bytes(&point, Class::WRITE));
    // What is read from memory is not counted by the kernel.
    let beyond = |kernel: u64, own: u64| {
        kernel.checked_sub(own).unwrap_or_else(|| panic!("{own} bytes, {kernel} on the drive"))
    };
    (point, (beyond(after.0 - before.0, read), beyond(after.1 - before.1, written)))
}

#[test]
fn a_checkpoint_is_written_with_a_flush_for_each_shard_and_read_from_the_drive() {
    let Some(disk) = Disk::new() else { return };
    // Two shards of 8 MiB: written, and read back time after time although they fit into memory.
    let write = "threads = 2\nworkload = { kind = \"sequential\", read = 0, block = \"1MiB\", \
                 fdatasync = 8 }";
    let read = "threads = 2\nworkload = { kind = \"sequential\", block = \"1MiB\" }";
    let (written, of_writing) = beyond(&disk, write, moved);
    let (writes, flushes) = (ops(&written, Class::WRITE).0, ops(&written, Class::FLUSH).0);
    assert!(flushes > 0, "no shard was completed: {writes} writes");
    assert!((8 * flushes..=8 * flushes + 16).contains(&writes), "{writes} writes, {flushes}");
    assert_eq!(of_writing.1, 0, "written by others than the load");
    let (read, of_reading) = beyond(&disk, read, moved);
    assert!(ops(&read, Class::READ).1 > 32 << 20, "{} bytes read", ops(&read, Class::READ).1);
    // What the guard reads of the device beforehand may be in memory by then.
    assert!(of_reading.0 <= of_writing.0 && of_reading.1 == 0, "{of_writing:?} {of_reading:?}");
}

#[test]
fn the_kernel_counts_the_bytes_of_the_samples() {
    let Some(disk) = Disk::new() else { return };
    let of = |compute: &str| {
        let stream = format!(
            "threads = 4\nworkload = {{ kind = \"training_read\", block = [[\"64KiB\", 3], \
             [\"256KiB\", 1]], batch = 8, compute = \"{compute}\", readers = 4 }}"
        );
        beyond(&disk, &stream, |point, class| ops(point, class).1)
    };
    let ((slow, once), (fast, again)) = (of("200ms"), of("1ms"));
    let bytes = |point: &Point| ops(point, Class::READ).1;
    assert!(bytes(&fast) > 2 * bytes(&slow), "{} and {} bytes", bytes(&slow), bytes(&fast));
    // Samples differ in size; each worker may have one in flight when the window closes.
    let in_flight = 4 * (256 << 10);
    assert!(again.0 <= once.0 + in_flight && (once.1, again.1) == (0, 0), "{once:?} {again:?}");
}

#[test]
fn both_protocols_end_in_a_brief_with_flushes_and_sizes_of_samples() {
    for (protocol, own, words) in [
        (
            "checkpoint",
            &["step.write.duration=1s", "step.read.duration=1s"][..],
            &["Checkpoints written, each shard with fdatasync", "Checkpoints read back"][..],
        ),
        (
            "training-read",
            &[
                "dataset.samples.size=64MiB",
                "step.unet3d.duration=1s",
                "step.resnet50.duration=1s",
                "step.unet3d-b200.duration=1s",
                "step.retinanet.duration=1s",
                "step.flux.duration=1s",
            ],
            &[
                "unet3d on H100: large samples",
                "flux on B200: samples of 2.2 MB",
                "utilisation (AU)",
                "MB/s",
            ],
        ),
    ] {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir(dir.path().join("drive")).unwrap();
        let mut args = vec!["run", protocol, "--scale", "small", "--repeats", "1", "-o", "b.dyno"];
        args.extend(["--subject", "A=drive"]);
        own.iter().for_each(|set| args.extend(["--set", set]));
        let output = dyno(dir.path(), &args);
        assert!(output.status.success(), "{protocol}: {}", said(&output));
        dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
        let brief = fs::read_to_string(dir.path().join("b.md")).unwrap();
        for word in words {
            assert!(brief.contains(word), "{protocol}: no '{word}' in the brief: {brief}");
        }
    }
}
