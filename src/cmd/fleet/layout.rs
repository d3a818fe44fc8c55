//! The layout of a campaign: its hosts, its specimens, its tasks, and the duration of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result};
use crate::base::text::abridged;
use crate::cmd::plan_numbers::{Extent, fill_bytes};
use crate::fleet::tasks::{FleetTask, tasks};
use crate::fleet::{folder, hosts};
use crate::plan::campaign::{Campaign, HostDrives, RemainingSpecimens, Specimen, SpecimenLocation};
use crate::plan::{DrivePlace, Plan};

/// The assumed minimum fill rate in a time limit, bytes/s.
const FILL_BYTES_PER_S: u64 = 100_000_000;
/// Allowance for starting, preparing and settling, which no estimate includes.
const MARGIN_NS: u64 = 600_000_000_000;

/// The most subjects, hosts or places that one list shows.
pub const MOST: usize = 10;

/// A campaign assigned to its hosts.
pub struct CampaignLayout {
    /// The file's contents.
    pub campaign: Campaign,
    /// The path of the folder.
    pub folder: PathBuf,
    /// The hosts, by index.
    pub hosts: Vec<HostDrives>,
    /// The specimens, by index.
    pub specimens: Vec<Specimen>,
    /// Why a specimen of a campaign that was submitted before cannot be measured, by its name.
    pub missing: BTreeMap<String, String>,
    /// The tasks, in order.
    pub tasks: Vec<FleetTask>,
}

/// The size of a task.
pub struct Cost {
    /// Its points.
    pub points: u64,
    /// Points and time are upper bounds.
    pub at_most: bool,
    /// The plan's own estimate, without filling.
    pub load_ns: u64,
    /// Time limit given to Slurm.
    pub limit_ns: u64,
}

impl CampaignLayout {
    /// From a campaign's file; `find` first queries the hosts for their drives.
    pub fn of(path: &Path, find: bool) -> Result<CampaignLayout> {
        let campaign = Campaign::load(path, &crate::plan_catalogue())?;
        let folder = folder::of(path);
        let names = hosts::names(&campaign).context("looking for the campaign's hosts")?;
        if find && campaign.needs_drives() {
            hosts::find(&campaign, &names, &program(&campaign)?, &folder)?;
        }
        let hosts = hosts::known(&campaign, &names, &folder)?;
        let specimens = campaign.specimens(&hosts)?;
        Ok(CampaignLayout::with(campaign, folder, hosts, specimens))
    }

    /// That of a campaign that was submitted before, whose drives may be missing by now.
    pub fn remaining(path: &Path) -> Result<CampaignLayout> {
        let campaign = Campaign::load(path, &crate::plan_catalogue())?;
        let folder = folder::of(path);
        let names = hosts::names(&campaign).context("looking for the campaign's hosts")?;
        let hosts = hosts::known(&campaign, &names, &folder)?;
        let RemainingSpecimens { specimens, missing } = campaign.remaining(&hosts)?;
        let layout = CampaignLayout::with(campaign, folder, hosts, specimens);
        Ok(CampaignLayout { missing, ..layout })
    }

    fn with(
        campaign: Campaign,
        folder: PathBuf,
        hosts: Vec<HostDrives>,
        specimens: Vec<Specimen>,
    ) -> CampaignLayout {
        let tasks = tasks(&specimens, campaign.rounds as usize);
        CampaignLayout { campaign, folder, hosts, specimens, missing: BTreeMap::new(), tasks }
    }

    /// The drives that are on several hosts, as text: one shared drive, or two with one serial
    /// number.
    pub fn shared(&self) -> Vec<String> {
        let text = |specimen: &Specimen| {
            let on: Vec<&str> =
                specimen.homes.iter().map(|home| self.hosts[home.host].name.as_str()).collect();
            format!(
                "{} is seen from {}: taken for one shared drive, which one host measures at a \
                 time. If two drives have this serial number, state the hosts of each subject \
                 (hosts = [\"…\"]); if the drive was moved, query the hosts again (--find)",
                specimen.name,
                abridged(&on, MOST)
            )
        };
        self.specimens.iter().filter(|specimen| specimen.shared).map(text).collect()
    }

    /// A task's specimen.
    pub fn specimen(&self, task: &FleetTask) -> &Specimen {
        &self.specimens[task.specimen]
    }

    /// The location of a task's specimen on its host.
    pub fn home(&self, task: &FleetTask) -> Result<&SpecimenLocation> {
        task.home(&self.specimens).context("a task on a host that does not have its drive")
    }

    /// A task's plan.
    pub fn plan(&self, task: &FleetTask) -> Result<Plan> {
        Ok(self.campaign.plan_of(self.specimen(task), self.home(task)?))
    }

    /// The size of a task.
    pub fn cost(&self, task: &FleetTask) -> Result<Cost> {
        let plan = self.plan(task)?;
        let Extent { points, at_most, load_ns, more_ns } = Extent::of(&plan);
        let fill_ns = fill_bytes(&plan).saturating_mul(1_000_000_000 / FILL_BYTES_PER_S);
        let all = load_ns.saturating_add(more_ns.unwrap_or(0)).saturating_add(fill_ns);
        let limit_ns = all.saturating_add(all / 10).saturating_add(MARGIN_NS);
        let limit_ns = self.campaign.slurm.time_ns.unwrap_or(limit_ns);
        Ok(Cost { points, at_most, load_ns, limit_ns })
    }

    /// Whether a task has exclusive use of its host.
    pub fn exclusive(&self) -> bool {
        self.campaign.slurm.exclusive.unwrap_or(!self.campaign.plan.unwatched)
    }
}

/// Dyno on the hosts: the campaign's path, or this program's.
pub fn program(campaign: &Campaign) -> Result<PathBuf> {
    match &campaign.slurm.program {
        Some(program) => Ok(program.clone()),
        None => std::env::current_exe().context("finding Dyno's own program"),
    }
}

/// A drive as text: its directory, or its device with its serial number.
pub fn place(place: &DrivePlace) -> String {
    match place {
        DrivePlace::Directory(path) => path.display().to_string(),
        DrivePlace::Device { path, serial } => format!("{} (serial {serial})", path.display()),
    }
}
