//! Why no subject can be ranked, with the remedy: every part of a brief states the cause itself.

use crate::analysis::comparability::caveats::Caveat;
use crate::analysis::comparison::{Comparison, Standing};
use crate::analysis::facts::{
    CellFacts, Facts, MeasuredFacts, ReportStatements, SetupFacts, StepFacts, Subjects,
};
use crate::analysis::keys::{StepKey, SubjectKey};
use crate::analysis::limits::bottleneck::{Bottleneck, BottleneckVerdict};
use crate::analysis::points::metric::MetricRequest;
use crate::brief::number_format;
use crate::brief::text::{bottleneck_text, published, wording};
use crate::language::Language;
use crate::{message, say};

/// Maximum number of causes listed.
const MOST: usize = 3;

/// Remedies that the brief contains already: each is printed once.
pub type SaidRemedies = Vec<String>;

/// A reason that rules out points, with all subjects that it affects, and its remedy.
struct BarringCause {
    fact: String,
    remedy: String,
}

/// Why nothing is claimed, and the remedy.
pub fn no_claim(l: Language, facts: &Facts, said: &mut SaidRemedies) -> String {
    let cells = || facts.measured.steps.iter().flat_map(|s| &s.cells);
    let measured = cells().filter(|c| c.total.is_some()).count();
    let verdicts: Vec<_> = cells().filter_map(CellFacts::not_the_drive).collect();
    let none_compared = facts.comparisons.all.is_empty();
    // Reasons that rule out a comparison precede those that would have made it a bound.
    let mut causes = if none_compared { all(l, facts, &|_| true) } else { Vec::new() };
    // One test of several that is not comparable does not bar the others.
    let steps = &facts.measured.steps;
    let bars = &facts.comparisons.barred;
    let is_barred = |step: &&StepFacts| bars.iter().any(|bar| bar.is_in(step.test, step.key));
    let mostly = facts.tests.len() < 2 || 2 * steps.iter().filter(is_barred).count() > steps.len();
    match facts.comparisons.barred.first().filter(|_| mostly || causes.is_empty()) {
        _ if measured == 0 => none_measured(l, &facts.subjects, &facts.measured),
        Some(bar) if none_compared => {
            let reason = wording::barred_by(l, &facts.subjects, bar);
            say!(l, "no-rank-barred", reason)
        }
        _ if !causes.is_empty() => {
            // The others are among the caveats.
            causes.truncate(1);
            say!(l, "no-rank-main", cause = wording::sentences(l, sentences(l, causes, said)))
        }
        _ if !none_compared && facts.comparisons.all.iter().all(|c| c.interval.is_none()) => {
            let given = |c: &Comparison| c.standing == Standing::SeparateRuns;
            match facts.comparisons.all.iter().any(given) {
                true => say!(l, "no-rank-separate-runs"),
                false => say!(l, "no-rank-order-not-given"),
            }
        }
        _ if 2 * verdicts.len() > measured => not_limited(l, &facts.measured, &verdicts),
        _ if none_compared && !facts.statements.metrics.is_empty() => {
            say!(l, "no-rank-not-comparable-in", metrics = asked(l, &facts.statements))
        }
        _ if none_compared && facts.setup.is_imported() => {
            let none = std::iter::once(say!(l, "published-not-compared"));
            wording::sentences(l, none.chain(published::apart(facts)))
        }
        _ if none_compared => say!(l, "no-rank-never-together"),
        _ => say!(l, "no-rank-chance"),
    }
}

/// Why two subjects are not compared in a step, one sentence for each cause.
pub fn of_pair(
    l: Language,
    facts: &Facts,
    step: StepKey,
    pair: (SubjectKey, SubjectKey),
    said: &mut SaidRemedies,
) -> Vec<String> {
    if let Some(bar) = facts.comparisons.bar(&facts.measured.steps[step], pair.0, pair.1) {
        return vec![wording::barred(l, &facts.subjects, &facts.measured, bar)];
    }
    let own = |at: &(StepKey, SubjectKey)| at.0 == step && (at.1 == pair.0 || at.1 == pair.1);
    sentences(l, all(l, facts, &own), said)
}

/// "A and B were not steady (…): run longer preconditioning.": without a remedy that is already
/// printed.
fn sentences(l: Language, causes: Vec<BarringCause>, said: &mut SaidRemedies) -> Vec<String> {
    let sentence = |BarringCause { fact, remedy }: BarringCause| {
        if said.contains(&remedy) {
            return wording::stopped(l, fact);
        }
        let sentence = say!(l, "cause-and-remedy", cause = fact, remedy = &remedy);
        said.push(remedy);
        wording::stopped(l, sentence)
    };
    causes.into_iter().map(sentence).collect()
}

