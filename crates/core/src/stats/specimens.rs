//! Several specimens of each of two models: drives are a random effect above repeats, so a
//! difference between models has as many observations as drives, not as repeats. Hosts are blocks
//! wherever drives and hosts cross.

use std::collections::BTreeMap;

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use super::family::FEWEST;
use super::moments::{mean, natural, natural_interval, t_reach, t_tail, variance};

/// The ratio of two models at one point, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Models {
    /// First ÷ second, of the geometric means over the specimens.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Specimens of the first and of the second model.
    pub specimens: (usize, usize),
    /// Degrees of freedom, from the number of specimens.
    pub degrees: f64,
    /// The scatter between specimens of a model, pooled over both models.
    pub scatter: Components,
}

impl Models {
    /// From the difference of logarithms with its standard error and degrees of freedom.
    fn of(
        (a, b): (&[OnHosts], &[OnHosts]),
        (log, error, degrees): (f64, f64, f64),
        searched: usize,
    ) -> Models {
        let half = t_reach(degrees, 0.05 / searched.max(1) as f64) * error;
        let (low, high) = natural_interval(log, half);
        let scatter = components(&[&all_repeats(a), &all_repeats(b)]);
        let specimens = (a.len(), b.len());
        Models { ratio: natural(log), low, high, specimens, degrees, scatter }
    }

    /// Second ÷ first.
    pub fn inverse(self) -> Models {
        let Models { ratio, low, high, specimens: (a, b), .. } = self;
        Models { ratio: 1.0 / ratio, low: 1.0 / high, high: 1.0 / low, specimens: (b, a), ..self }
    }
}

/// A specimen's figures.
#[derive(Clone, Debug)]
pub struct OnHosts {
    /// The figure of each repeat.
    pub repeats: Vec<f64>,
    /// For each measurement of it, the number of the host, and the level there.
    pub levels: Vec<(usize, f64)>,
}

/// The comparison of two models whose drives may have been measured on several hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModelsOnHosts {
    /// Drives as a random effect; hosts as blocks if they differ between drives.
    Models(Models),
    /// These drives on the hosts that measured both models: this many hosts are blocks, and its
    /// observations.
    TheseDrives(Models, usize),
    /// Each model was measured on hosts of its own, whose effect cannot be separated from
    /// the models'.
    Confounded,
    /// Too few drives, and too few hosts that measured both.
    TooFew,
}

/// Components of variance within a model, as standard deviations of logarithms: 0.02 is 2 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    /// Between drives, beyond the scatter of their repeats.
    pub drives: f64,
    /// Between repeats of one drive; None if each has one.
    pub repeats: Option<f64>,
}

/// One-way random effects, by the method of moments (S. R. Searle, G. Casella, C. E. McCulloch,
/// Variance Components, 1992, section 3.6): groups are models, of which only the scatter within is
/// used.
pub fn components(models: &[&[Vec<f64>]]) -> Components {
    let (mut within, mut repeats, mut between, mut drives, mut size) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for specimens in models {
        let logs: Vec<Vec<f64>> = specimens
            .iter()
            .filter(|s| logarithm(s).is_some())
            .map(|s| s.iter().map(|v| v.ln()).collect())
            .collect();
        let all: f64 = logs.iter().map(|own| own.len() as f64).sum();
        if logs.len() < 2 {
            continue;
        }
        let grand = logs.iter().flatten().sum::<f64>() / all;
        for own in &logs {
            let n = own.len() as f64;
            within += variance(own) * (n - 1.0);
            repeats += n - 1.0;
            between += n * (mean(own) - grand).powi(2);
            size -= n * n / all;
        }
        drives += logs.len() as f64 - 1.0;
        size += all;
    }
    // The mean number of repeats per drive, as defined by the method of moments.
    let (size, drives) = (size / f64::max(drives, 1.0), f64::max(drives, 1.0));
    let of_repeats = (repeats > 0.0).then(|| within / repeats);
    let of_drives = (between / drives - of_repeats.unwrap_or(0.0)) / size.max(1.0);
    Components { drives: of_drives.max(0.0).sqrt(), repeats: of_repeats.map(f64::sqrt) }
}

