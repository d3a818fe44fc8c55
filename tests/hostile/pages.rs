//! SQLite's file format, byte by byte: contents that no statement would create.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::Connection;

use crate::kinds::beside;

pub fn patch(path: &Path, at: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, at).unwrap();
}

pub fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, mknodat};
    mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap();
}

/// A hot journal that ends with the name of another one, which SQLite deletes after rolling back
/// the transaction.
pub fn journal_naming(path: &Path, named: &Path) {
    let page = 4096u32;
    let pages = (path.metadata().unwrap().len() / u64::from(page)) as u32;
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    for word in [0u32, 0, pages, 512, page] {
        journal.extend(word.to_be_bytes());
    }
    journal.resize(512, 0);
    let name = named.to_str().unwrap().as_bytes();
    let sum = name.iter().fold(0u32, |sum, b| sum.wrapping_add(u32::from(*b)));
    journal.extend((0x4000_0000 / page + 1).to_be_bytes());
    journal.extend(name);
    journal.extend((name.len() as u32).to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    std::fs::write(beside(path, "-journal"), journal).unwrap();
}

/// Makes a table's tree revisit its first leaf some 400 ^ 6 times: every page above it has one
/// child many times.
pub fn endless(path: &Path, table: &str) {
    let conn = Connection::open(path).unwrap();
    let root: u32 = conn
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table], |row| row.get(0))
        .unwrap();
    let page: u64 =
        conn.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0)).unwrap() as u64;
    drop(conn);
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut pages = (file.metadata().unwrap().len() / page) as u32;
    // The root's own page, as a leaf, moves to the end of the file.
    let mut leaf = vec![0; page as usize];
    file.read_exact_at(&mut leaf, u64::from(root - 1) * page).unwrap();
    let mut add = |bytes: &[u8]| {
        file.write_all_at(bytes, u64::from(pages) * page).unwrap();
        pages += 1;
        pages
    };
    let mut child = add(&leaf);
    for _ in 0..6 {
        child = add(&interior(page as usize, child));
    }
    file.write_all_at(&interior(page as usize, child), u64::from(root - 1) * page).unwrap();
    file.write_all_at(&pages.to_be_bytes(), 28).unwrap();
}

/// A page of a table's tree with all children the same page.
fn interior(page: usize, child: u32) -> Vec<u8> {
    const CELLS: usize = 400;
    let mut bytes = vec![0; page];
    bytes[0] = 5;
    bytes[3..5].copy_from_slice(&(CELLS as u16).to_be_bytes());
    bytes[8..12].copy_from_slice(&child.to_be_bytes());
    let mut at = page;
    for cell in 0..CELLS {
        at -= 5;
        bytes[at..at + 4].copy_from_slice(&child.to_be_bytes());
        bytes[at + 4] = 1;
        bytes[12 + 2 * cell..14 + 2 * cell].copy_from_slice(&(at as u16).to_be_bytes());
    }
    bytes[5..7].copy_from_slice(&(at as u16).to_be_bytes());
    bytes
}
