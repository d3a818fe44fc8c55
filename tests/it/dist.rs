//! The packages of `make dist`, if built: the symbols required by their program, and the contents
//! listed in docs/release.md. Versions agree, with or without packages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{DYNO, dyno_well, run_well, skip};

/// The newest glibc that the program may need: that of RHEL 8 and Debian 10.
const GLIBC: [u32; 2] = [2, 28];

/// The newest file with this extension in the packages folder, if any.
fn package(ending: &str) -> Option<PathBuf> {
    let folder = Path::new(DYNO).ancestors().nth(2).expect("a target folder").join("packages");
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort_by_key(|path| path.metadata().and_then(|m| m.modified()).expect("a time"));
    let newest = files.pop();
    if newest.is_none() {
        skip(format!("no {ending} in {}: run make dist first", folder.display()));
    }
    newest
}

/// The glibc versions in a listing of dynamic symbols.
fn versions(symbols: &str) -> BTreeSet<Vec<u32>> {
    let names = symbols.split(['(', ')', ' ', '\n']).filter_map(|w| w.strip_prefix("GLIBC_"));
    let number = |part: &str| part.parse().expect("a version");
    names.map(|name| name.split('.').map(number).collect()).collect()
}

#[test]
fn the_packaged_program_needs_no_symbol_newer_than_glibc_2_28() {
    let Some(archive) = package("-x86_64-linux.tar.zst") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    run_well(
        Command::new("tar").arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(folder.path()),
    );
    let unpacked = std::fs::read_dir(folder.path()).expect("read").flatten().next();
    let program = unpacked.expect("a folder").path().join("bin/dyno");
    let symbols = run_well(Command::new("objdump").arg("-T").arg(&program));
    let needed = versions(&symbols);
    assert!(needed.len() > 5, "objdump shows hardly a symbol: {symbols}");
    let newer: Vec<_> = needed.iter().filter(|version| version[..] > GLIBC[..]).collect();
    assert!(newer.is_empty(), "newer than glibc 2.28: {newer:?}");
    assert!(!symbols.contains("GLIBCXX_"), "it needs the system's C++ library");
    // And the check detects one.
    assert!(versions("puts (GLIBC_2.34)\n").last().expect("one")[..] > GLIBC[..]);
}

#[test]
fn each_package_holds_program_pages_completions_protocols_licences_and_bill_of_materials() {
    let Some(deb) = package("_amd64.deb") else { return };
    let (Some(rpm), Some(tar)) = (package(".x86_64.rpm"), package("-x86_64-linux.tar.zst")) else {
        return;
    };
    let listings = [
        run_well(Command::new("dpkg-deb").arg("--contents").arg(deb)),
        run_well(Command::new("rpm").args(["-qlp"]).arg(rpm)),
        run_well(Command::new("tar").arg("--zstd").arg("-tf").arg(tar)),
    ];
    let files = [
        "bin/dyno",
        "share/man/man1/dyno.1.gz",
        "share/man/man1/dyno-plan-check.1.gz",
        "share/bash-completion/completions/dyno",
        "/_dyno",
        "share/fish/vendor_completions.d/dyno.fish",
        "share/dyno/protocols/quick.toml",
        "share/dyno/examples/ci.toml",
        "share/dyno/schemas/plan.json",
        "share/doc/dyno/LICENSE-MIT",
        "share/doc/dyno/THIRD-PARTY-LICENCES.gz",
        "share/doc/dyno/changelog.gz",
        "share/doc/dyno/dyno.cdx.json",
    ];
    for listing in &listings {
        for file in files {
            assert!(listing.lines().any(|l| l.ends_with(file)), "no {file} in:\n{listing}");
        }
    }
}

#[test]
fn the_changelog_begins_with_the_version_that_the_program_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = dyno_well(folder.path(), &["--version"]);
    let version = named.lines().next().and_then(|l| l.strip_prefix("dyno ")).expect("a version");
    let page = include_str!("../../CHANGELOG.md");
    let newest = page.lines().find_map(|l| l.strip_prefix("## ")).expect("a release");
    assert_eq!(newest.split(' ').next(), Some(version), "{newest}: {named}");
}
