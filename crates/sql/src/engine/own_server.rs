//! A server that Dyno starts on the drive under test: its product, and how it is opened.

use std::process::Command;

use super::{Connector, DATABASE, Settings, SqlTarget, make_database};
use dyno_core::base::error::Result;
use dyno_core::engine::{Access, DatasetAccess, Target};
use dyno_core::lab::folder::data::DatasetFolder;
use dyno_core::lab::server::{Limits, Server, ServerPaths, ServerSpec};

/// The installed version of a server product.
pub trait Product {
    /// The accounts that its packages create, used if Dyno is root.
    fn accounts(&self) -> &'static [&'static str];
    /// The signal for a clean stop that does not wait for clients.
    fn stop_signal(&self) -> i32;
    /// Dyno's settings that this version does not support.
    fn left_out(&self) -> &[String] {
        &[]
    }
    /// Makes an empty data directory.
    fn lay_out(&self, places: &ServerPaths) -> Command;
    /// Runs the server in the foreground on an initialised data directory.
    fn run(&self, places: &ServerPaths, settings: &Settings) -> Command;
}

/// Starts a server in the dataset's folder, initialising it if new, and waits until it accepts
/// connections. `reach` returns how to connect, given the server's paths and the database, or None
/// for the default database.
pub fn open_own<C: Connector + 'static>(
    product: &dyn Product,
    site: &DatasetAccess<'_>,
    (folder, limits): (&DatasetFolder, Limits),
    settings: &Settings,
    reach: &dyn Fn(&ServerPaths, Option<&str>) -> C,
) -> Result<Box<dyn Target>> {
    let command = |places: &ServerPaths| product.run(places, settings);
    let (accounts, stop_signal, clock) = (product.accounts(), product.stop_signal(), site.clock);
    let order =
        ServerSpec { folder, accounts, command: &command, stop_signal, limits: &limits, clock };
    if site.access == Access::Create {
        Server::lay_out(&order, &|places| product.lay_out(places))?;
    }
    let connects = |places: &ServerPaths| {
        reach(places, None).connect().map(drop).map_err(|error| error.to_string())
    };
    let server = Server::start(&order, &mut |places| connects(places))?;
    if site.access == Access::Create {
        make_database(&reach(&server.places, None))?;
    }
    let reach = reach(&server.places, Some(DATABASE));
    let target = SqlTarget::new(Box::new(reach), Some(server), site.knobs, settings)?;
    Ok(Box::new(target.without(product.left_out())))
}
