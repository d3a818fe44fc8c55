//! Verdicts on small tables that can be checked by hand, and properties of any table.

use proptest::prelude::*;

use super::*;

/// (subject, point, figure as printed).
fn table(rows: &[(&str, &str, &str)]) -> FigureTable {
    let mut table = FigureTable::default();
    for (subject, at, text) in rows {
        let of_subject = table.figures.entry(subject.to_string()).or_default();
        of_subject.insert(at.to_string(), PublishedFigure::printed(text).unwrap());
        if !table.points.iter().any(|p| p == at) {
            table.points.push(at.to_string());
        }
    }
    table
}

/// Latencies: A is 58.57 % (or, the other way round, 36.94 %) better than B at 96, and worse than C
/// at 128.
fn latencies() -> FigureTable {
    table(&[
        ("A", "96", "169"),
        ("B", "96", "268"),
        ("C", "96", "249"),
        ("A", "128", "417"),
        ("B", "128", "454"),
        ("C", "128", "399"),
    ])
}

fn amount(value: f64, kind: ComputedKind) -> Option<Amount> {
    Some(Amount::plain(value, 1.0, kind))
}

fn gain(value: f64) -> Option<Amount> {
    amount(value, ComputedKind::Relative(Formula::Gain))
}

/// A statement for A against B at 96; lower is better.
fn stated(amount: Option<Amount>) -> PublishedStatement {
    PublishedStatement {
        subject: "A".into(),
        amount,
        wording: Wording::Direction,
        towards: Better::Lower,
        must_equal: false,
        average: false,
        points: vec!["96".into()],
        names_points: true,
        every_point: true,
        several_points: false,
        rivals: vec!["B".into()],
        names_rivals: true,
        every_rival: true,
        up_to: false,
        better: Better::Lower,
        of_a_rival: false,
        as_change: false,
    }
}

/// A statement for A against all others at all points.
fn everywhere(amount: Option<Amount>) -> PublishedStatement {
    let points = vec!["96".into(), "128".into()];
    PublishedStatement { points, rivals: vec!["B".into(), "C".into()], ..stated(amount) }
}

#[track_caller]
fn verdict(stated: &PublishedStatement) -> AuditVerdict {
    judge(&latencies(), stated).verdict()
}

#[test]
fn one_pair_of_latencies_is_59_percent_by_one_formula_and_37_by_the_other() {
    let reduction = |value| stated(amount(value, ComputedKind::Relative(Formula::Reduction)));
    assert_eq!(verdict(&stated(gain(58.0))), AuditVerdict::Holds);
    assert_eq!(verdict(&stated(gain(59.0))), AuditVerdict::RoundedUp);
    assert_eq!(verdict(&reduction(36.0)), AuditVerdict::Holds);
    assert_eq!(verdict(&reduction(37.0)), AuditVerdict::RoundedUp);
    assert_eq!(verdict(&reduction(59.0)), AuditVerdict::WrongFormula);
    assert_eq!(verdict(&stated(gain(90.0))), AuditVerdict::Inflated);
}

#[test]
fn a_value_of_another_point_or_rival_is_found_there() {
    let at_128 = PublishedStatement { points: vec!["128".into()], ..stated(gain(58.0)) };
    assert_eq!(verdict(&at_128), AuditVerdict::WrongPoint);
    let against_c = PublishedStatement { rivals: vec!["C".into()], ..stated(gain(58.0)) };
    let judged = judge(&latencies(), &against_c);
    assert_eq!((judged.verdict(), judged.occurs.len()), (AuditVerdict::WrongRival, 1));
    assert_eq!(judged.occurs[0].0.against.as_ref().unwrap().0, "B");
}

#[test]
fn what_the_printed_figures_leave_open_is_not_called_false() {
    // 268 ÷ 169 may have been at most 268.5 ÷ 168.5 = 59.34 %.
    let tenths = |value| {
        let amount = Amount::plain(value, 0.1, ComputedKind::Relative(Formula::Gain));
        verdict(&stated(Some(amount)))
    };
    assert_eq!(
        (tenths(58.6), tenths(59.3), tenths(59.4)),
        (AuditVerdict::RoundedUp, AuditVerdict::MayHold, AuditVerdict::Inflated)
    );
}

