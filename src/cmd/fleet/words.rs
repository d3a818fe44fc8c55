//! Common output of the `dyno fleet` commands: columns, counts, and the balance of a campaign as
//! text.

use std::collections::BTreeMap;
use std::io::Write;

use super::layout::{CampaignLayout, MOST};
use crate::base::error::Result;
use crate::base::text::abridged;
use crate::fleet::record::CampaignRecord;
use crate::fleet::tasks::HostSpread;

/// Rows with aligned cells.
pub fn columns<const N: usize>(rows: &[[String; N]], out: &mut dyn Write) -> Result<()> {
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// Which subjects are no longer on as many hosts as planned, because tasks moved or were given up.
pub fn no_longer_balanced(record: &CampaignRecord) -> Vec<String> {
    let mut changes: BTreeMap<&str, BTreeMap<&str, (usize, usize)>> = BTreeMap::new();
    for task in &record.tasks {
        let of_group = changes.entry(&task.group).or_default();
        of_group.entry(task.hosts.first().map_or("", String::as_str)).or_default().0 += 1;
        if task.given_up.is_none() {
            of_group.entry(task.host()).or_default().1 += 1;
        }
    }
    let mut lines = Vec::new();
    for (group, hosts) in changes {
        let changed = hosts.iter().filter(|(_, (planned, now))| planned != now);
        let changed: Vec<String> = changed
            .map(|(host, (planned, now))| format!("{now} instead of {planned} on {host}"))
            .collect();
        if !changed.is_empty() {
            lines.push(format!(
                "No longer balanced as planned: {group}: tasks {}: differences of hosts are part \
                 of its figures",
                abridged(&changed, MOST)
            ));
        }
    }
    lines
}

/// The distribution of subjects over hosts and places, and what could not be balanced.
pub fn balance(layout: &CampaignLayout, spreads: &[HostSpread]) -> Vec<String> {
    let names = layout.campaign.subjects();
    let mut lines = Vec::new();
    let even = |spread: &&HostSpread| spread.over_hosts() && spread.over_places();
    let balanced: Vec<&str> = spreads.iter().filter(even).map(|s| names[s.subject]).collect();
    if !balanced.is_empty() {
        let who = if balanced.len() == names.len() {
            "Every subject".into()
        } else {
            abridged(&balanced, MOST)
        };
        lines.push(format!(
            "Balanced: {who}: on every host and in every place equally often, or once more"
        ));
    }
    for spread in spreads.iter().filter(|spread| !even(spread)) {
        let name = names[spread.subject];
        if !spread.over_hosts() {
            let on = spread.on.iter().zip(&layout.hosts);
            let on: Vec<String> = on.map(|(n, host)| format!("{n} on {}", host.name)).collect();
            let on = abridged(&on, MOST);
            let why = match spread {
                HostSpread { fixed: true, .. } => {
                    "its drives are fixed to hosts, whose differences are part of its figures; \
                     move drives, or choose hosts with as many of each subject"
                        .to_string()
                }
                _ => format!(
                    "rounds = {} would put it on each equally often; until then the differences \
                     of hosts are part of its figures",
                    spread.rounds
                ),
            };
            lines.push(format!("Not balanced: {name}: tasks {on}: {why}"));
        }
        if !spread.over_places() {
            let places = spread.places.iter().enumerate();
            let places: Vec<String> = places.map(|(at, n)| format!("{n} in {}", at + 1)).collect();
            let places = abridged(&places, MOST);
            lines.push(format!("Not balanced: {name}: places {places}"));
        }
    }
    lines
}
