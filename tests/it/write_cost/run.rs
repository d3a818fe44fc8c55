//! Dyno against a drive whose counts are known: a block device over the tests' own drive.

use std::path::Path;

use dyno::analysis::keys::StepKey;
use dyno::analysis::limits::writes::Layers;
use dyno::analysis::{Facts, Question};
use dyno::base::rng::Seed;
use dyno::bundles;

use super::ftl::Ftl;
use super::mounted::{MountedFtl, PAGE};
use crate::servers;
use crate::support::quiet::on_a_quiet_machine;
use crate::support::{LoopDevice, dyno_well, seed};

/// Pages of the host: 80 % of the flash.
const PAGES: u32 = 3_276;

/// 16 MiB of flash, with this number of pages for the host.
fn small(pages: u32) -> Ftl {
    Ftl::new(pages, 64, 64)
}

/// What Dyno says of one step, and what the drive did meanwhile.
struct Seen {
    facts: Facts,
    host_bytes: u64,
    media_bytes: u64,
}

/// Runs a step on a drive that was made like this; None where no drive can be mounted.
fn run(ftl: Ftl, step: &str) -> Option<Seen> {
    run_on(ftl, "engine = \"uring\"\nsize = 0\ndirect = true", step)
}

/// The same on a dataset.
fn run_on(ftl: Ftl, dataset: &str, step: &str) -> Option<Seen> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (mount, dir) = (folder.path().join("mount"), folder.path());
    std::fs::create_dir(&mount).unwrap();
    let drive = MountedFtl::new(&mount, ftl)?;
    let device = LoopDevice::over(&drive.drive())?;
    let plan = plan(dir, (&device, &drive), dataset, step);
    let before = drive.counts();
    dyno_well(dir, &["run", &plan, "--output", "b.dyno"]);
    let after = drive.counts();
    let facts = bundles::facts(&[dir.join("b.dyno")], &Question::default()).unwrap();
    drop(device);
    let bytes = |pages: u64| pages * PAGE;
    Some(Seen {
        facts,
        host_bytes: bytes(after.0 - before.0),
        media_bytes: bytes(after.1 - before.1),
    })
}

fn plan(dir: &Path, (device, drive): (&Path, &MountedFtl), dataset: &str, step: &str) -> String {
    let protocol = format!(
        "title = \"T\"\nsource = \"test\"\n[dataset.d]\n{dataset}\n[[step]]\nname = \"s\"\n\
         cooldown = \"300ms\"\n{step}\n"
    );
    std::fs::write(dir.join("p.toml"), protocol).unwrap();
    let plan = format!(
        "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [{{ device = \
         \"{}\", serial = \"{}\", erase = \"unknown data\" }}]\nmeters = {}\n",
        device.display(),
        drive.drive().display(),
        drive.meters()
    );
    std::fs::write(dir.join("plan.toml"), plan).unwrap();
    "plan.toml".to_string()
}

fn stream(workload: &str) -> String {
    format!(
        "duration = \"4s\"\n[[step.stream]]\nname = \"io\"\nengine = \"uring\"\ndepth = 4\n\
         workload = {{ {workload} }}"
    )
}

/// Written in order, and then at random until nothing changes any more.
pub fn settled(pages: u32) -> Ftl {
    let mut ftl = small(pages);
    let pages = u64::from(ftl.logical_pages());
    (0..pages).for_each(|page| ftl.write(page as u32));
    let at = Seed::new(seed(), 1, 0);
    (0..3 * pages).for_each(|n| ftl.write(at.at(n).below(pages) as u32));
    ftl
}

#[test]
fn random_writes_have_the_amplification_that_the_drive_had_and_each_layer_its_bytes() {
    let Some(seen) = run(settled(PAGES), &stream("kind = \"random\", read = 0, block = \"4KiB\""))
    else {
        return;
    };
    let writes = seen.facts.measured.steps[StepKey(0)].cells[0].writes.as_ref().expect("counters");
    let truth = seen.media_bytes as f64 / seen.host_bytes as f64;
    let (found, _) = writes.amplification.as_ref().expect("an amplification");
    assert!(truth > 1.5, "{truth}");
    assert!((found.value / truth - 1.0).abs() < 0.01, "{found:?} for {truth}");
    assert!(found.low <= truth && truth <= found.high, "{found:?} for {truth}");
    // Each layer is known exactly: the ops, also those in flight at the end of the window, the
    // kernel, the drive.
    let layers = writes.layers();
    let host = seen.host_bytes as f64;
    assert_eq!((layers.user, layers.kernel, layers.host), (Some(host), Some(host), Some(host)));
    assert_eq!((layers.rest(), layers.media), (Some(0.0), Some(seen.media_bytes as f64)));
}

