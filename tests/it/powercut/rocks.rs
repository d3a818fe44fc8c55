//! RocksDB as a database of numbers, each put with `sync`.

use std::path::Path;

use rocksdb::{DB, IteratorMode, Options, WriteOptions};

use super::databases::{Database, Open};

pub struct RocksDb;

impl Database for RocksDb {
    fn make(&self, folder: &Path, sockets: &Path) {
        drop(self.open(folder, sockets).expect("made"));
    }

    fn open(&self, folder: &Path, _: &Path) -> Result<Box<dyn Open>, String> {
        let mut options = Options::default();
        options.create_if_missing(true);
        let db = DB::open(&options, folder.join("db")).map_err(|error| error.to_string())?;
        Ok(Box::new(Opened(db)))
    }
}

struct Opened(DB);

impl Open for Opened {
    fn commit(&mut self, number: u64) {
        let mut sync = WriteOptions::default();
        sync.set_sync(true);
        self.0.put_opt(number.to_be_bytes(), [7; 100], &sync).expect("put");
    }

    fn numbers(&mut self) -> Result<Vec<u64>, String> {
        let number = |key: Box<[u8]>| key[..].try_into().map(u64::from_be_bytes);
        self.0
            .iterator(IteratorMode::Start)
            .map(|pair| {
                let (key, _) = pair.map_err(|error| error.to_string())?;
                number(key).map_err(|error| error.to_string())
            })
            .collect()
    }
}
