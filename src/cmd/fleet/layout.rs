//! The layout of a campaign: its hosts, its specimens, its tasks, and the duration of each.

use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result};
use crate::cmd::plan_numbers::{Extent, fill_bytes};
use crate::fleet::tasks::{FleetTask, tasks};
use crate::fleet::{folder, hosts};
use crate::plan::campaign::{Campaign, HostDrives, Specimen, SpecimenLocation};
use crate::plan::{DrivePlace, Plan};

/// Filling is assumed to go at this rate at the least, bytes/s, where a time limit is made.
const FILL_BYTES_PER_S: u64 = 100_000_000;
/// For what no estimate counts: starting, preparing, settling.
const MARGIN_NS: u64 = 600_000_000_000;

/// A campaign laid out over its hosts.
pub struct CampaignLayout {
    /// The file's contents.
    pub campaign: Campaign,
    /// Where all of it is kept.
    pub folder: PathBuf,
    /// The hosts, by number.
    pub hosts: Vec<HostDrives>,
    /// What is measured, by number.
    pub specimens: Vec<Specimen>,
    /// The tasks in their order.
    pub tasks: Vec<FleetTask>,
}

/// What a task costs.
pub struct Cost {
    /// Its points.
    pub points: u64,
    /// Points and time are upper bounds.
    pub at_most: bool,
    /// The plan's own estimate; filling comes on top.
    pub load_ns: u64,
    /// Time limit that Slurm is given.
    pub limit_ns: u64,
}

impl CampaignLayout {
    /// Of a campaign's file; `find` asks the hosts for their drives first.
    pub fn of(path: &Path, find: bool) -> Result<CampaignLayout> {
        let campaign = Campaign::load(path, &crate::plan_catalogue())?;
        let folder = folder::of(path);
        let names = hosts::names(&campaign).context("looking for the campaign's hosts")?;
        if find && campaign.needs_drives() {
            let program = program(&campaign)?;
            names.iter().try_for_each(|name| hosts::find(&campaign, name, &program, &folder))?;
        }
        let hosts = hosts::known(&campaign, &names, &folder)?;
        let specimens = campaign.specimens(&hosts)?;
        let tasks = tasks(&specimens, campaign.rounds as usize);
        Ok(CampaignLayout { campaign, folder, hosts, specimens, tasks })
    }

    /// A task's specimen.
    pub fn specimen(&self, task: &FleetTask) -> &Specimen {
        &self.specimens[task.specimen]
    }

    /// Where a task's specimen is on its host.
    pub fn home(&self, task: &FleetTask) -> Result<&SpecimenLocation> {
        task.home(&self.specimens).context("a task on a host that does not have its drive")
    }

    /// A task's plan.
    pub fn plan(&self, task: &FleetTask) -> Result<Plan> {
        Ok(self.campaign.plan_of(self.specimen(task), self.home(task)?))
    }

    /// What a task costs.
    pub fn cost(&self, task: &FleetTask) -> Result<Cost> {
        let plan = self.plan(task)?;
        let Extent { points, at_most, load_ns, more_ns } = Extent::of(&plan);
        let fill_ns = fill_bytes(&plan).saturating_mul(1_000_000_000 / FILL_BYTES_PER_S);
        let all = load_ns.saturating_add(more_ns.unwrap_or(0)).saturating_add(fill_ns);
        let limit_ns = all.saturating_add(all / 10).saturating_add(MARGIN_NS);
        let limit_ns = self.campaign.slurm.time_ns.unwrap_or(limit_ns);
        Ok(Cost { points, at_most, load_ns, limit_ns })
    }

    /// Whether a task has its host to itself.
    pub fn exclusive(&self) -> bool {
        self.campaign.slurm.exclusive.unwrap_or(!self.campaign.plan.unwatched)
    }
}

/// Dyno on the hosts: where the campaign says, or where this one is.
pub fn program(campaign: &Campaign) -> Result<PathBuf> {
    match &campaign.slurm.program {
        Some(program) => Ok(program.clone()),
        None => std::env::current_exe().context("finding Dyno's own program"),
    }
}

/// A drive in words: its directory, or its device with its serial number.
pub fn place(place: &DrivePlace) -> String {
    match place {
        DrivePlace::Directory(path) => path.display().to_string(),
        DrivePlace::Device { path, serial } => format!("{} (serial {serial})", path.display()),
    }
}
