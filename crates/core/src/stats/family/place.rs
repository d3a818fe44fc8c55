//! The effect of a subject's place in its repeat's order (for example, second on a warmer host):
//! estimated over all points of a step by least squares, with subject × point and repeat × point.

use super::Sheet;

/// Alternately removes row and column means until they vanish. A balanced point needs one pass.
const SWEEPS: usize = 200;

/// One observation on logarithms.
#[derive(Clone, Copy, Debug)]
pub struct LogObservation {
    pub subject: usize,
    pub block: u32,
    pub place: usize,
    pub session: u32,
    pub log: f64,
}

/// A sheet on logarithms.
pub struct Logged {
    pub points: Vec<Vec<LogObservation>>,
    places: usize,
}

/// The place effects, relative to the first place.
pub struct PlaceEffects {
    pub effects: Vec<f64>,
    /// Covariance of the effects.
    covariance: Vec<Vec<f64>>,
    /// Degrees of freedom of each point's residuals used for them.
    pub leverage: Vec<f64>,
}

impl PlaceEffects {
    /// Variance of a weighted sum of the effects.
    pub fn variance(&self, weights: &[f64]) -> f64 {
        let row = |row: &Vec<f64>| row.iter().zip(weights).map(|(c, w)| c * w).sum::<f64>();
        self.covariance.iter().zip(weights).map(|(r, w)| row(r) * w).sum::<f64>().max(0.0)
    }
}

impl Logged {
    pub fn of(sheet: &Sheet) -> Logged {
        let has_log = |o: &super::Observation| o.value.is_finite() && o.value > 0.0;
        let point = |subjects: &Vec<Vec<super::Observation>>| {
            // If one of its repeats cannot be used, the point has no ratio at all, because it would
            // be another point.
            if !subjects.iter().flatten().all(has_log) {
                return Vec::new();
            }
            let logged = |(subject, all): (usize, &Vec<super::Observation>)| {
                let of = move |o: &super::Observation| LogObservation {
                    subject,
                    block: o.block,
                    place: o.place as usize,
                    session: o.session,
                    log: o.value.ln(),
                };
                all.iter().map(of).collect::<Vec<LogObservation>>()
            };
            subjects.iter().enumerate().flat_map(logged).collect::<Vec<LogObservation>>()
        };
        let points: Vec<Vec<LogObservation>> = sheet.cells.iter().map(point).collect();
        let places = points.iter().flatten().map(|e| e.place + 1).max().unwrap_or(1);
        Logged { points, places }
    }

    /// The effects by least squares, each point weighted by 1 ÷ its variance, as required for the
    /// covariance.
    pub fn fit(&self, weights: &[f64]) -> PlaceEffects {
        let k = self.places;
        // The first place is the reference, so its row and column stay empty.
        let mut normal = vec![vec![0.0; k]; k];
        let mut right = vec![0.0; k];
        let mut of_points = Vec::new();
        for (entries, weight) in self.points.iter().zip(weights) {
            let columns: Vec<Vec<f64>> =
                (1..k).map(|p| within(entries, |e| f64::from(e.place == p))).collect();
            let logs = within(entries, |e| e.log);
            let mut own = vec![vec![0.0; k]; k];
            for (i, x) in columns.iter().enumerate() {
                right[i + 1] += weight * dot(x, &logs);
                columns
                    .iter()
                    .enumerate()
                    .for_each(|(j, z)| own[i + 1][j + 1] = weight * dot(x, z));
            }
            normal.iter_mut().flatten().zip(own.iter().flatten()).for_each(|(n, o)| *n += o);
            of_points.push(own);
        }
        let covariance = inverse(normal);
        let effects = covariance.iter().map(|row| dot(row, &right)).collect();
        let leverage =
            |own: &Vec<Vec<f64>>| own.iter().zip(&covariance).map(|(o, c)| dot(o, c)).sum();
        let leverage = of_points.iter().map(leverage).collect();
        PlaceEffects { effects, covariance, leverage }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The remainder of a column at one point after removing subject and block means.
fn within(entries: &[LogObservation], column: impl Fn(&LogObservation) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = entries.iter().map(column).collect();
    let subjects: Vec<usize> = entries.iter().map(|e| e.subject).collect();
    let mut known: Vec<u32> = entries.iter().map(|e| e.block).collect();
    known.sort_unstable();
    known.dedup();
    let blocks: Vec<usize> =
        entries.iter().map(|e| known.binary_search(&e.block).unwrap_or_default()).collect();
    let scale = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
    for _ in 0..SWEEPS {
        let moved = centre(&mut values, &subjects).max(centre(&mut values, &blocks));
        if moved <= scale * 1e-14 {
            break;
        }
    }
    values
}

/// Removes each group's mean, and returns the largest.
fn centre(values: &mut [f64], groups: &[usize]) -> f64 {
    let many = groups.iter().max().map_or(0, |g| g + 1);
    let mut sums = vec![(0.0, 0.0); many];
    for (v, g) in values.iter().zip(groups) {
        sums[*g].0 += v;
        sums[*g].1 += 1.0;
    }
    values.iter_mut().zip(groups).for_each(|(v, g)| *v -= sums[*g].0 / sums[*g].1);
    sums.iter().filter(|s| s.1 > 0.0).map(|s| (s.0 / s.1).abs()).fold(0.0, f64::max)
}

/// A generalised inverse of a symmetric matrix by the sweep operator: an effect that cannot be
/// distinguished from the others (a place that a subject always had) gets a row and column of
/// zeros.
fn inverse(mut m: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = m.len();
    let tiny: Vec<f64> = (0..n).map(|i| m[i][i] * 1e-9).collect();
    let mut swept = vec![false; n];
    for k in 0..n {
        let pivot = m[k][k];
        if pivot <= tiny[k] || pivot <= 0.0 {
            continue;
        }
        swept[k] = true;
        let row: Vec<f64> = m[k].iter().map(|v| v / pivot).collect();
        for i in (0..n).filter(|&i| i != k) {
            let factor = m[i][k];
            (0..n).for_each(|j| m[i][j] -= factor * row[j]);
            m[i][k] = -factor / pivot;
        }
        m[k] = row;
        m[k][k] = 1.0 / pivot;
    }
    for i in 0..n {
        (0..n).filter(|&j| !(swept[i] && swept[j])).for_each(|j| m[i][j] = 0.0);
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_leaves_out_what_cannot_be_distinguished() {
        let exact = inverse(vec![vec![4.0, 1.0], vec![1.0, 3.0]]);
        let truth = [[3.0 / 11.0, -1.0 / 11.0], [-1.0 / 11.0, 4.0 / 11.0]];
        (0..2)
            .for_each(|i| (0..2).for_each(|j| assert!((exact[i][j] - truth[i][j]).abs() < 1e-15)));
        let twice = inverse(vec![vec![0.0, 0.0, 0.0], vec![0.0, 2.0, 2.0], vec![0.0, 2.0, 2.0]]);
        assert_eq!(twice, [[0.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]]);
    }
}
