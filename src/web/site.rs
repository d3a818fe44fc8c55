//! Shared by all requests: the folder, its catalogue, the viewers of its runs, and the limit on
//! concurrent work.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::connections::ClientAddress;
use super::hub::Hub;
use super::page::PageFailure;
use crate::base::error::{Context, Result, failed};
use crate::catalogue::{BundleCatalogue, CatalogueEntry, Contents};

/// A site, as seen by handlers.
pub type SharedSite = Arc<ServedFolder>;

/// Maximum number of pages that read bundles concurrently, of all clients and of one address: its
/// large pages never delay those of others.
pub const MADE_AT_ONCE: usize = 3;
const MADE_FOR_ADDRESS: usize = 2;
/// Maximum number of waiting requests of one address; further ones are refused. Those of all
/// addresses are limited by the number of connections.
const MAY_WAIT: usize = 64;

tokio::task_local! {
    /// The client of the current request.
    pub static CLIENT: ClientAddress;
}
/// Maximum age of a catalogue.
const FRESH: Duration = Duration::from_secs(2);

/// A served folder of bundles.
pub struct ServedFolder {
    /// Without links in its path.
    folder: PathBuf,
    /// The single served bundle, if it is not a folder.
    only: Option<String>,
    /// The viewers of runs.
    pub hub: Hub,
    catalogue: Mutex<Option<(Instant, Arc<BundleCatalogue>)>>,
    making: Arc<Semaphore>,
    /// The permits of each address with a request.
    of_address: Mutex<HashMap<Option<ClientAddress>, Permits>>,
}

/// Permits of an address for running or waiting requests, and for running ones.
#[derive(Clone)]
struct Permits {
    admitted: Arc<Semaphore>,
    making: Arc<Semaphore>,
}

impl Permits {
    fn new() -> Permits {
        let of = |number| Arc::new(Semaphore::new(number));
        Permits { admitted: of(MADE_FOR_ADDRESS + MAY_WAIT), making: of(MADE_FOR_ADDRESS) }
    }

    /// Whether no request holds one.
    fn are_unused(&self) -> bool {
        Arc::strong_count(&self.admitted) == 1 && Arc::strong_count(&self.making) == 1
    }
}

impl ServedFolder {
    /// For a folder; an error if it is not one.
    pub fn of_folder(folder: &Path) -> Result<ServedFolder> {
        let shown = folder.display();
        let real = folder.canonicalize().with_context(|| format!("opening {shown}"))?;
        if !real.is_dir() {
            return Err(failed(
                format!("{shown} is not a folder"),
                "specify the folder with the bundles",
            ));
        }
        Ok(ServedFolder {
            folder: real,
            only: None,
            hub: Hub::default(),
            catalogue: Mutex::default(),
            making: Arc::new(Semaphore::new(MADE_AT_ONCE)),
            of_address: Mutex::default(),
        })
    }

    /// For a single bundle.
    pub fn of_bundle(bundle: &Path) -> Result<ServedFolder> {
        let shown = bundle.display();
        let real = bundle.canonicalize().with_context(|| format!("opening {shown}"))?;
        let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
        match real.parent() {
            Some(folder) if real.is_file() => {
                Ok(ServedFolder { only: name, ..ServedFolder::of_folder(folder)? })
            }
            _ => Err(failed(
                format!("{shown} is not a bundle"),
                "specify a bundle, or a folder of bundles",
            )),
        }
    }

    /// The bundles of the folder, at most two seconds old. May read many files: only call within
    /// `make`.
    pub fn catalogue(&self) -> Result<Arc<BundleCatalogue>> {
        let mut known = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
        let catalogue = match (known.as_ref(), &self.only) {
            (Some((at, catalogue)), _) if at.elapsed() < FRESH => return Ok(catalogue.clone()),
            (_, Some(name)) => BundleCatalogue::of_one(&self.folder, name),
            (Some((_, catalogue)), None) => catalogue.again(&self.folder)?,
            (None, None) => BundleCatalogue::open(&self.folder)?,
        };
        let catalogue = Arc::new(catalogue);
        *known = Some((Instant::now(), catalogue.clone()));
        Ok(catalogue)
    }

    /// A bundle of the folder, only by its entry's path as shown: a name that is not in the
    /// catalogue opens no file. Links are not followed.
    pub fn bundle(&self, name: &str) -> Result<PathBuf, PageFailure> {
        let catalogue = self.catalogue()?;
        let entry = catalogue.entries.iter().find(|e| e.shown_path() == name);
        let entry = entry.ok_or(PageFailure::NotFound)?;
        match &entry.contents {
            Contents::Bundle(_) => self.path_of(entry).ok_or(PageFailure::NotFound),
            Contents::Broken(why) => Err(PageFailure::Failed(format!("{name}: {why}"))),
        }
    }

    /// The path of a catalogue entry; None if a link leads elsewhere.
    pub fn path_of(&self, entry: &CatalogueEntry) -> Option<PathBuf> {
        let path = self.folder.join(&entry.path);
        let real = path.canonicalize().ok()?;
        (real == path && real.is_file()).then_some(real)
    }

    /// Generates a page on its own thread, with bounded concurrency. Errors contain no path above
    /// the folder.
    pub async fn make<T: Send + 'static>(
        self: &Arc<ServedFolder>,
        work: impl FnOnce(&ServedFolder) -> Result<T, PageFailure> + Send + 'static,
    ) -> Result<T, PageFailure> {
        let own = self.permits_of(CLIENT.try_with(|address| *address).ok());
        let admitted = own.admitted.try_acquire_owned().map_err(|_| PageFailure::Busy)?;
        let of_address = own.making.acquire_owned().await.map_err(|_| PageFailure::Busy)?;
        let turn = self.making.clone().acquire_owned().await.map_err(|_| PageFailure::Busy)?;
        let site = self.clone();
        // The permit is released with the work, even if nobody waits for it any more.
        let made = spawn_blocking(move || {
            let made = work(&site);
            drop((turn, of_address, admitted));
            made
        });
        match made.await {
            Ok(Err(PageFailure::Failed(text))) => Err(PageFailure::Failed(self.below(&text))),
            Ok(made) => made,
            Err(_) => Err(PageFailure::Failed("the page could not be made".to_string())),
        }
    }

    fn permits_of(&self, address: Option<ClientAddress>) -> Permits {
        let mut all = self.of_address.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|own, permits| *own == address || !permits.are_unused());
        all.entry(address).or_insert_with(Permits::new).clone()
    }

    fn below(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.folder.display()), "")
    }
}