#[test]
fn opposite_in_direction_is_inflated_at_one_place_and_contradicted_as_part_of_many() {
    let better =
        PublishedStatement { points: vec!["128".into()], rivals: vec!["C".into()], ..stated(None) };
    assert_eq!(verdict(&better), AuditVerdict::Inflated);
    let judged = judge(&latencies(), &everywhere(None));
    assert_eq!((judged.verdict(), judged.short.len()), (AuditVerdict::Contradicted, 1));
    assert_eq!(judged.short[0].at, "128");
    assert_eq!(verdict(&stated(None)), AuditVerdict::Holds);
}

#[test]
fn a_tie_is_no_better_and_is_not_called_worse() {
    let same = table(&[("A", "96", "110"), ("B", "96", "110")]);
    assert_eq!(judge(&same, &stated(None)).verdicts, [AuditVerdict::Tie]);
    // 8 may have been 7.6, and 7.7 is not better than that: printed as worse, but possible.
    let coarse = table(&[("A", "96", "7.7"), ("B", "96", "8")]);
    let higher =
        PublishedStatement { better: Better::Higher, towards: Better::Higher, ..stated(None) };
    assert_eq!(judge(&coarse, &higher).verdicts, [AuditVerdict::MayHold]);
}

#[test]
fn all_points_need_all_points() {
    let part = table(&[("A", "96", "169"), ("B", "96", "268"), ("A", "128", "417")]);
    let all = |stated: PublishedStatement| PublishedStatement {
        points: vec!["96".into(), "128".into()],
        ..stated
    };
    let judged = judge(&part, &all(stated(None)));
    assert_eq!((judged.verdict(), judged.missing.len()), (AuditVerdict::Incomplete, 1));
    let up_to = PublishedStatement {
        names_points: false,
        every_point: false,
        up_to: true,
        ..all(stated(gain(58.0)))
    };
    assert_eq!(
        judge(&part, &up_to).verdict(),
        AuditVerdict::Incomplete,
        "the maximum may be where nothing is"
    );
    let more = PublishedStatement { amount: gain(80.0), ..up_to.clone() };
    assert_eq!(
        judge(&part, &more).verdict(),
        AuditVerdict::Incomplete,
        "so may what is not reached"
    );
    let worse = table(&[("A", "96", "300"), ("B", "96", "268"), ("A", "128", "417")]);
    assert_eq!(
        judge(&worse, &all(stated(None))).verdict(),
        AuditVerdict::Inflated,
        "no further row can mend that"
    );
}

#[test]
fn all_points_are_not_shown_by_one() {
    let one = table(&[("A", "16", "110"), ("B", "16", "160")]);
    let at_16 = PublishedStatement { points: vec!["16".into()], ..stated(None) };
    let consistently = PublishedStatement { several_points: true, ..at_16.clone() };
    assert_eq!(judge(&one, &at_16).verdict(), AuditVerdict::Holds);
    assert_eq!(judge(&one, &consistently).verdict(), AuditVerdict::Incomplete);
    let worse = table(&[("A", "16", "170"), ("B", "16", "160")]);
    assert_eq!(judge(&worse, &consistently).verdict(), AuditVerdict::Inflated);
}