/// The geometric mean of the first model's specimens divided by the second's: Welch's t on the
/// specimens' mean logarithms. Each specimen is its repeats' figures. `searched`: number of such
/// comparisons in the brief, which hold together in 95 of 100 briefs (Bonferroni). `None` with
/// fewer than three usable specimens of a model.
pub fn models(a: &[Vec<f64>], b: &[Vec<f64>], searched: usize) -> Option<Models> {
    let scatter = components(&[a, b]);
    let (a, b) = (levels(a), levels(b));
    if a.len().min(b.len()) < FEWEST {
        return None;
    }
    let (part_a, part_b) = (variance(&a) / a.len() as f64, variance(&b) / b.len() as f64);
    let share = |part: f64, n: usize| part * part / (n - 1) as f64;
    let squares = share(part_a, a.len()) + share(part_b, b.len());
    let fewest = (a.len().min(b.len()) - 1) as f64;
    let degrees = if squares > 0.0 { (part_a + part_b).powi(2) / squares } else { fewest };
    let log = mean(&a) - mean(&b);
    let half = t_reach(degrees, 0.05 / searched.max(1) as f64) * (part_a + part_b).sqrt();
    let (low, high) = natural_interval(log, half);
    Some(Models { ratio: natural(log), low, high, specimens: (a.len(), b.len()), degrees, scatter })
}

/// The same for drives on several hosts. If all were on the same hosts equally often, hosts cancel.
/// Otherwise each drive's mean logarithm is regressed on its model and on its share of measurements
/// on each host (ordinary least squares), so that hosts are blocks. Fewer than three drives of a
/// model are compared host by host: the observations are the differences on the hosts that measured
/// both.
pub fn models_on_hosts(a: &[OnHosts], b: &[OnHosts], searched: usize) -> ModelsOnHosts {
    let hosts = a.iter().chain(b).flat_map(|s| &s.levels).map(|(host, _)| host + 1).max();
    let hosts = hosts.unwrap_or(0);
    let shares: Vec<Vec<f64>> = a.iter().chain(b).map(|s| s.shares(hosts)).collect();
    let apart = shares.windows(2).any(|two| two[0] != two[1]);
    if a.len().min(b.len()) < FEWEST {
        return match of_common_hosts(a, b, searched) {
            Some((found, hosts)) => ModelsOnHosts::TheseDrives(found, hosts),
            None if apart => ModelsOnHosts::Confounded,
            None => ModelsOnHosts::TooFew,
        };
    }
    let found = match apart {
        false => models(&all_repeats(a), &all_repeats(b), searched),
        true => match regressed(a, b, &shares, searched) {
            None => return ModelsOnHosts::Confounded,
            found => found,
        },
    };
    found.map_or(ModelsOnHosts::TooFew, ModelsOnHosts::Models)
}

/// The repeats of each specimen.
fn all_repeats(specimens: &[OnHosts]) -> Vec<Vec<f64>> {
    specimens.iter().map(|specimen| specimen.repeats.clone()).collect()
}

impl OnHosts {
    /// Its share of measurements on each of `hosts` hosts.
    fn shares(&self, hosts: usize) -> Vec<f64> {
        let mut shares = vec![0.0; hosts];
        self.levels.iter().for_each(|(host, _)| shares[*host] += 1.0 / self.levels.len() as f64);
        shares
    }

    /// Its mean logarithm over its hosts.
    fn level(&self) -> f64 {
        mean(&self.levels.iter().map(|(_, level)| level.ln()).collect::<Vec<_>>())
    }
}

/// Least squares with the model's column last: its part that no host explains carries the estimate.
/// None if there is no such part.
fn regressed(a: &[OnHosts], b: &[OnHosts], shares: &[Vec<f64>], searched: usize) -> Option<Models> {
    let y: Vec<f64> = a.iter().chain(b).map(OnHosts::level).collect();
    let n = y.len();
    let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut rest = |mut column: Vec<f64>| {
        // Twice, because rounding leaves a part of the first projections.
        for known in basis.iter().chain(&basis) {
            let along = dot(&column, known);
            column.iter_mut().zip(known).for_each(|(c, k)| *c -= along * k);
        }
        let length = dot(&column, &column).sqrt();
        if length < 1e-6 {
            return None;
        }
        basis.push(column.iter().map(|c| c / length).collect());
        Some(length)
    };
    rest(vec![1.0; n]);
    for host in 0..shares[0].len() {
        rest(shares.iter().map(|own| own[host]).collect());
    }
    let length = rest((0..n).map(|i| if i < a.len() { 1.0 } else { 0.0 }).collect())?;
    let degrees = n.checked_sub(basis.len()).filter(|degrees| *degrees > 0)? as f64;
    let along: Vec<f64> = basis.iter().map(|own| dot(&y, own)).collect();
    let residual = (dot(&y, &y) - dot(&along, &along)).max(0.0);
    let log = along.last()? / length;
    let error = (residual / degrees).sqrt() / length;
    Some(Models::of((a, b), (log, error, degrees), searched))
}

