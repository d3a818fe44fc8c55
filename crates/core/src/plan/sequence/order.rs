//! The order of subjects at a point.
//!
//! An order is balanced if every subject runs in every place equally often, so that effects of a
//! place (a drive still busy with the previous load, a processor that has warmed up) do not favour
//! one subject. The rows of a Williams square are such orders: every subject in every place once,
//! and over the whole square every subject directly after every other equally often. For two
//! subjects they are A B and B A; an odd number needs two squares. Repeats use successive rows, and
//! each point continues where the last one ended, so that with an odd number of repeats every other
//! point starts in the opposite order.

use std::collections::HashMap;

use crate::plan::model::{Axis, Order, Plan, PointKey};
use crate::plan::sequence::cells::{StepValue, cells};

/// The subjects in order: at point number `point` in running order, in repeat `repeat` of
/// `repeats`, both from 0.
pub fn order(subjects: usize, point: usize, repeat: usize, repeats: usize) -> Vec<usize> {
    let rows = if subjects.is_multiple_of(2) { subjects } else { 2 * subjects }.max(1);
    let row = (point * repeats + repeat) % rows;
    // 0, 1, S − 1, 2, S − 2, …: all steps between neighbours differ.
    let first = (0..subjects)
        .map(|place| if place % 2 == 1 { place.div_ceil(2) } else { subjects - place / 2 });
    let mut turns: Vec<usize> = first.map(|subject| (subject + row) % subjects).collect();
    if row >= subjects {
        turns.reverse();
    }
    turns
}

/// The same for a plan. The repeat counts from 1, as in a point's key.
pub(in crate::plan) fn turns(plan: &Plan, point: usize, repeat: u32) -> Vec<usize> {
    let subjects = plan.subjects.len();
    order(subjects, point, repeat.saturating_sub(1) as usize, plan.repeats as usize)
}

/// The number of repeats of the first subject before the others in a returned order.
pub(in crate::plan) fn before_return(repeats: u32) -> u32 {
    repeats.div_ceil(2)
}

/// A plan's points by step and axis value, for fast look-up of a point's place.
pub struct PointIndex {
    points: HashMap<String, HashMap<Option<u64>, usize>>,
}

impl PointIndex {
    /// Of all points of a plan.
    pub fn of(plan: &Plan) -> PointIndex {
        let mut points: HashMap<String, HashMap<Option<u64>, usize>> = HashMap::new();
        for StepValue { step, axis, point } in cells(plan) {
            points.entry(step.name.clone()).or_default().insert(bits(axis.as_ref()), point);
        }
        PointIndex { points }
    }

    /// Whether the plan measures this point.
    pub fn has(&self, plan: &Plan, key: &PointKey) -> bool {
        self.point(key).is_some()
            && plan.subjects.iter().any(|subject| subject.name == key.subject)
            && (1..=plan.repeats).contains(&key.repeat)
    }

    /// The place, from 0, of a point's subject among the subjects measured at the same point in the
    /// same repeat, which is their block. None if subjects do not alternate, and for points that
    /// the plan does not have.
    pub fn place(&self, plan: &Plan, key: &PointKey) -> Option<u32> {
        if plan.order != Order::Interleaved {
            return None;
        }
        let point = self.point(key)?;
        let subject = plan.subjects.iter().position(|subject| subject.name == key.subject)?;
        turns(plan, point, key.repeat)
            .iter()
            .position(|turn| *turn == subject)
            .map(|place| place as u32)
    }

    /// The session of a point, a stretch of time in which one subject was measured, unique in its
    /// run; subjects that alternate share one.
    pub fn session(&self, plan: &Plan, key: &PointKey) -> u32 {
        let place = plan.subjects.iter().position(|subject| subject.name == key.subject);
        match (plan.order, place.unwrap_or_default()) {
            (Order::Interleaved, _) => 0,
            (Order::Returned, 0) if key.repeat > before_return(plan.repeats) => {
                plan.subjects.len() as u32 + 1
            }
            (_, subject) => subject as u32 + 1,
        }
    }

    fn point(&self, key: &PointKey) -> Option<usize> {
        self.points.get(&key.step)?.get(&bits(key.axis.as_ref())).copied()
    }
}

fn bits(axis: Option<&Axis>) -> Option<u64> {
    axis.map(|axis| axis.value.as_f64().to_bits())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How often each subject was in each place.
    fn places(subjects: usize, rows: impl Iterator<Item = Vec<usize>>) -> Vec<Vec<u32>> {
        let mut counts = vec![vec![0; subjects]; subjects];
        rows.for_each(|row| {
            row.iter().enumerate().for_each(|(place, &subject)| counts[subject][place] += 1)
        });
        counts
    }

    proptest! {
        #[test]
        fn every_subject_is_in_every_place_as_equally_often_as_the_number_of_repeats_allows(
            subjects in 1usize..9, points in 1usize..15, repeats in 1usize..11,
        ) {
            let of_point = |p| (0..repeats).map(move |r| order(subjects, p, r, repeats));
            let all = (0..points).flat_map(of_point);
            let (least, runs) = (points * repeats / subjects, points * repeats);
            for count in places(subjects, all).into_iter().flatten() {
                let most = runs.div_ceil(subjects);
                prop_assert!((least..=most).contains(&(count as usize)), "{count} of {runs} with \
                    {subjects} subjects");
            }
        }

        #[test]
        fn over_whole_squares_every_subject_follows_every_other_equally_often(
            subjects in 2usize..9, start in 0usize..20,
        ) {
            let squares = if subjects % 2 == 0 { 1 } else { 2 };
            let mut after = vec![vec![0; subjects]; subjects];
            for row in start * squares * subjects..(start + 1) * squares * subjects {
                order(subjects, row, 0, 1).windows(2).for_each(|pair| after[pair[0]][pair[1]] += 1);
            }
            for (one, follows) in after.iter().enumerate() {
                for (other, &count) in follows.iter().enumerate() {
                    prop_assert_eq!(count, if one == other { 0 } else { squares });
                }
            }
        }
    }

    #[test]
    fn two_subjects_alternate_and_the_start_alternates_from_point_to_point() {
        let rows = |point| (0..5).map(|repeat| order(2, point, repeat, 5)).collect::<Vec<_>>();
        let (ab, ba) = (vec![0, 1], vec![1, 0]);
        assert_eq!(rows(0), [&ab, &ba, &ab, &ba, &ab].map(Vec::clone));
        assert_eq!(rows(1), [&ba, &ab, &ba, &ab, &ba].map(Vec::clone));
        assert_eq!(order(0, 3, 1, 5), [0usize; 0]);
        assert_eq!(order(1, 3, 1, 5), [0]);
    }
}
