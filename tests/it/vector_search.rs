//! Vector search through the whole program: both subjects have the same index, results and I/Os,
//! the kernel counts the same bytes, and the brief shows recall.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use dyno::record::{Point, VectorSearch, observed};
use dyno::store::Bundle;
use rusqlite::Connection;

use crate::durable::Disk;
use crate::support::{DYNO, dyno, have, said, skip};

/// Whether the tested program was built with DiskANN; otherwise the test is skipped.
fn vector() -> bool {
    if !cfg!(feature = "vector") {
        skip("built without DiskANN: --features vector");
    }
    cfg!(feature = "vector")
}

const INDEX: &str = "engine = \"diskann\"\nvectors = 2000\ndimensions = 32\n\
                     degree = 16\nbuild_list = 32\npq_bytes = 16\n";

fn protocol(queries: u32, duration: &str, stream: &str) -> String {
    format!(
        "title = \"Vectors\"\nsource = \"test\"\n[dataset.index]\n{INDEX}queries = {queries}\n\
         fill = {{ kind = \"vector_load\" }}\n[[step]]\nname = \"s\"\nduration = \"{duration}\"\n\
         sweep = {{ axis = \"q.search_list\", values = [10, 60] }}\n[[step.stream]]\nname = \"q\"\n\
         engine = \"diskann\"\n{stream}workload = {{ kind = \"vector_search\", beam = 4 }}\n"
    )
}

/// Runs a protocol on these subjects: the points in the order of measurement.
fn run(dir: &Path, protocol: &str, subjects: &[&str]) -> Vec<Point> {
    fs::write(dir.join("p.toml"), protocol).unwrap();
    let _ = fs::remove_file(dir.join("b.dyno"));
    let mut args = vec!["run", "p.toml", "--repeats", "1", "-o", "b.dyno"];
    subjects.iter().for_each(|subject| args.extend(["--subject", *subject]));
    args.extend((subjects.len() > 1).then_some("--same-device"));
    let output = dyno(dir, &args);
    assert!(output.status.success(), "{}", said(&output));
    measured(dir)
}

/// The points of the bundle.
fn measured(dir: &Path) -> Vec<Point> {
    let points = Bundle::open(&dir.join("b.dyno")).unwrap().points().unwrap();
    points.into_iter().map(|stored| stored.point).collect()
}

fn search(point: &Point) -> VectorSearch {
    observed::all::<VectorSearch>(&point.observed).next().expect("a search").clone()
}

/// Ops and bytes of a point.
fn moved(point: &Point) -> (u64, u64) {
    let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
    tallies.fold((0, 0), |(ops, bytes), tally| (ops + tally.ops, bytes + tally.bytes))
}

#[test]
fn both_subjects_have_the_same_index_and_each_query_the_same_result_and_ios_on_both() {
    if !vector() {
        return;
    }
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    ["a", "b"].iter().for_each(|name| fs::create_dir(dir.path().join(name)).unwrap());
    let points = run(dir.path(), &protocol(50, "300ms", "threads = 2\n"), &["A=a", "B=b"]);
    let index = |name: &str| {
        let folder = dir.path().join(name).join("dyno-data/index.0");
        ["index_disk.index", "truth.bin", "checksum"]
            .map(|file| fs::read(folder.join(file)).unwrap())
    };
    assert!(index("a") == index("b"), "the second index is a copy of the first");
    for list in [10, 60] {
        let of: Vec<VectorSearch> =
            points.iter().map(search).filter(|own| own.search_list == list).collect();
        assert_eq!(of.len(), 2);
        assert_eq!(of[0], of[1]);
        assert_eq!((of[0].queries, of[0].wanted, of[0].io_bytes), (50, 500, 4096));
    }
    let [short, long] =
        [10, 60].map(|list| points.iter().map(search).find(|own| own.search_list == list).unwrap());
    assert!(long.recall() > 0.95 && long.recall() >= short.recall(), "{short:?} {long:?}");
    // A search reads at least the nodes on its list, and few others.
    assert!((60.0..120.0).contains(&long.ios_per_query()), "{long:?}");
    assert!(short.ios_per_query() < long.ios_per_query() / 2.0, "{short:?} {long:?}");
    for (language, words) in [
        ("en", ["Vector search", "recall@10", "I/Os per query"]),
        ("ja", ["ベクトル検索", "再現率@10", "I/O 数/クエリ"]),
        ("pt-BR", ["Busca vetorial", "revocação@10", "I/Os por consulta"]),
    ] {
        let page = format!("{language}.html");
        let made = dyno(dir.path(), &["report", "b.dyno", "--language", language, "-o", &page]);
        assert!(made.status.success(), "{}", said(&made));
        let page = fs::read_to_string(dir.path().join(&page)).unwrap();
        words.iter().for_each(|word| assert!(page.contains(word), "{language}: {word}"));
    }
}