/// The difference on each host that measured both; None with fewer than three of them.
fn of_common_hosts(a: &[OnHosts], b: &[OnHosts], searched: usize) -> Option<(Models, usize)> {
    let by_host = |all: &[OnHosts]| {
        let mut found: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (host, level) in all.iter().flat_map(|s| &s.levels) {
            found.entry(*host).or_default().push(level.ln());
        }
        found
    };
    let (of_a, of_b) = (by_host(a), by_host(b));
    let differences: Vec<f64> =
        of_a.iter().filter_map(|(host, own)| Some(mean(own) - mean(of_b.get(host)?))).collect();
    if differences.len() < FEWEST {
        return None;
    }
    let degrees = (differences.len() - 1) as f64;
    let error = (variance(&differences) / differences.len() as f64).sqrt();
    let found = Models::of((a, b), (mean(&differences), error, degrees), searched);
    Some((found, differences.len()))
}

/// The number of specimens of each of two models needed to show a `difference` (of logarithms)
/// between them in 90 of 100 briefs, by the interval of `models` at a single point: Student's t
/// with twice their number minus two degrees of freedom, whose power is the noncentral t's,
/// integrated over the estimate of the variance. `repeats` of each specimen; hosts are assumed to
/// be balanced. `None` if a thousand do not suffice.
pub fn needed(scatter: &Components, repeats: usize, difference: f64) -> Option<usize> {
    let of_repeats = scatter.repeats.map_or(0.0, |s| s * s / repeats.max(1) as f64);
    let variance = scatter.drives * scatter.drives + of_repeats;
    (FEWEST..=1_000).find(|n| power(variance, *n, difference) >= 0.9)
}

/// The power with `n` specimens of each model: the probability that t exceeds its limit.
fn power(variance: f64, n: usize, difference: f64) -> f64 {
    const STEPS: usize = 200;
    let degrees = 2.0 * (n as f64 - 1.0);
    let limit = t_reach(degrees, 0.05);
    // The difference in standard errors.
    let far = difference.abs() / (2.0 * variance.max(1e-18) / n as f64).sqrt();
    let (Ok(chi), Ok(normal)) = (ChiSquared::new(degrees), Normal::new(0.0, 1.0)) else {
        return 0.0;
    };
    let share = |i: usize| (i as f64 + 0.5) / STEPS as f64;
    let of = |i: usize| {
        let estimated = (chi.inverse_cdf(share(i)) / degrees).sqrt();
        normal.cdf(far - limit * estimated)
    };
    (0..STEPS).map(of).sum::<f64>() / STEPS as f64
}

/// Outlying specimens of a model: the mean of each is tested against the means of the rest, at 5 %
/// for all of them and for the `searched` models and points together. Requires four.
pub fn outlying(specimens: &[Vec<f64>], searched: usize) -> Vec<usize> {
    let all: Vec<(usize, f64)> =
        specimens.iter().enumerate().filter_map(|(i, s)| Some((i, logarithm(s)?))).collect();
    if all.len() <= FEWEST {
        return Vec::new();
    }
    let miss = 0.05 / (all.len() * searched.max(1)) as f64;
    let apart = |&(i, own): &(usize, f64)| {
        let rest: Vec<f64> = all.iter().filter(|(j, _)| *j != i).map(|(_, log)| *log).collect();
        let n = rest.len() as f64;
        // Rounding error between equal specimens is not scatter.
        let error = (variance(&rest) * (1.0 + 1.0 / n)).sqrt().max(1e-9);
        t_tail((own - mean(&rest)) / error, n - 1.0) < miss
    };
    all.iter().filter(|one| apart(one)).map(|(i, _)| *i).collect()
}

/// The specimens' mean logarithms.
fn levels(specimens: &[Vec<f64>]) -> Vec<f64> {
    specimens.iter().filter_map(|s| logarithm(s)).collect()
}

