//! Assigns subjects to hosts for each round, and to places in each host's order, so that neither
//! host nor place is confounded with a subject.
//!
//! A subject moves through its permitted hosts in turn, so that it is on each equally often or once
//! more; its starting host evens out the hosts' loads. If every subject may be on every host and
//! there are as many rounds as hosts and subjects, this is a cyclic Latin square. Places are
//! colours of the edges of a bipartite graph of subjects and (round, host): with as many colours as
//! the fullest host has subjects, each subject's edges can be coloured so that any two colours
//! differ by at most one (D. de Werra, *Equitable colorations of graphs*, Revue française
//! d'informatique et de recherche opérationnelle 5, 1971, pages 3–8). A host with fewer subjects in
//! a round leaves a place empty.

/// A subject's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubjectTurn {
    /// Index of the subject.
    pub subject: usize,
    /// Index of the host.
    pub host: usize,
    /// The round, from 0.
    pub round: usize,
    /// Place in the host's order of that round, from 0.
    pub place: usize,
}

/// Every subject's turns in the order of rounds, hosts and places. `may` has the permitted hosts of
/// each subject; one without any has no turn. `groups` has the group of each: subjects of one group
/// get different places as far as possible.
pub fn balance(may: &[Vec<usize>], groups: &[usize], rounds: usize) -> Vec<SubjectTurn> {
    let hosts = may.iter().flatten().max().map_or(0, |most| most + 1);
    let begins = begins(may, hosts, rounds);
    let mut turns = Vec::new();
    for (subject, own) in may.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        turns.extend((0..rounds).map(|round| {
            let host = own[(begins[subject] + round) % own.len()];
            SubjectTurn { subject, host, round, place: 0 }
        }));
    }
    let mut loads = vec![0; hosts * rounds];
    turns.iter().for_each(|turn| loads[turn.round * hosts + turn.host] += 1);
    let places = loads.iter().copied().max().unwrap_or(0);
    // A subject with more turns than places is represented by as many vertices as it fills all
    // places.
    let parts = rounds.div_ceil(places.max(1));
    let edges: Vec<(usize, usize)> = turns
        .iter()
        .map(|turn| {
            let part = turn.subject * parts + turn.round / places;
            (part, may.len() * parts + turn.round * hosts + turn.host)
        })
        .collect();
    let groups: Vec<usize> = turns.iter().map(|turn| groups[turn.subject]).collect();
    let colours = colours(&edges, &groups, may.len() * parts + loads.len(), places);
    for (turn, place) in turns.iter_mut().zip(colours) {
        turn.place = place;
    }
    turns.sort_by_key(|turn| (turn.round, turn.host, turn.place));
    turns
}

/// Each subject's starting index in its list of hosts: those with the fewest hosts first, each on
/// the least loaded host.
fn begins(may: &[Vec<usize>], hosts: usize, rounds: usize) -> Vec<usize> {
    let mut loads = vec![0u64; hosts * rounds];
    let mut begins = vec![0; may.len()];
    let mut order: Vec<usize> =
        (0..may.len()).filter(|&subject| !may[subject].is_empty()).collect();
    order.sort_by_key(|&subject| may[subject].len());
    for subject in order {
        let own = &may[subject];
        let at = |begin: usize, round: usize| round * hosts + own[(begin + round) % own.len()];
        let cost = |begin: usize| (0..rounds).map(|round| loads[at(begin, round)]).sum::<u64>();
        let begin = (0..own.len()).min_by_key(|&begin| (cost(begin), begin)).unwrap_or(0);
        (0..rounds).for_each(|round| loads[at(begin, round)] += 1);
        begins[subject] = begin;
    }
    begins
}

/// Colours below `most` for the edges of a bipartite graph, none twice at a vertex; no vertex has
/// more than `most` edges (D. König, 1916, by alternating paths). If several are free, the one that
/// the edge's group has least often.
fn colours(edges: &[(usize, usize)], groups: &[usize], vertices: usize, most: usize) -> Vec<usize> {
    let mut at: Vec<Vec<Option<usize>>> = vec![vec![None; most]; vertices];
    let mut colour = vec![0; edges.len()];
    let mut used = vec![vec![0; most]; groups.iter().max().map_or(0, |most| most + 1)];
    let free = |at: &[Option<usize>]| at.iter().position(Option::is_none).unwrap_or(0);
    for (edge, &(from, to)) in edges.iter().enumerate() {
        let both = (0..most).filter(|&c| at[from][c].is_none() && at[to][c].is_none());
        let own = both.min_by_key(|&c| (used[groups[edge]][c], c));
        let own = own.unwrap_or_else(|| {
            let (own, others) = (free(&at[from]), free(&at[to]));
            for along in exchanged(edges, &mut at, &mut colour, to, (own, others)) {
                used[groups[along]][own + others - colour[along]] -= 1;
                used[groups[along]][colour[along]] += 1;
            }
            own
        });
        colour[edge] = own;
        used[groups[edge]][own] += 1;
        [from, to].into_iter().for_each(|end| at[end][own] = Some(edge));
    }
    colour
}