#[test]
fn one_figure_at_two_points_is_a_conflict_unless_the_data_settle_it() {
    let at = |point: &str, value| PublishedStatement {
        points: vec![point.into()],
        ..stated(gain(value))
    };
    let document = |table: &FigureTable, statements: &[PublishedStatement]| {
        let mut judged: Vec<Judgement> = statements.iter().map(|s| judge(table, s)).collect();
        let filed: Vec<Filed<'_>> =
            statements.iter().map(|stated| Filed { data: "d", metric: "p99_us", stated }).collect();
        same_figure_elsewhere(&filed, &mut judged);
        judged.into_iter().map(|j| (j.verdict(), j.elsewhere)).collect::<Vec<_>>()
    };
    let two = [at("8", 49.0), at("maximum", 49.0)];
    let found = document(&latencies(), &two);
    assert_eq!(found, [(AuditVerdict::Conflict, vec![1]), (AuditVerdict::Conflict, vec![0])]);
    let found = document(&latencies(), &[at("96", 58.0), at("128", 58.0)]);
    assert_eq!(found, [(AuditVerdict::Holds, vec![1]), (AuditVerdict::WrongPoint, vec![0])]);
    let other = document(&latencies(), &[at("8", 49.0), at("maximum", 48.0)]);
    assert_eq!(other[0], (AuditVerdict::CannotBeVerified, Vec::new()), "another figure");
    let both = table(&[("A", "8", "100"), ("B", "8", "149"), ("A", "9", "200"), ("B", "9", "298")]);
    let found = document(&both, &[at("8", 49.0), at("9", 49.0)]);
    assert_eq!(found[0], (AuditVerdict::Holds, Vec::new()), "it is 49 % at both");
}

#[test]
fn a_rival_that_is_not_there_leaves_it_incomplete() {
    let absent = PublishedStatement { rivals: vec!["D".into()], ..stated(None) };
    assert_eq!(verdict(&absent), AuditVerdict::Incomplete);
    let both = PublishedStatement { rivals: vec!["B".into(), "D".into()], ..stated(None) };
    assert_eq!(verdict(&both), AuditVerdict::Incomplete);
    let nobody = PublishedStatement { subject: "X".into(), ..stated(None) };
    assert_eq!(verdict(&nobody), AuditVerdict::CannotBeVerified);
}

#[test]
fn values_and_differences_are_judged_in_their_unit() {
    let cut = table(&[("A", "96", "110.9")]);
    let value = |v| judge(&cut, &stated(amount(v, ComputedKind::Value))).verdict();
    assert_eq!(
        (value(111.0), value(110.0), value(109.0)),
        (AuditVerdict::Holds, AuditVerdict::RoundedUp, AuditVerdict::Inflated)
    );
    let value = |v| verdict(&stated(amount(v, ComputedKind::Value)));
    assert_eq!(
        (value(169.0), value(170.0), value(168.0)),
        (AuditVerdict::Holds, AuditVerdict::Holds, AuditVerdict::MayHold)
    );
    assert_eq!((value(160.0), value(417.0)), (AuditVerdict::Inflated, AuditVerdict::Holds));
    let at_128 = PublishedStatement {
        points: vec!["128".into()],
        ..stated(amount(169.0, ComputedKind::Value))
    };
    assert_eq!(verdict(&at_128), AuditVerdict::WrongPoint);
    let difference = |v| verdict(&stated(amount(v, ComputedKind::Difference)));
    assert_eq!(
        (difference(99.0), difference(90.0), difference(108.0)),
        (AuditVerdict::Holds, AuditVerdict::Holds, AuditVerdict::Inflated)
    );
    let of_a_rival = |v| {
        let of_b = PublishedStatement {
            subject: "B".into(),
            of_a_rival: true,
            ..stated(amount(v, ComputedKind::Value))
        };
        verdict(&of_b)
    };
    assert_eq!(
        (of_a_rival(268.0), of_a_rival(260.0), of_a_rival(300.0)),
        (AuditVerdict::Holds, AuditVerdict::Holds, AuditVerdict::Inflated)
    );
}