#[test]
fn a_build_shows_its_progress_and_an_interruption_leaves_nothing_behind() {
    if !vector() {
        return;
    }
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    let large = protocol(10, "1s", "").replace("vectors = 2000", "vectors = 20000");
    fs::write(dir.path().join("p.toml"), large).unwrap();
    let mut child = Command::new(DYNO)
        .current_dir(dir.path())
        .args(["run", "p.toml", "--repeats", "1", "-o", "b.dyno", "--subject", "A=a"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let begun = lines.find(|line| line.contains("filling dataset 'index': "));
    assert!(begun.is_some_and(|line| line.ends_with(" %")));
    assert!(dir.path().join("a/dyno-data/index.0/vectors.bin").exists());
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.unwrap().success());
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(!dir.path().join("a/dyno-data/index.0").exists(), "{rest:?}");
}

#[test]
fn subjects_whose_results_differ_are_not_compared_and_the_brief_says_so() {
    if !vector() {
        return;
    }
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    ["a", "b"].iter().for_each(|name| fs::create_dir(dir.path().join(name)).unwrap());
    run(dir.path(), &protocol(50, "200ms", ""), &["A=a", "B=b"]);
    // Two builds of an index may happen to find the same, and a dataset that was changed is
    // recreated.
    let differing = "UPDATE observation SET json = json_set(json, '$.vector_search.checksum', 1) \
                     WHERE kind = 'vector_search' \
                     AND point IN (SELECT id FROM point WHERE subject = 'B')";
    let bundle = Connection::open(dir.path().join("b.dyno")).unwrap();
    assert_eq!(bundle.execute(differing, []).unwrap(), 2);
    drop(bundle);
    let of: Vec<VectorSearch> =
        measured(dir.path()).iter().map(search).filter(|own| own.search_list == 60).collect();
    assert_ne!(of[0].checksum, of[1].checksum);
    let made = dyno(dir.path(), &["report", "b.dyno", "-o", "brief.md"]);
    assert!(made.status.success(), "{}", said(&made));
    let brief = fs::read_to_string(dir.path().join("brief.md")).unwrap();
    assert!(brief.contains("Results of vector search"), "{brief}");
}

#[test]
fn the_kernel_counts_as_many_bytes_as_the_queries_read() {
    if !vector() || !have(&["mkfs.ext4", "mount", "umount"]) {
        return;
    }
    let Some(disk) = Disk::new() else { return };
    let dir = disk.folder.path();
    let Some(_mounted) = Mounted::on(&disk) else { return };
    let of = |duration: &str| {
        // Sectors read (Documentation/admin-guide/iostats.rst).
        let before = disk.kernel(3);
        let points = run(dir, &protocol(6, duration, "threads = 3\n"), &["A=mnt"]);
        let read: u64 = points.iter().map(|point| moved(point).1).sum();
        let ops: Vec<u64> = points.iter().map(|point| moved(point).0).collect();
        // No query is asked after the window.
        assert!(ops.iter().all(|ops| *ops > 3 * 6), "{ops:?}");
        // At most the three workers' last queries complete after the window, and none reads more
        // than twice the mean: together at most as much as all six.
        let all = points.iter().map(search).map(|search| search.ios * search.io_bytes).sum::<u64>();
        ((disk.kernel(3) - before) * 512 - read, read, all)
    };
    // The first run fills; then the same is read around each load.
    of("200ms");
    // Another test that lists all devices reads this one's signatures too, so three tries are
    // made before what others read counts as different.
    let tried = || (of("500ms"), of("1500ms"));
    type Read = (u64, u64, u64);
    let alike = |(a, b): &(Read, Read)| a.0.abs_diff(b.0) <= a.2;
    let (once, again) = (0..2).map(|_| tried()).find(alike).unwrap_or_else(tried);
    assert!(again.1 > once.1, "{once:?} {again:?}");
    assert!(alike(&(once, again)), "read by others than the load: {once:?} {again:?}");
}

/// The disk with a filesystem, at `mnt` in its folder.
struct Mounted<'d>(&'d Disk);

impl Mounted<'_> {
    fn on(disk: &Disk) -> Option<Mounted<'_>> {
        let at = disk.folder.path().join("mnt");
        fs::create_dir(&at).unwrap();
        let device = disk.device();
        let made = Command::new("mkfs.ext4").arg("-q").arg(device).output().unwrap();
        assert!(made.status.success(), "{}", said(&made));
        let mounted = Command::new("mount").args(["-o", "noatime"]).arg(device).arg(&at).output();
        let mounted = mounted.unwrap();
        if !mounted.status.success() {
            skip(format!("filesystems cannot be mounted here: {}", said(&mounted)));
            return None;
        }
        Some(Mounted(disk))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.folder.path().join("mnt")).output();
    }
}
