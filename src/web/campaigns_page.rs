//! Campaigns: those with bundles in the folder, each with its tasks and their progress, from the
//! campaigns' own folders. Slurm is not queried.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::page::{PageFailure, PageFrame, html};
use super::site::{ServedFolder, SharedSite};
use super::{Page, query};
use crate::base::units::{grouped, moment};
use crate::catalogue::{BundleCatalogue, CatalogueEntry, Contents};
use crate::fleet::record::{self, CampaignRecord, TaskRecord};

/// All campaigns.
pub const PAGE: Page = Page { path: "/campaigns", name: Some("Campaigns"), route: || get(show) };

/// Maximum number of campaigns on the page, and of tasks of each.
const MOST: usize = 20;
const MOST_TASKS: usize = 500;

#[derive(Template)]
#[template(path = "web/campaigns.html")]
struct CampaignsPage {
    frame: PageFrame,
    campaigns: Vec<CampaignView>,
}

/// A campaign, as displayed.
struct CampaignView {
    title: String,
    path: String,
    points: String,
    lost: String,
    tasks: Vec<TaskView>,
    more: usize,
}

/// A task, as displayed.
struct TaskView {
    number: usize,
    round: usize,
    place: usize,
    began: String,
    subject: String,
    host: String,
    state: &'static str,
    points: String,
    cause: String,
    /// Path in the folder and address of the brief of each bundle.
    bundles: Vec<(String, String)>,
}

async fn show(State(site): State<SharedSite>) -> Result<Response, PageFailure> {
    let page = site.make(|site| Ok(CampaignsPage::of(site, &*site.catalogue()?))).await?;
    Ok(html(&page))
}

impl CampaignsPage {
    fn of(site: &ServedFolder, catalogue: &BundleCatalogue) -> CampaignsPage {
        // A bundle of a task is CAMPAIGN/tasks/7/run-1.dyno.
        let folder = |entry: &&CatalogueEntry| {
            let mut folders = Path::new(&entry.path).ancestors().skip(1);
            let (_, tasks, campaign) = (folders.next()?, folders.next()?, folders.next()?);
            let real = site.path_of(entry)?.ancestors().nth(3)?.to_path_buf();
            tasks.ends_with("tasks").then(|| (campaign.display().to_string(), real))
        };
        let folders: BTreeSet<(String, PathBuf)> =
            catalogue.entries.iter().filter_map(|entry| folder(&entry)).collect();
        let entries: BTreeMap<&str, &CatalogueEntry> =
            catalogue.entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let shown = |(path, real): &(String, PathBuf)| CampaignView::of(path, real, &entries);
        let campaigns = folders.iter().filter_map(shown).take(MOST).collect();
        CampaignsPage { frame: PageFrame::of(PAGE.path), campaigns }
    }
}

impl CampaignView {
    /// None if the folder has no readable record: it is not a campaign's.
    fn of(
        path: &str,
        real: &Path,
        entries: &BTreeMap<&str, &CatalogueEntry>,
    ) -> Option<CampaignView> {
        let record = CampaignRecord::find(real).ok()??;
        let row = |task: &TaskRecord| TaskView::of(task, (path, real), entries);
        let (mut tasks, done): (Vec<TaskView>, Vec<u64>) = record.tasks.iter().map(row).unzip();
        let all: u64 = record.tasks.iter().map(|task| task.points).sum();
        // Failures first, however many tasks are shown.
        tasks.sort_by_key(|task| !["failed", "interrupted"].contains(&task.state));
        let more = tasks.len().saturating_sub(MOST_TASKS);
        tasks.truncate(MOST_TASKS);
        Some(CampaignView {
            title: format!("{} ({})", record.title, record.campaign),
            path: path.to_string(),
            points: format!("{} of {}", grouped(done.iter().sum()), grouped(all)),
            lost: record.lost.join(", "),
            more,
            tasks,
        })
    }
}

impl TaskView {
    /// With its number of measured points.
    fn of(
        task: &TaskRecord,
        (path, real): (&str, &Path),
        entries: &BTreeMap<&str, &CatalogueEntry>,
    ) -> (TaskView, u64) {
        let attempts = task.attempts(real).unwrap_or_default();
        let (state, cause) = record::noted(&attempts);
        let (state, cause) = match &task.given_up {
            Some(why) if state != "measured" => ("given up", Some(why.clone())),
            _ => (state, cause),
        };
        let (mut done, mut bundles) = (0, Vec::new());
        for part in 1..=task.hosts.len() {
            let name = format!("tasks/{}/run-{part}.dyno", task.number);
            let name = if path.is_empty() { name } else { format!("{path}/{name}") };
            let Some(entry) = entries.get(name.as_str()) else { continue };
            if let Contents::Bundle(summary) = &entry.contents {
                done += summary.points - summary.failed;
            }
            let name = entry.shown_path().to_string();
            bundles.push((query::path("/brief/", &name), name));
        }
        let row = TaskView {
            number: task.number,
            round: task.round,
            place: task.place,
            began: attempts.first().map_or(String::new(), |first| moment(first.unix_ns)),
            subject: task.subject.clone(),
            host: task.hosts.join(", then "),
            state,
            points: format!("{} of {}", grouped(done), grouped(task.points)),
            cause: cause.unwrap_or_default(),
            bundles,
        };
        (row, done)
    }
}
