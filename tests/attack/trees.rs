//! Random trees of links, hard links, mounts and loop devices where Dyno is to work: whatever the
//! tree, no byte outside the named folder's own `dyno-data` changes, and no existing file in it.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::bench::{Room, attach, bench, checksums, ran};
use crate::support::size;

/// Places where something may be created.
const PLACES: &[&str] = &[
    "drive/dyno-data",
    "drive/dyno-data/file.0",
    "drive/dyno-data/file.0/data",
    "drive/dyno-data/file.0/.dyno",
    "drive/dyno-data/file.0/.dyno.new",
    "drive/dyno-data/file.0.kept",
    "drive/dyno-data/file.0.kept/data",
    "drive/dyno-data/file.0.json",
    "drive/dyno-data/file.0.written",
    "drive/dyno-data/file.0.written.new",
    "drive/other",
];

/// Their possible targets.
const GOALS: &[&str] = &[
    "theirs",
    "theirs/photos",
    "theirs/letter",
    "theirs/data",
    "image-mount",
    "drive",
    "..",
    "/",
    "nowhere",
];

#[derive(Clone, Debug)]
enum Thing {
    Folder,
    File,
    Link(usize),
    HardLink(usize),
    Bind(usize),
    Pipe,
    SomebodyElses,
    /// A run of Dyno on the current tree.
    Run,
}

fn thing() -> impl Strategy<Value = (usize, Thing)> {
    let goal = 0..GOALS.len();
    let thing = prop_oneof![
        3 => Just(Thing::Folder),
        2 => Just(Thing::File),
        3 => goal.clone().prop_map(Thing::Link),
        2 => goal.clone().prop_map(Thing::HardLink),
        2 => goal.prop_map(Thing::Bind),
        1 => Just(Thing::Pipe),
        1 => Just(Thing::SomebodyElses),
        2 => Just(Thing::Run),
    ];
    (0..PLACES.len(), thing)
}

fn goal(room: &Room, goal: usize) -> PathBuf {
    let name = GOALS[goal];
    if name.starts_with(['.', '/']) { name.into() } else { room.at(name) }
}

/// Creates it if possible; existing entries stay.
fn put(room: &Room, place: usize, thing: &Thing) {
    let at = room.at(PLACES[place]);
    // Only in folders of the tree itself, never through an earlier link or into an earlier mount.
    let parent = at.parent().unwrap();
    let plain = parent.canonicalize().is_ok_and(|real| {
        real == room
            .folder
            .path()
            .canonicalize()
            .unwrap()
            .join(parent.strip_prefix(room.folder.path()).unwrap())
    });
    let mounted = |path: &Path| ran("mountpoint", &["-q", path.to_str().unwrap()]);
    if !plain || parent.ancestors().take_while(|p| p.starts_with(room.at("drive"))).any(mounted) {
        return;
    }
    let _ = match thing {
        Thing::Folder => fs::create_dir(&at),
        Thing::File if at.symlink_metadata().is_err() => fs::write(&at, format!("mine {place}")),
        Thing::Link(to) => symlink(goal(room, *to), &at),
        Thing::HardLink(to) => fs::hard_link(goal(room, *to), &at),
        Thing::Bind(to) => {
            let (from, at) = (goal(room, *to), at.to_str().unwrap().to_string());
            let small = !GOALS[*to].starts_with(['.', '/']) && GOALS[*to] != "drive";
            if small
                && fs::symlink_metadata(&at)
                    .is_ok_and(|m| m.is_dir() == from.is_dir() && !m.is_symlink())
            {
                ran("mount", &["--bind", from.to_str().unwrap(), &at]);
            }
            Ok(())
        }
        Thing::Pipe => {
            ran("mkfifo", &[at.to_str().unwrap()]);
            Ok(())
        }
        Thing::SomebodyElses if !at.is_symlink() => chown(&at, Some(65534), Some(65534)),
        _ => Ok(()),
    };
}

/// Everything that is not Dyno's: the whole tree, and in `dyno-data` every file whose folder was
/// not created by a run of Dyno.
fn foreign(room: &Room, own: bool) -> Vec<String> {
    let data = room.at("drive/dyno-data");
    let bundles = room.at("bundles");
    let real = fs::symlink_metadata(&data).is_ok_and(|m| m.is_dir());
    // The image is written by its own filesystem at any time; its contents are compared where it is
    // mounted.
    let image = room.at("image");
    let mut apart: Vec<&Path> = vec![&bundles, &image];
    apart.extend((real && own).then_some(data.as_path()));
    let mut found = checksums(room.folder.path(), &apart);
    // The folder itself gets `dyno-data`, which changes none of its compared properties, and does
    // not exist at first.
    found.retain(|line| !line.starts_with(&format!("{} ", data.display())) || !own);
    found
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: size(12, 400),
        max_shrink_iters: 30,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_byte_outside_changes_whatever_the_tree(
        things in prop::collection::vec(thing(), 1..12), restore: bool,
    ) {
        if bench() {
            walk(&things, restore);
        }
    }
}

fn walk(things: &[(usize, Thing)], restore: bool) {
    let room = Room::new("psync", restore);
    fs::create_dir(room.at("bundles")).unwrap();
    fs::create_dir(room.at("image-mount")).unwrap();
    let image = room.at("image");
    fs::File::create(&image).unwrap().set_len(2 << 20).unwrap();
    assert!(ran("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]));
    let device = attach(&image);
    assert!(ran("mount", &[device.to_str().unwrap(), room.at("image-mount").to_str().unwrap()]));
    fs::write(room.at("image-mount/data"), "theirs, on a filesystem of their own").unwrap();
    assert!(ran("sync", &[room.at("image-mount/data").to_str().unwrap()]));
    let mut runs = 0;
    let mut run = || {
        runs += 1;
        room.run(&format!("bundles/{runs}.dyno"))
    };
    for (place, thing) in things {
        if !matches!(thing, Thing::Run) {
            put(&room, *place, thing);
            continue;
        }
        let before = foreign(&room, true);
        let (_, said) = run();
        assert_eq!(before, foreign(&room, true), "{said}");
    }
    let (before, before_first) = (foreign(&room, true), foreign(&room, false));
    let (code, said) = run();
    assert_eq!(before, foreign(&room, true), "{said}");
    if runs == 1 && code != Some(0) && said.contains("is not") {
        // Refused before anything was created: then `dyno-data` is also unchanged, apart from its
        // creation.
        let kept: Vec<String> = foreign(&room, false);
        let gone: Vec<&String> = before_first.iter().filter(|line| !kept.contains(line)).collect();
        assert!(gone.iter().all(|line| line.contains("drive ")), "{gone:?}: {said}");
    }
    // By the kernel's names: `drive/dyno-data` may be a link to `/`.
    for line in fs::read_to_string("/proc/self/mountinfo").unwrap().lines().rev() {
        let point = line.split(' ').nth(4).unwrap();
        if Path::new(point).starts_with(room.folder.path()) {
            ran("umount", &[point]);
        }
    }
}