#[test]
fn sequential_writes_have_an_amplification_of_one() {
    let Some(seen) =
        run(small(PAGES), &stream("kind = \"sequential\", read = 0, block = \"64KiB\""))
    else {
        return;
    };
    let writes = seen.facts.measured.steps[StepKey(0)].cells[0].writes.as_ref().expect("counters");
    let (found, _) = writes.amplification.as_ref().expect("an amplification");
    let truth = seen.media_bytes as f64 / seen.host_bytes as f64;
    assert_eq!(found.value, truth);
    assert!((found.value - 1.0).abs() < 0.01, "{found:?}");
}

#[test]
fn a_load_that_writes_less_than_the_capacity_has_no_amplification() {
    let step = "duration = \"1s\"\n[[step.stream]]\nname = \"io\"\nengine = \"uring\"\nrate = \
                \"100/s\"\nworkload = { kind = \"random\", read = 0, block = \"4KiB\" }";
    let Some(seen) = run(settled(PAGES), step) else { return };
    let writes = seen.facts.measured.steps[StepKey(0)].cells[0].writes.as_ref().expect("counters");
    let why = writes.amplification.as_ref().expect_err("too little was written");
    let fills = seen.host_bytes as f64 / (f64::from(PAGES) * PAGE as f64);
    match why {
        dyno::stats::amplification::NotMeasured::TooLittle(found) => {
            assert!((found - fills).abs() < 0.01, "{found} for {fills}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn amplification_over_time_rises_from_a_drive_that_was_filled_in_order_until_it_settles() {
    let mut ftl = small(PAGES);
    (0..PAGES).for_each(|page| ftl.write(page));
    // Slow enough that the spare blocks last for a while.
    let step = "duration = \"4s\"\n[[step.stream]]\nname = \"io\"\nengine = \"uring\"\nrate = \
                \"1500/s\"\nworkload = { kind = \"random\", read = 0, block = \"4KiB\" }";
    let Some(seen) = run(ftl, step) else { return };
    let writes = seen.facts.measured.steps[StepKey(0)].cells[0].writes.as_ref().expect("counters");
    let over_time = &writes.repeats[0].over_time;
    // On a busy machine the two counters of a stretch are not read at the same moment.
    let mut later: Vec<f64> = over_time[over_time.len() / 2..].iter().map(|own| own.1).collect();
    later.sort_by(f64::total_cmp);
    let (first, settled) = (over_time[0].1, later[later.len() / 2]);
    assert!(over_time.len() > 10 && first < settled - 0.2, "{over_time:?}");
}

#[test]
fn a_load_is_repeated_until_its_amplification_is_steady() {
    // The widest limits: a noisy machine must not affect this test.
    let step = format!(
        "{}\n[prepare]\nsteady = {{ engine = \"uring\", depth = 4, metric = \"waf\", round = \
         \"500ms\", rounds = 20, excursion = 1.0, slope = 1.0, \
         workload = {{ kind = \"random\", read = 0, block = \"4KiB\" }} }}",
        stream("kind = \"random\", read = 0, block = \"4KiB\"")
    );
    let Some(seen) = run(settled(PAGES), &step) else { return };
    let state =
        seen.facts.setup.prepared.iter().find_map(|p| p.step.steady.as_ref()).expect("rounds");
    assert!(state.reached(), "{state:?}");
    let mean = state.window.as_ref().expect("a window").mean;
    let truth = seen.media_bytes as f64 / seen.host_bytes as f64;
    assert!((mean / truth - 1.0).abs() < 0.1, "{mean} for {truth}");
}

#[test]
fn rocksdbs_log_flushes_and_compaction_and_the_filesystem_add_up_to_the_kernels_count() {
    if !crate::support::rocksdb() {
        return;
    }
    let step = "duration = \"3s\"\n[[step.stream]]\nname = \"io\"\nengine = { kind = \"rocksdb\", \
                wal = true }\nrate = \"10k/s\"\nworkload = \"overwrite\"\n[prepare]\nfilesystem = \
                \"ext4\"";
    let dataset = "engine = \"rocksdb\"\nkeys = 20000\nvalue_size = 400\ndirect = true\nfill = \
                   \"filluniquerandom\"\noptions = { write_buffer_size = 1048576 }";
    let Some(seen) = run_on(Ftl::new(40_000, 800, 64), dataset, step) else { return };
    let layers =
        seen.facts.measured.steps[StepKey(0)].cells[0].writes.as_ref().expect("counters").layers();
    let parts: f64 = layers.parts.iter().map(|(_, bytes)| bytes).sum();
    let (kernel, rest) = (layers.kernel.expect("a kernel's count"), layers.rest().expect("a rest"));
    assert_eq!(parts + rest, kernel);
    let names: Vec<&str> = layers.parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["wal", "flush", "compaction"]);
    // 30,000 values of 400 bytes with their keys; a table has nothing that was not written.
    let user = layers.user.expect("RocksDB's count");
    assert!((12e6..16e6).contains(&user), "{layers:?}");
    assert!(layers.parts.iter().all(|(_, bytes)| *bytes > 0.5 * user), "{layers:?}");
    // The drive's count is printed every 50 ms, and the filesystem writes at any time.
    let host = layers.host.expect("the drive's count");
    assert!((host / kernel - 1.0).abs() < 0.1, "{layers:?}");
}

/// A server's own counts, on ext4 on the tests' own drive.
fn database_layers(engine: &str, knobs: &str) -> Option<Layers> {
    let engine = format!("{{ kind = \"{engine}\", {knobs} }}");
    let step = format!(
        "duration = \"4s\"\n[[step.stream]]\nname = \"io\"\nengine = {engine}\nthreads = 2\n\
         workload = {{ kind = \"oltp_write_only\", tables = 2, table_size = 20000 }}\n\
         [prepare]\nfilesystem = \"ext4\""
    );
    let dataset = format!(
        "engine = {engine}\nfill = {{ kind = \"oltp_load\", tables = 2, table_size = 20000, \
         threads = 2 }}"
    );
    let seen = run_on(Ftl::new(100_000, 2_000, 64), &dataset, &step)?;
    Some(seen.facts.measured.steps[StepKey(0)].cells[0].writes.as_ref().expect("counters").layers())
}

/// The bytes of each part, and how far their sum is from the kernel's count, as a share of it.
fn parts_of(layers: &Layers) -> (Vec<&str>, f64) {
    assert!(layers.parts.iter().all(|(_, bytes)| *bytes > 0.0), "{layers:?}");
    let rest = layers.rest().expect("a kernel's count") / layers.kernel.unwrap();
    (layers.parts.iter().map(|(name, _)| name.as_str()).collect(), rest)
}

#[test]
fn innodbs_log_pages_and_doublewrites_are_what_the_kernel_counts_but_for_the_filesystems_part() {
    if !servers::own().contains(&"mysql") {
        return;
    }
    // Dirty pages are written at once, and the log not at each commit, where the kernel would count
    // whole blocks.
    let knobs = "buffer_pool = \"32MiB\", redo_log = \"16MiB\", flush_log_at_trx_commit = 0, \
                 options = { innodb-max-dirty-pages-pct = 0 }";
    // The fewer rows a busy machine writes, the larger is the share of the filesystem's journal.
    on_a_quiet_machine(|| {
        let Some(layers) = database_layers("mysql", knobs) else { return };
        let (names, rest) = parts_of(&layers);
        assert_eq!(names, ["wal", "pages", "doublewrite"]);
        assert!((-0.01..0.15).contains(&rest), "{layers:?}");
        assert_eq!(layers.user, None, "no server counts the bytes of rows");
    });
}

#[test]
fn postgresqls_log_and_pages_are_layers_of_its_writes() {
    if !servers::own().contains(&"postgres") {
        return;
    }
    let Some(layers) = database_layers("postgres", "shared_buffers = \"1MiB\"") else { return };
    // Pages are overwritten in the page cache, so that the kernel writes fewer.
    let (names, rest) = parts_of(&layers);
    assert_eq!(names, ["wal", "pages"]);
    assert!(rest < 0.5, "{layers:?}");
}
