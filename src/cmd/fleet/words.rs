//! Common output of the `dyno fleet` commands: columns, counts, and the balance of a campaign as
//! text.

use std::io::Write;

use super::layout::CampaignLayout;
use crate::base::error::Result;
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

/// The distribution of subjects over hosts and places, and what could not be balanced.
pub fn balance(layout: &CampaignLayout, spreads: &[HostSpread]) -> Vec<String> {
    let names = layout.campaign.subjects();
    let mut lines = Vec::new();
    let even = |spread: &&HostSpread| spread.over_hosts() && spread.over_places();
    let balanced: Vec<&str> = spreads.iter().filter(even).map(|s| names[s.subject]).collect();
    if !balanced.is_empty() {
        let who =
            if balanced.len() == names.len() { "Every subject".into() } else { list(&balanced) };
        lines.push(format!(
            "Balanced: {who}: on every host and in every place equally often, or once more"
        ));
    }
    for spread in spreads.iter().filter(|spread| !even(spread)) {
        let name = names[spread.subject];
        if !spread.over_hosts() {
            let on = spread.on.iter().zip(&layout.hosts);
            let on: Vec<String> = on.map(|(n, host)| format!("{n} on {}", host.name)).collect();
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
            lines.push(format!("Not balanced: {name}: tasks {}: {why}", on.join(", ")));
        }
        if !spread.over_places() {
            let places = spread.places.iter().enumerate();
            let places: Vec<String> = places.map(|(at, n)| format!("{n} in {}", at + 1)).collect();
            lines.push(format!("Not balanced: {name}: places {}", places.join(", ")));
        }
    }
    lines
}

fn list(names: &[&str]) -> String {
    const MOST: usize = 6;
    match names.len() {
        n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
        _ => names.join(", "),
    }
}