#[test]
fn a_bound_is_not_rounded() {
    let twice =
        table(&[("A", "96", "100"), ("B", "96", "200"), ("A", "128", "100"), ("B", "128", "230")]);
    let bound = |value, bound, at: &str| {
        let factor = Amount::plain(value, 1.0, ComputedKind::Relative(Formula::Factor));
        let amount = Some(Amount { bound, ..factor });
        judge(&twice, &PublishedStatement { points: vec![at.into()], ..stated(amount) }).verdict()
    };
    assert_eq!(bound(2.0, Bound::AtLeast, "96"), AuditVerdict::Holds);
    assert_eq!(
        bound(2.0, Bound::MoreThan, "96"),
        AuditVerdict::MayHold,
        "200 ÷ 100 is 2, or a little more"
    );
    assert_eq!(bound(2.0, Bound::MoreThan, "128"), AuditVerdict::Holds);
    assert_eq!(bound(3.0, Bound::MoreThan, "128"), AuditVerdict::Inflated);
    let exact = PublishedFigure::exact;
    let mut measured = twice.clone();
    measured.figures.get_mut("A").unwrap().insert("96".into(), exact(100.0));
    measured.figures.get_mut("B").unwrap().insert("96".into(), exact(200.0));
    let factor = Amount::plain(2.0, 1.0, ComputedKind::Relative(Formula::Factor));
    let amount = Amount { bound: Bound::MoreThan, ..factor };
    let judged = judge(&measured, &stated(Some(amount)));
    assert_eq!(
        judged.verdict(),
        AuditVerdict::WrongPoint,
        "exactly 2 is not more than 2, which it is at 128"
    );
}

/// Judges statements of one document with the latencies.
fn document(statements: &[PublishedStatement]) -> Vec<Vec<AuditVerdict>> {
    let mut judged: Vec<Judgement> = statements.iter().map(|s| judge(&latencies(), s)).collect();
    let filed: Vec<Filed<'_>> =
        statements.iter().map(|stated| Filed { data: "d", metric: "p99_us", stated }).collect();
    contradictions(&filed, &mut judged);
    judged.into_iter().map(|j| j.verdicts).collect()
}

#[test]
fn two_statements_that_cannot_both_be_true_contradict_each_other() {
    use AuditVerdict::*;
    let of = |value| stated(gain(value));
    assert_eq!(document(&[of(59.0), of(58.0)]), [[RoundedUp], [Holds]], "rounded and cut off");
    assert_eq!(document(&[of(59.0), of(80.0)]), [vec![RoundedUp], vec![Inflated, Contradicted]]);
    assert_eq!(
        document(&[of(70.0), of(80.0)]),
        [[Inflated, Contradicted], [Inflated, Contradicted]]
    );
    assert_eq!(
        document(&[of(20.0), of(58.0)]),
        [[Contradicted], [Holds]],
        "both are reached, and one is said"
    );
    let least = Some(Amount { bound: Bound::AtLeast, ..gain(20.0).unwrap() });
    assert_eq!(document(&[stated(least), of(58.0)]), [[Holds], [Holds]], "a bound leaves room");
    let reduction = stated(amount(36.0, ComputedKind::Relative(Formula::Reduction)));
    assert_eq!(
        document(&[reduction, of(58.0)]),
        [[Holds], [Holds]],
        "the same pair by two formulas"
    );
    let rival =
        PublishedStatement { subject: "B".into(), rivals: vec!["A".into()], ..stated(None) };
    assert_eq!(document(&[rival, stated(None)]), [vec![Inflated, Contradicted], vec![Holds]]);
    let difference = stated(amount(99.0, ComputedKind::Difference));
    let rival =
        PublishedStatement { subject: "B".into(), rivals: vec!["A".into()], ..stated(gain(5.0)) };
    assert_eq!(
        document(&[difference, rival])[1],
        [Inflated, Contradicted],
        "a difference has a direction"
    );
    let any = PublishedStatement { every_point: false, every_rival: false, ..everywhere(None) };
    let up_to = |value| PublishedStatement {
        names_points: false,
        up_to: true,
        amount: gain(value),
        ..any.clone()
    };
    assert_eq!(document(&[up_to(58.0), up_to(40.0)]), [[Holds], [Contradicted]], "one maximum");
    assert_eq!(
        document(&[up_to(40.0), of(58.0)]),
        [[Contradicted], [Holds]],
        "beyond its own maximum"
    );
}

#[test]
fn figures_are_plain_decimal_numbers() {
    let of = |text| PublishedFigure::printed(text).map(|f| (f.low, f.value, f.high));
    assert_eq!((of("110"), of("7.5")), (Some((109.5, 110.0, 110.5)), Some((7.45, 7.5, 7.55))));
    for text in [
        "",
        "-",
        ".",
        "1.",
        ".5",
        "1e5",
        "NaN",
        "inf",
        "1,000",
        "0x10",
        "12345678901234567",
        "1 0",
        "+1",
    ] {
        assert_eq!(of(text), None, "{text}");
    }
}