/// If no point was completed: the cause of the first point's failure.
fn none_measured(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> String {
    let Some(f) = measured.failures.first() else {
        return say!(l, "no-rank-nothing-measured");
    };
    let first = say!(
        l,
        "failed-point",
        subject = &subjects[f.subject].name,
        step = &f.step,
        at = &f.at,
        repeat = f.repeat,
        cause = &f.cause
    );
    say!(l, "no-rank-none-measured", first = first)
}

/// Reasons that rule out the points of these places (step, subject), ordered by the number of
/// points: for each kind and subject the most severe, with the subjects of one kind together.
fn all(
    l: Language,
    facts: &Facts,
    wanted: &dyn Fn(&(StepKey, SubjectKey)) -> bool,
) -> Vec<BarringCause> {
    let steps = facts.measured.steps.iter();
    let cells: Vec<&CellFacts> = steps
        .flat_map(|step| step.cells.iter().filter(|c| wanted(&(step.key, c.subject))))
        .collect();
    let mut kinds: Vec<(Vec<Barring<'_>>, usize)> = Vec::new();
    for cell in &cells {
        for caveat in cell.caveats.iter().filter(|c| c.bars() && !c.is_few_repeats()) {
            let alike = |(own, _): &&mut (Vec<Barring<'_>>, usize)| own[0].is_alike(caveat);
            let own = Barring { subject: cell.subject, caveat };
            match kinds.iter_mut().find(alike) {
                Some((known, count)) => {
                    *count += 1;
                    worst(known, own);
                }
                None => kinds.push((vec![own], 1)),
            }
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut all: Vec<BarringCause> =
        kinds.iter().take(MOST).map(|(barring, _)| cause(l, facts, barring)).collect();
    let few = cells.iter().filter(|c| c.caveats.iter().any(Caveat::is_few_repeats)).count();
    let fact = match cells.len() {
        points if few > 0 && few == points => say!(l, "cause-few-repeats-all"),
        points if 2 * few > points => say!(l, "cause-few-repeats", count = few, points = points),
        _ => return all,
    };
    all.push(BarringCause { fact, remedy: say!(l, "remedy-few-repeats") });
    all
}

/// A reason that rules out a point, and its subject.
struct Barring<'a> {
    subject: SubjectKey,
    caveat: &'a Caveat,
}

impl Barring<'_> {
    /// Whether both are of one kind; for caveats of streams, of the same stream.
    fn is_alike(&self, other: &Caveat) -> bool {
        let stream = |caveat: &Caveat| match caveat {
            Caveat::BackgroundMissedRate(stream, _) => Some(stream.clone()),
            _ => None,
        };
        std::mem::discriminant(self.caveat) == std::mem::discriminant(other)
            && stream(self.caveat) == stream(other)
    }
}

/// Adds a reason; for each subject the most severe of a kind remains, in the order of the subjects.
fn worst<'a>(known: &mut Vec<Barring<'a>>, own: Barring<'a>) {
    match known.iter_mut().find(|known| known.subject == own.subject) {
        Some(known) if severity(own.caveat) > severity(known.caveat) => *known = own,
        Some(_) => {}
        None => known.push(own),
    }
    known.sort_by_key(|own| own.subject);
}

/// The deviation of a point from its specification: for each kind, the most severe is named.
fn severity(caveat: &Caveat) -> f64 {
    match caveat {
        Caveat::Drifted(percent) => percent.abs(),
        Caveat::MissedRate(kept) | Caveat::BackgroundMissedRate(_, kept) => -kept,
        Caveat::Late(share) => *share,
        _ => 0.0,
    }
}

/// A cause for these subjects, each with its figure in the subjects' order, and the remedy.
fn cause(l: Language, facts: &Facts, barring: &[Barring<'_>]) -> BarringCause {
    let subjects: Vec<String> =
        barring.iter().map(|own| facts.subjects[own.subject].name.clone()).collect();
    let subjects = l.list(&subjects);
    let each = |figure: &dyn Fn(&Caveat) -> Option<String>| {
        let mut all: Vec<String> = barring.iter().filter_map(|own| figure(own.caveat)).collect();
        if all.iter().all(|one| *one == all[0]) {
            all.truncate(1);
        }
        l.list(&all)
    };
    let shares =
        || each(&|caveat| share_of(caveat).map(|share| number_format::share_in_words(l, share)));
    let (fact, remedy) = match barring[0].caveat {
        Caveat::NotMeasured | Caveat::Failed(_) => {
            let why = l.clauses(&failures(l, &facts.measured, barring));
            let fact = say!(l, "cause-failed", subjects = subjects, why = why);
            (fact, say!(l, "remedy-failed"))
        }
        Caveat::NotSteady => {
            let why = l.clauses(&unsteady(l, &facts.setup, barring));
            let fact = say!(l, "cause-not-steady", subjects = subjects, why = why);
            (fact, say!(l, "remedy-not-steady"))
        }
        Caveat::NoFlush => (say!(l, "cause-no-flush", subjects), say!(l, "remedy-no-flush")),
        Caveat::Drifted(_) => {
            let percent = |caveat: &Caveat| match caveat {
                Caveat::Drifted(percent) => Some(number_format::signed_percent(l, *percent)),
                _ => None,
            };
            let change = each(&percent);
            let fact = say!(l, "cause-drifted", subjects = subjects, change = change);
            (fact, say!(l, "remedy-drifted"))
        }
        Caveat::MissedRate(_) => {
            let fact = say!(l, "cause-missed-rate", subjects = subjects, share = shares());
            (fact, say!(l, "remedy-missed-rate"))
        }
        Caveat::BackgroundMissedRate(stream, _) => {
            let share = shares();
            let fact = say!(
                l,
                "cause-stream-missed-rate",
                subjects = subjects,
                stream = stream,
                share = share
            );
            (fact, say!(l, "remedy-missed-rate"))
        }
        Caveat::Late(_) => {
            let fact = say!(l, "cause-late", subjects = subjects, share = shares());
            (fact, say!(l, "remedy-late-requests"))
        }
        // None of these rules out a point on its own.
        Caveat::FewRepeats(_)
        | Caveat::FewFigures(_)
        | Caveat::LittlesLaw(_)
        | Caveat::NotTheDrive(_) => (String::new(), String::new()),
    };
    BarringCause { fact, remedy }
}

/// The share of a rate or of the requests, if the caveat has one.
fn share_of(caveat: &Caveat) -> Option<f64> {
    match caveat {
        Caveat::MissedRate(share) | Caveat::BackgroundMissedRate(_, share) => Some(*share),
        Caveat::Late(share) => Some(*share),
        _ => None,
    }
}

/// Why the subjects' points failed, each reason once.
fn failures(l: Language, measured: &MeasuredFacts, barring: &[Barring<'_>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for own in barring {
        let first = measured.failures.iter().find(|f| f.subject == own.subject);
        let why = first.map_or_else(|| say!(l, "caveat-not-measured"), |f| f.cause.clone());
        if !all.contains(&why) {
            all.push(why);
        }
    }
    all
}

/// The amount by which the subjects' last rounds missed a rule: "excursion 151.7 % and 30.1 %, at
/// most 20.0 % is allowed".
fn unsteady(l: Language, setup: &SetupFacts, barring: &[Barring<'_>]) -> Vec<String> {
    let percent = |share: f64| number_format::share(l, share);
    // (rule, its limit, the subjects' figures)
    let mut rules: Vec<(bool, String, Vec<String>)> = Vec::new();
    let mut too_few = Vec::new();
    for own in barring {
        let states = setup.prepared.iter().filter(|p| p.subject == own.subject);
        let last = states.filter_map(|p| p.step.steady.as_ref()).rfind(|s| !s.reached());
        let Some(state) = last else { continue };
        let Some(window) = &state.window else {
            too_few.push(say!(l, "unsteady-too-few", rounds = state.rounds.len()));
            continue;
        };
        let excursion = window.excursion > state.rule.excursion;
        let (figure, limit) = match excursion {
            true => (window.excursion, state.rule.excursion),
            false => (window.slope, state.rule.slope),
        };
        let (figure, limit) = (percent(figure), percent(limit));
        match rules.iter_mut().find(|(rule, of, _)| *rule == excursion && *of == limit) {
            Some((.., figures)) => figures.push(figure),
            None => rules.push((excursion, limit, vec![figure])),
        }
    }
    too_few.dedup();
    let rule = |(excursion, allowed, figures): (bool, String, Vec<String>)| {
        let figures = l.list(&figures);
        match excursion {
            true => say!(l, "unsteady-excursion", excursion = figures, allowed = allowed),
            false => say!(l, "unsteady-slope", slope = figures, allowed = allowed),
        }
    };
    rules.into_iter().map(rule).chain(too_few).collect()
}

/// "The drive limited none of the 12 points; the host's processors limited 8, memory 4.", with the
/// remedy for the most frequent.
fn not_limited(l: Language, measured: &MeasuredFacts, verdicts: &[&BottleneckVerdict]) -> String {
    let of = |limit: Bottleneck| verdicts.iter().filter(|v| v.limit == limit).count();
    let most = verdicts.iter().max_by_key(|v| of(v.limit));
    let change =
        most.and_then(|v| bottleneck_text::remedy(v)).unwrap_or_else(|| message!("see-bottleneck"));
    let sum = bottleneck_text::limited(l, measured.steps.iter().flat_map(|s| &s.cells))
        .unwrap_or_default();
    let change = say!(l, "to-measure-the-drive", change = change);
    wording::sentences(l, [say!(l, "no-rank"), sum, wording::stopped(l, change)])
}

/// "reader-4:p99 and J/op"
fn asked(l: Language, statements: &ReportStatements) -> String {
    let of = |a: &MetricRequest| {
        a.part.as_ref().map_or(a.word.clone(), |part| format!("{part}:{}", a.word))
    };
    l.list(&statements.metrics.iter().map(of).collect::<Vec<_>>())
}