/// Makes the first colour free at a vertex where the second is free, by swapping the two along
/// their alternating path. The path never reaches a vertex of the other side with the first colour
/// free, because it would arrive by that colour. Returns the recoloured edges.
fn exchanged(
    edges: &[(usize, usize)],
    at: &mut [Vec<Option<usize>>],
    colour: &mut [usize],
    vertex: usize,
    (own, others): (usize, usize),
) -> Vec<usize> {
    let (mut path, mut vertex, mut next, mut after) = (Vec::new(), vertex, own, others);
    while let Some(along) = at[vertex][next] {
        path.push(along);
        let (one, other) = edges[along];
        vertex = if one == vertex { other } else { one };
        (next, after) = (after, next);
    }
    for &along in &path {
        let (one, other) = edges[along];
        [one, other].into_iter().for_each(|end| at[end][colour[along]] = None);
    }
    for &along in &path {
        let (one, other) = edges[along];
        colour[along] = if colour[along] == own { others } else { own };
        [one, other].into_iter().for_each(|end| at[end][colour[along]] = Some(along));
    }
    path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frequency of each of `0..of`.
    fn counts(of: usize, what: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut counts = vec![0; of];
        what.for_each(|item| counts[item] += 1);
        counts
    }

    fn spread(counts: &[usize]) -> usize {
        counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0)
    }

    /// The turns of one subject.
    fn of(turns: &[SubjectTurn], subject: usize) -> impl Iterator<Item = &SubjectTurn> {
        turns.iter().filter(move |turn| turn.subject == subject)
    }

    fn each_place_is_taken_once(turns: &[SubjectTurn]) {
        let mut taken = std::collections::BTreeSet::new();
        for turn in turns {
            assert!(taken.insert((turn.round, turn.host, turn.place)), "{turn:?} {turns:?}");
        }
    }

    #[test]
    fn two_to_eight_subjects_are_on_each_of_one_to_eight_hosts_and_in_each_place_equally_often() {
        for (subjects, hosts, rounds) in
            (2..=8).flat_map(|s| (1..=8).flat_map(move |h| (1..=17).map(move |r| (s, h, r))))
        {
            let case = format!("{subjects} subjects, {hosts} hosts, {rounds} rounds");
            let each: Vec<usize> = (0..subjects).collect();
            let turns = balance(&vec![(0..hosts).collect(); subjects], &each, rounds);
            assert_eq!(turns.len(), subjects * rounds, "{case}");
            each_place_is_taken_once(&turns);
            // No host has more places than necessary.
            let places = subjects.div_ceil(hosts);
            assert!(turns.iter().all(|turn| turn.place < places), "{case}");
            for subject in 0..subjects {
                let rounds_of = counts(rounds, of(&turns, subject).map(|turn| turn.round));
                assert!(rounds_of.iter().all(|n| *n == 1), "{case}: once in each round");
                let on = counts(hosts, of(&turns, subject).map(|turn| turn.host));
                let in_places = counts(places, of(&turns, subject).map(|turn| turn.place));
                assert!(spread(&on) <= 1, "{case}: {subject} on hosts {on:?}");
                assert!(spread(&in_places) <= 1, "{case}: {subject} in places {in_places:?}");
            }
            for round in 0..rounds {
                let here = turns.iter().filter(|turn| turn.round == round);
                let loads = counts(hosts, here.map(|turn| turn.host));
                assert!(spread(&loads) <= 1, "{case}: loads {loads:?} in round {round}");
            }
        }
    }

    #[test]
    fn as_many_hosts_as_subjects_and_rounds_are_a_latin_square() {
        let turns = balance(&vec![(0..4).collect(); 4], &[0, 1, 2, 3], 4);
        let row = |round| {
            turns.iter().filter(move |t| t.round == round).map(|t| t.subject).collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2, 3].map(row), [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]);
    }

    proptest! {
        #[test]
        fn drives_that_are_fixed_to_hosts_keep_to_them_and_their_places_are_balanced(
            may in prop::collection::vec(prop::collection::btree_set(0usize..8, 0..9), 1..9),
            rounds in 1usize..13,
        ) {
            let may: Vec<Vec<usize>> =
                may.into_iter().map(|own| own.into_iter().collect()).collect();
            let turns = balance(&may, &vec![0; may.len()], rounds);
            each_place_is_taken_once(&turns);
            let places = turns.iter().map(|turn| turn.place + 1).max().unwrap_or(0);
            for (subject, own) in may.iter().enumerate() {
                let hosts = counts(8, of(&turns, subject).map(|turn| turn.host));
                let allowed: Vec<usize> = own.iter().map(|host| hosts[*host]).collect();
                let expected = if own.is_empty() { 0 } else { rounds };
                prop_assert_eq!(hosts.iter().sum::<usize>(), expected);
                prop_assert_eq!(allowed.iter().sum::<usize>(), expected, "on its own hosts alone");
                prop_assert!(spread(&allowed) <= 1, "{hosts:?}");
                let in_places = counts(places, of(&turns, subject).map(|turn| turn.place));
                prop_assert!(spread(&in_places) <= 1, "{in_places:?}");
            }
        }
    }
}
