//! The tasks of a campaign: each a specimen on a host, once per round; and what could not be
//! balanced.

use super::balance::balance;
use dyno_core::plan::campaign::{Specimen, SpecimenLocation};

/// One run on one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetTask {
    /// Number, from 1, in the order of rounds, hosts and places.
    pub number: usize,
    /// The specimen.
    pub specimen: usize,
    /// The host.
    pub host: usize,
    /// Round, from 1.
    pub round: usize,
    /// Place in its host's order of that round, from 1.
    pub place: usize,
}

impl FleetTask {
    /// The specimen's location on its host.
    pub fn home<'s>(&self, specimens: &'s [Specimen]) -> Option<&'s SpecimenLocation> {
        specimens[self.specimen].homes.iter().find(|home| home.host == self.host)
    }
}

/// All tasks.
pub fn tasks(specimens: &[Specimen], rounds: usize) -> Vec<FleetTask> {
    let hosts = |specimen: &Specimen| specimen.homes.iter().map(|home| home.host).collect();
    let may: Vec<Vec<usize>> = specimens.iter().map(hosts).collect();
    let groups: Vec<usize> = specimens.iter().map(|specimen| specimen.subject).collect();
    let numbered = |(at, turn): (usize, super::balance::SubjectTurn)| FleetTask {
        number: at + 1,
        specimen: turn.subject,
        host: turn.host,
        round: turn.round + 1,
        place: turn.place + 1,
    };
    balance(&may, &groups, rounds).into_iter().enumerate().map(numbered).collect()
}

/// The distribution of a subject's tasks over the hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSpread {
    /// Index of the `[[subject]]` table.
    pub subject: usize,
    /// Tasks on each host.
    pub on: Vec<usize>,
    /// Tasks in each place.
    pub places: Vec<usize>,
    /// Number of rounds with which each of its specimens would be on each of its hosts equally
    /// often.
    pub rounds: usize,
    /// A specimen may be on fewer hosts than the campaign has.
    pub fixed: bool,
}

impl HostSpread {
    /// Whether it is on each host equally often, or once more.
    pub fn over_hosts(&self) -> bool {
        spread(&self.on) <= 1 && !(self.on.contains(&0) && self.on.len() > 1)
    }

    /// Whether it is in each place equally often, or once more.
    pub fn over_places(&self) -> bool {
        spread(&self.places) <= 1
    }
}

fn spread(counts: &[usize]) -> usize {
    counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0)
}

/// The spread of every subject over `hosts` hosts.
pub fn spreads(specimens: &[Specimen], tasks: &[FleetTask], hosts: usize) -> Vec<HostSpread> {
    let subjects = specimens.iter().map(|specimen| specimen.subject + 1).max().unwrap_or(0);
    let places = tasks.iter().map(|task| task.place).max().unwrap_or(0);
    let of = |subject: usize| {
        let own = || specimens.iter().filter(move |specimen| specimen.subject == subject);
        let mut spread = HostSpread {
            subject,
            on: vec![0; hosts],
            places: vec![0; places],
            rounds: own().map(|specimen| specimen.homes.len()).fold(1, lcm),
            fixed: own().any(|specimen| specimen.homes.len() < hosts),
        };
        for task in tasks.iter().filter(|task| specimens[task.specimen].subject == subject) {
            spread.on[task.host] += 1;
            spread.places[task.place - 1] += 1;
        }
        spread
    };
    (0..subjects).map(of).collect()
}

fn lcm(one: usize, other: usize) -> usize {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    one / a.max(1) * other
}