fn logarithm(repeats: &[f64]) -> Option<f64> {
    let usable = !repeats.is_empty() && repeats.iter().all(|v| v.is_finite() && *v > 0.0);
    usable.then(|| repeats.iter().map(|v| v.ln()).sum::<f64>() / repeats.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::{Rng, Seed};
    use crate::stats::level::geometric_mean;

    /// Eight drives with 2 % scatter, five repeats with 1 %.
    fn drives(rng: &mut Rng, level: f64) -> Vec<Vec<f64>> {
        let mut drive = || {
            let own = level * (0.02 * rng.normal()).exp();
            (0..5).map(|_| own * (0.01 * rng.normal()).exp()).collect()
        };
        (0..8).map(|_| drive()).collect()
    }

    #[test]
    fn models_that_are_alike_are_distinguished_in_at_most_5_of_100_and_5_percent_is_found() {
        let (mut false_claims, mut found, mut of_two_drives) = (0, 0, 0);
        // A drive's repeats treated as observations of its model.
        let alone = |drive: &Vec<f64>| drive.iter().map(|v| vec![*v]).collect::<Vec<_>>();
        for trial in 0..2_000 {
            let mut rng = Seed::new(5, 0, 0).at(trial);
            let (a, b, c) =
                (drives(&mut rng, 100.0), drives(&mut rng, 100.0), drives(&mut rng, 105.0));
            let claims = |m: Models| m.low > 1.0 || m.high < 1.0;
            false_claims += u32::from(models(&a, &b, 1).is_some_and(claims));
            found += u32::from(models(&c, &b, 1).is_some_and(|m| m.low > 1.0));
            let two = models(&alone(&a[0]), &alone(&b[0]), 1);
            of_two_drives += u32::from(two.is_some_and(claims));
        }
        let percent = |count: u32| f64::from(count) / 20.0;
        println!("false {} %, found {} %", percent(false_claims), percent(found));
        println!("false of one drive of each: {} %", percent(of_two_drives));
        assert!(of_two_drives > 1_000, "{of_two_drives} of 2,000");
        // 5 % of 2,000, plus chance.
        assert!(
            false_claims <= 135 && found >= 1_900,
            "{false_claims} false, {found} found of 2,000"
        );
    }

    /// A drive with 2 % scatter on hosts with 4 %, three repeats with 1 % on each.
    fn on_hosts(rng: &mut Rng, level: f64, hosts: &[(usize, f64)]) -> OnHosts {
        let own = level * (0.02 * rng.normal()).exp();
        let mut found = OnHosts { repeats: Vec::new(), levels: Vec::new() };
        for (host, effect) in hosts {
            let repeats: Vec<f64> =
                (0..3).map(|_| own * (effect + 0.01 * rng.normal()).exp()).collect();
            found.levels.push((*host, geometric_mean(&repeats)));
            found.repeats.extend(repeats);
        }
        found
    }

    /// False claims and intervals with the true ratio, in percent of 1,000 briefs, where drive
    /// `at` of model A or B is on the hosts that `of` names.
    fn of_briefs(drives: usize, hosts: usize, of: impl Fn(bool, usize) -> Vec<usize>) -> [f64; 2] {
        let (mut covered, mut found) = (0, 0);
        for trial in 0..1_000 {
            let mut rng = Seed::new(8, drives as u64, hosts as u64).at(trial);
            let effects: Vec<f64> = (0..hosts).map(|_| 0.04 * rng.normal()).collect();
            let mut of_model = |a: bool| -> Vec<OnHosts> {
                let own =
                    |at: usize| of(a, at).into_iter().map(|h| (h, effects[h])).collect::<Vec<_>>();
                (0..drives).map(|at| on_hosts(&mut rng, 100.0, &own(at))).collect()
            };
            let (a, b) = (of_model(true), of_model(false));
            let (ModelsOnHosts::Models(m) | ModelsOnHosts::TheseDrives(m, _)) =
                models_on_hosts(&a, &b, 1)
            else {
                panic!("not compared")
            };
            found += 1;
            covered += u32::from(m.low <= 1.0 && m.high >= 1.0);
        }
        [f64::from(found) / 10.0, f64::from(covered) / 10.0]
    }

    #[test]
    fn hosts_are_blocks_where_drives_and_hosts_cross() {
        type Place = fn(bool, usize) -> Vec<usize>;
        let designs: [(&str, usize, usize, Place); 4] = [
            ("both on each host", 8, 4, |_, at| vec![at % 4]),
            ("unequally often", 8, 2, |a, at| vec![usize::from((at == 0) == a)]),
            ("each drive on each host", 8, 4, |_, _| vec![0, 1, 2, 3]),
            ("each drive on two of four", 8, 4, |a, at| {
                vec![at % 4, (at + 1 + usize::from(a)) % 4]
            }),
        ];
        for (name, drives, hosts, of) in designs {
            let [compared, covered] = of_briefs(drives, hosts, of);
            println!("{name}: compared {compared} %, covered {covered} %");
            assert!(compared == 100.0 && covered >= 93.5, "{name}: {covered} %");
        }
    }

    #[test]
    fn models_on_hosts_of_their_own_are_not_compared() {
        let mut rng = Seed::new(9, 0, 0).at(0);
        let mut all = |host: usize, effect: f64| -> Vec<OnHosts> {
            (0..14).map(|_| on_hosts(&mut rng, 100.0, &[(host, effect)])).collect()
        };
        let (a, b) = (all(0, 0.0), all(1, 0.05));
        assert_eq!(models_on_hosts(&a, &b, 1), ModelsOnHosts::Confounded);
        assert_eq!(models_on_hosts(&a[..1], &b[..1], 1), ModelsOnHosts::Confounded);
    }

    #[test]
    fn two_drives_on_thirteen_hosts_have_a_ratio_with_the_hosts_as_its_observations() {
        let mut rng = Seed::new(10, 0, 0).at(0);
        let hosts: Vec<(usize, f64)> = (0..13).map(|host| (host, 0.04 * rng.normal())).collect();
        let (a, b) = (on_hosts(&mut rng, 100.0, &hosts), on_hosts(&mut rng, 105.0, &hosts));
        let truth = a.level() - b.level();
        let ModelsOnHosts::TheseDrives(found, 13) = models_on_hosts(&[a], &[b], 1) else {
            panic!("not compared")
        };
        assert!((found.ratio.ln() - truth).abs() < 1e-9);
        assert!(found.high / found.low < 1.03, "{found:?}");
    }

    #[test]
    fn a_specimen_that_lies_apart_is_named_and_others_are_not() {
        let (mut named, mut wrong) = (0, 0);
        for trial in 0..1_000 {
            let mut rng = Seed::new(6, 0, 0).at(trial);
            let mut all = drives(&mut rng, 100.0);
            wrong += u32::from(!outlying(&all, 1).is_empty());
            all[3].iter_mut().for_each(|v| *v *= 0.8);
            named += u32::from(outlying(&all, 1) == [3]);
        }
        println!("named {} %, wrong {} %", f64::from(named) / 10.0, f64::from(wrong) / 10.0);
        assert!(named >= 950 && wrong <= 75, "{named} named, {wrong} wrong of 1,000");
    }

    #[test]
    fn scatter_is_split_into_that_of_drives_and_that_of_repeats() {
        let (mut of_drives, mut of_repeats) = (0.0, 0.0);
        for trial in 0..400 {
            let mut rng = Seed::new(7, 0, 0).at(trial);
            let (a, b) = (drives(&mut rng, 100.0), drives(&mut rng, 140.0));
            let found = components(&[&a, &b]);
            of_drives += found.drives.powi(2) / 400.0;
            of_repeats += found.repeats.expect("five of each").powi(2) / 400.0;
        }
        let (of_drives, of_repeats) = (f64::sqrt(of_drives), f64::sqrt(of_repeats));
        assert!((of_drives - 0.02).abs() < 0.001, "{of_drives}");
        assert!((of_repeats - 0.01).abs() < 0.0005, "{of_repeats}");
        let once = [vec![1.0], vec![1.1], vec![1.2]];
        assert_eq!(components(&[&once]).repeats, None);
        assert_eq!(components(&[&[vec![2.0, 2.0], vec![2.0, 2.0]]]).drives, 0.0);
    }

    #[test]
    fn as_many_specimens_as_are_said_to_be_needed_find_the_difference_in_nine_of_ten() {
        let scatter = Components { drives: 0.02, repeats: Some(0.01) };
        let difference = f64::ln(1.05);
        let eight = needed(&scatter, 5, difference).expect("few enough");
        assert!((4..=8).contains(&eight), "{eight}");
        let mut found = 0;
        for trial in 0..1_000 {
            let mut rng = Seed::new(8, 0, 0).at(trial);
            let (a, b) = (drives(&mut rng, 105.0), drives(&mut rng, 100.0));
            let shown = models(&a[..eight], &b[..eight], 1).is_some_and(|m| m.low > 1.0);
            found += u32::from(shown);
        }
        // Welch's degrees of freedom are slightly fewer; above 90 % because the number of specimens
        // is whole.
        assert!((870..=990).contains(&found), "{found} of 1,000 with {eight}");
        assert!(needed(&scatter, 5, difference / 2.0) > Some(2 * eight), "half as large");
        assert_eq!(needed(&Components { drives: 1.0, repeats: None }, 1, 0.001), None);
    }

    #[test]
    fn two_specimens_say_nothing_of_a_model() {
        let three = vec![vec![1.0, 1.1], vec![1.2], vec![1.1, 1.0]];
        assert_eq!(models(&three, &three[..2], 1), None);
        assert_eq!(models(&three, &[three[..2].to_vec(), vec![vec![0.0]]].concat(), 1), None);
        assert!(models(&three, &three, 1).is_some_and(|m| (m.ratio - 1.0).abs() < 1e-12));
        assert_eq!(outlying(&three, 1), [] as [usize; 0]);
    }
}
