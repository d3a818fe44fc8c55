//! Additions to a dataset: once, completely, and only to datasets.

use std::path::{Path, PathBuf};

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;

use super::LockedDataset;
use crate::render::tests_bundle::{bundle, small};
use dyno_core::base::error::describe;

/// Every file of a dataset, relative to its folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => all.push(path),
            }
        }
    }
    all.sort();
    all
}

/// Ops of a row, and the sum of its buckets' counts.
fn counts(path: &Path) -> Vec<(i64, i64)> {
    let file = std::fs::File::open(path).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    let of = |row: ::parquet::record::Row| {
        let (mut ops, mut counted) = (0, 0);
        for (name, field) in row.get_column_iter() {
            match (name.as_str(), field) {
                ("ops", Field::Long(n)) => ops = *n,
                ("service_buckets", Field::ListInternal(list)) => {
                    for pair in list.elements() {
                        let Field::Group(pair) = pair else { panic!("{pair:?}") };
                        let fields: Vec<_> = pair.get_column_iter().collect();
                        let Field::Long(count) = fields[1].1 else { panic!("{fields:?}") };
                        counted += count;
                    }
                }
                _ => {}
            }
        }
        (ops, counted)
    };
    rows.map(|row| of(row.expect("a row"))).filter(|(ops, _)| *ops > 0).collect()
}

#[test]
fn a_bundle_is_added_once_with_all_of_its_histograms() {
    let (folder, paths) = bundle(&small());
    let at = folder.path().join("dataset");
    let added = LockedDataset::open(&at).expect("a dataset").add(&paths).expect("added");
    assert_eq!((added.added, added.known, added.broken.len()), (1, 0, 0));
    let before = files(&at);
    let parquet: Vec<&PathBuf> =
        before.iter().filter(|p| p.extension().is_some_and(|e| e == "parquet")).collect();
    let all: Vec<(i64, i64)> = parquet.iter().flat_map(|p| counts(p)).collect();
    assert_eq!(all.len(), 2 * 3 * 3 * 2, "points × streams");
    all.iter().for_each(|(ops, counted)| assert_eq!(ops, counted));
    let held: Vec<PathBuf> = dyno_core::catalogue::below(&at);
    assert_eq!(held.len(), 1, "{held:?}");
    let bytes = |path: &Path| std::fs::read(path).expect("a bundle");
    assert!(bytes(&held[0]) == bytes(&paths[0]), "the bundle itself");

    let copy = folder.path().join("copy.dyno");
    std::fs::copy(&paths[0], &copy).expect("copied");
    let again = [paths, vec![copy]].concat();
    let mut dataset = LockedDataset::open(&at).expect("a dataset");
    let added = dataset.add(&again).expect("nothing to add");
    assert_eq!((added.added, added.known, dataset.bundles()), (0, 2, 1));
    assert_eq!(files(&at), before, "not a file changed");
}

#[test]
fn what_is_broken_and_what_was_left_unfinished_leave_nothing_behind() {
    let (folder, paths) = bundle(&small());
    let at = folder.path().join("dataset");
    drop(LockedDataset::open(&at).expect("a dataset"));
    std::fs::create_dir_all(at.join("_unfinished-0/protocol=x")).expect("left by a kill");
    let broken = folder.path().join("broken.dyno");
    std::fs::write(&broken, "no bundle").expect("written");
    let mut dataset = LockedDataset::open(&at).expect("a dataset");
    let added = dataset.add(&[vec![broken.clone()], paths].concat()).expect("added");
    assert_eq!((added.added, added.broken.len()), (1, 1));
    assert_eq!(added.broken[0].0, broken);
    let unfinished = |p: &PathBuf| p.display().to_string().contains("_unfinished");
    assert!(!files(&at).iter().any(unfinished) && !at.join("_unfinished-0").exists());
}

#[test]
fn bundles_of_one_name_or_of_any_are_all_held_and_what_is_still_written_is_no_bundle_yet() {
    let (one, paths) = bundle(&small());
    let (_two, others) = bundle(&small());
    assert_eq!(paths[0].file_name(), others[0].file_name());
    let (_three, named) = bundle(&small());
    for (path, later_ns) in [(&others[0], 1), (&named[0], 2)] {
        let run = rusqlite::Connection::open(path).expect("a bundle");
        let later = "UPDATE run SET started_unix_ns = started_unix_ns + ?1";
        run.execute(later, [later_ns]).expect("another run");
    }
    let renamed = named[0].with_extension("sqlite");
    std::fs::rename(&named[0], &renamed).expect("renamed");
    let at = one.path().join("dataset");
    let all = [paths, others, vec![renamed]].concat();
    let added = LockedDataset::open(&at).expect("a dataset").add(&all);
    assert_eq!(added.expect("added").added, 3);
    let held = dyno_core::catalogue::below(&at);
    assert_eq!(held.len(), 3, "{held:?}");
    std::fs::create_dir(at.join("_unfinished-0")).expect("an addition");
    std::fs::copy(&held[0], at.join("_unfinished-0/half.dyno")).expect("copied");
    assert_eq!(dyno_core::catalogue::below(&at), held);
}

#[test]
fn a_folder_of_other_things_is_no_dataset_and_two_do_not_add_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("letter.txt"), "mine").expect("written");
    let said = |path: &Path| describe(&LockedDataset::open(path).err().expect("refused")).0;
    assert!(said(folder.path()).contains("is not a dataset"));
    let at = folder.path().join("dataset");
    let first = LockedDataset::open(&at).expect("a dataset");
    assert!(said(&at).contains("another program is adding"));
    drop(first);
    std::fs::write(at.join("_dataset.json"), "{\"dyno_dataset\":3}").expect("written");
    assert!(said(&at).contains("version 3"));
}