/// A true pair, the decimals of the table, and those of the statement.
fn pairs() -> impl Strategy<Value = (f64, f64, usize, usize, Better, Formula)> {
    let formula = prop::sample::select(Formula::ALL.to_vec());
    let better = prop::sample::select(vec![Better::Higher, Better::Lower]);
    // The subject is better by a tenth or more, so that a statement about it is meaningful.
    (50.0f64..1e5, 1.1f64..5.0, 0usize..3, 0usize..3, better, formula).prop_map(
        |(low, times, printed, said, better, formula)| match better {
            Better::Higher => (low * times, low, printed, said, better, formula),
            Better::Lower => (low, low * times, printed, said, better, formula),
        },
    )
}

fn printed_pair(own: f64, other: f64, decimals: usize) -> FigureTable {
    table(&[("A", "96", &format!("{own:.decimals$}")), ("B", "96", &format!("{other:.decimals$}"))])
}

proptest! {
    #[test]
    fn a_statement_of_the_true_figures_rounded_or_cut_off_is_never_accused(
        (own, other, printed, said, better, formula) in pairs(), half_up: bool, kind in 0usize..4
    ) {
        let relative = ComputedKind::Relative(formula);
        let share = ComputedKind::Share(true);
        let kind = [relative, ComputedKind::Difference, ComputedKind::Value, share][kind];
        let times = if better == Better::Higher { own / other } else { other / own };
        let value = match kind {
            ComputedKind::Relative(formula) => formula.of(times),
            ComputedKind::Difference => (own - other).abs(),
            ComputedKind::Value => own,
            ComputedKind::Share(_) => own / other * 100.0,
        };
        let unit = 0.1f64.powi(said as i32);
        let rounded = (value / unit + if half_up { 0.5 } else { 0.0 }).floor() * unit;
        let amount = Some(Amount::plain(rounded, unit, kind));
        let statement = PublishedStatement { better, towards: better, ..stated(amount) };
        let found = judge(&printed_pair(own, other, printed), &statement);
        prop_assert!(found.verdict().is_fine(), "{rounded} of {value}: {:?}", found.verdicts);
    }

    #[test]
    fn a_statement_beyond_the_range_by_more_than_a_unit_never_holds(
        (own, other, printed, said, better, formula) in pairs(), beyond in 1.01f64..50.0
    ) {
        let table = printed_pair(own, other, printed);
        let relative = ComputedKind::Relative(formula);
        let cell = table.cell("A", Some("B"), "96", relative, better).unwrap();
        let unit = 0.1f64.powi(said as i32);
        let (_, high) = cell.range(ComputedKind::Relative(formula)).unwrap();
        let value = high + beyond * unit;
        let kind = ComputedKind::Relative(formula);
        let amount = Some(Amount::plain(value, unit, kind));
        let of = PublishedStatement { better, towards: better, ..stated(amount) };
        let found = judge(&table, &of);
        let by_chance = found.occurs.first().is_some_and(|(_, found)| *found != kind);
        let expected = match (by_chance, found.power) {
            (true, _) => AuditVerdict::WrongFormula,
            (false, Some(_)) => AuditVerdict::Units,
            (false, None) => AuditVerdict::Inflated,
        };
        prop_assert_eq!(found.verdicts, vec![expected]);
    }

    #[test]
    fn the_range_of_printed_figures_holds_the_true_value(
        (own, other, printed, _, better, formula) in pairs()
    ) {
        let times = if better == Better::Higher { own / other } else { other / own };
        let table = printed_pair(own, other, printed);
        let relative = ComputedKind::Relative(formula);
        let cell = table.cell("A", Some("B"), "96", relative, better).unwrap();
        let (low, high) = cell.range(ComputedKind::Relative(formula)).unwrap();
        let value = formula.of(times);
        prop_assert!(low - 1e-9 <= value && value <= high + 1e-9, "{value} in {low} to {high}");
    }
}
