//! The cost of writes: write amplification by the drives' own counters, life at this load, energy
//! and money. docs/write-cost.md has the formulas.

use crate::analysis::facts::{CellCost, CellFacts, Facts, ReportStatements, StepFacts, Subjects};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE, decimal};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, in_unit, texts};
use crate::chart::step::name;
use crate::chart::{self, StepDrawing};
use crate::language::Language;
use crate::say;
use dyno_core::record::gauge::written::CounterSource;
use dyno_core::stats::amplification::{COARSEST, LEAST_FILLS, NotMeasured};

/// Write amplification, life and cost.
pub const SECTION: Section = Section::appendix(
    "write-cost",
    |l| say!(l, "section-write-cost"),
    SectionBlocks::Whole(blocks),
);

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, statements, measured, comparisons, .. } = facts;
    let mut out = Vec::new();
    for step in &measured.steps {
        let tables = [
            amplification(l, subjects, step),
            life_table(l, subjects, statements, step),
            cost(l, subjects, statements, step),
        ];
        if tables.iter().all(Option::is_none) {
            continue;
        }
        out.push(Block::chapter(step.title.text(l)));
        let drawing = StepDrawing::of(l, subjects, comparisons, step);
        out.extend(Block::figures(chart::choice::beside(SECTION.id, &drawing)));
        out.extend(tables.into_iter().flatten().map(Table::block));
        let reasons = reasons(l, subjects, step);
        out.extend((!reasons.is_empty()).then(|| Block::list(reasons)));
    }
    if !out.is_empty() {
        let how = say!(
            l,
            "write-cost-how",
            fills = decimal(l, LEAST_FILLS, 0),
            coarsest = number_format::share(l, COARSEST)
        );
        out.insert(0, Block::note(how));
        out.extend(formulas(l, statements));
    }
    out
}

/// Bytes of each layer, and the drive's write amplification.
fn amplification(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<Table> {
    let row = |cell: &CellFacts| {
        let (writes, layers) = (cell.writes.as_ref()?, cell.cost.layers.as_ref()?);
        let (waf, spread) = match &writes.amplification {
            Ok((found, _)) => (decimal(l, found.value, 2), number_format::spread(l, Some(found))),
            Err(_) => (say!(l, "not-measured"), NONE.to_string()),
        };
        let parts: f64 = layers.parts.iter().map(|(_, bytes)| bytes).sum();
        let of_engine = (!layers.parts.is_empty()).then_some(parts);
        let mut row = texts([step.values[cell.value].text(l), name(subjects, cell)]);
        let of_layers = [layers.user, of_engine, layers.kernel, layers.host, layers.media];
        row.extend(of_layers.map(TableCell::volume));
        row.push(TableCell::fixed(writes.counted_s()));
        row.extend(texts([
            waf,
            spread,
            cell.cost
                .fills
                .map_or(NONE.to_string(), |n| say!(l, "times", factor = decimal(l, n, 2))),
            writes.source().map_or(NONE.to_string(), |source| counter(l, source)),
        ]));
        Some((Mark::None, row))
    };
    let rows: Vec<_> = step.cells.iter().filter_map(row).collect();
    let head = [
        step.axis_text(l),
        say!(l, "column-subject"),
        say!(l, "layer-application"),
        say!(l, "column-engine-wrote"),
        say!(l, "column-host-by-kernel"),
        say!(l, "column-host-by-drive"),
        say!(l, "layer-media"),
        say!(l, "column-counted-seconds"),
        "WAF".to_string(),
        "±".to_string(),
        say!(l, "column-of-capacity"),
        say!(l, "column-counted-by"),
    ];
    (!rows.is_empty()).then(|| Table::measured(l, 2, &head, rows))
}

fn counter(l: Language, source: CounterSource) -> String {
    match source {
        CounterSource::Fdp => say!(l, "counter-fdp"),
        CounterSource::Ocp => say!(l, "counter-ocp"),
        CounterSource::Instrument => say!(l, "counter-instrument"),
        CounterSource::Vendor => say!(l, "counter-vendor"),
        CounterSource::Group => say!(l, "counter-group"),
    }
}

/// The reason for each cell without a measured write amplification.
fn reasons(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    let line = |cell: &CellFacts| {
        let writes = cell.writes.as_ref().filter(|_| cell.cost.layers.is_some())?;
        let why = reason(l, *writes.amplification.as_ref().err()?);
        let at = step.values[cell.value].text(l);
        let subject = name(subjects, cell);
        let place = if at.is_empty() { subject } else { l.sequence(&[subject, at]) };
        Some(say!(l, "not-measured-because", place = place, why = why))
    };
    step.cells.iter().filter_map(line).collect()
}

fn reason(l: Language, why: NotMeasured) -> String {
    match why {
        NotMeasured::NotRead => say!(l, "waf-not-read"),
        NotMeasured::NoMediaCount => say!(l, "waf-no-media-count"),
        NotMeasured::NotOnEveryDrive => say!(l, "waf-not-on-every-drive"),
        NotMeasured::Fell => say!(l, "waf-fell"),
        NotMeasured::StoodStill => say!(l, "waf-stood-still"),
        NotMeasured::NoCapacity => say!(l, "waf-no-capacity"),
        NotMeasured::TooLittle(fills) => {
            let least = decimal(l, LEAST_FILLS, 0);
            say!(l, "waf-too-little", fills = decimal(l, fills, 3), least = least)
        }
        NotMeasured::TooCoarse(open) => {
            say!(l, "waf-too-coarse", open = number_format::share(l, open))
        }
    }
}

/// Drive writes per day and years for each load that writes, if a drive's capacity is known.
fn life_table(
    l: Language,
    subjects: &Subjects,
    statements: &ReportStatements,
    step: &StepFacts,
) -> Option<Table> {
    let row = |cell: &CellFacts| {
        let stated = statements.of_drives(&subjects[cell.subject]);
        let own = cell.cost.life.as_ref()?;
        own.drive_writes_per_day?;
        let mut row = texts([step.values[cell.value].text(l), name(subjects, cell)]);
        row.extend([
            TableCell::fixed(own.host_bytes_per_s / 1e6),
            TableCell::fixed(own.drive_writes_per_day),
            TableCell::fixed(stated.and_then(|own| own.drive_writes_per_day()))
                .marked(OF_DATA_SHEET),
            TableCell::volume(own.rated_bytes).marked(OF_DATA_SHEET),
            TableCell::fixed(own.years),
        ]);
        Some((Mark::None, row))
    };
    let rows: Vec<_> = step.cells.iter().filter_map(row).collect();
    let head = [
        step.axis_text(l),
        say!(l, "column-subject"),
        say!(l, "column-written-mb"),
        say!(l, "column-load-dwpd"),
        say!(l, "column-rated-dwpd"),
        say!(l, "column-rated-writes"),
        say!(l, "column-years"),
    ];
    (!rows.is_empty()).then(|| Table::measured(l, 2, &head, rows))
}

/// Marks values from a data sheet or a price list, which are not measured.
const OF_DATA_SHEET: &str = " *";

/// Energy and money for the work of each cell.
fn cost(
    l: Language,
    subjects: &Subjects,
    statements: &ReportStatements,
    step: &StepFacts,
) -> Option<Table> {
    let writes = step.cells.iter().any(|cell| cell.cost.layers.is_some());
    let priced = |cell: &CellFacts| {
        statements.of_drives(&subjects[cell.subject]).is_some_and(|s| s.price.is_some())
    };
    if !writes && !step.cells.iter().any(priced) {
        return None;
    }
    let row = |cell: &CellFacts| {
        let CellCost { joules_per_tb, idle_watts, per_thousand_iops, per_tb_written, .. } =
            cell.cost;
        let (energy, money) = ([joules_per_tb, idle_watts], [per_thousand_iops, per_tb_written]);
        let price = statements.of_drives(&subjects[cell.subject]).and_then(|s| s.price.as_ref());
        let currency = price.map_or("", |price| price.currency.as_str());
        let mark = format!(" {currency}{OF_DATA_SHEET}");
        energy.iter().chain(&money).any(Option::is_some).then(|| {
            let mut row = texts([step.values[cell.value].text(l), name(subjects, cell)]);
            row.extend(energy.map(TableCell::fixed));
            row.extend(money.map(|amount| TableCell::fixed(amount).marked(&mark)));
            (Mark::None, row)
        })
    };
    let rows: Vec<_> = step.cells.iter().filter_map(row).collect();
    let head = [
        step.axis_text(l),
        say!(l, "column-subject"),
        say!(l, "column-joules-per-tb"),
        in_unit(l, &say!(l, "column-idle"), "W"),
        say!(l, "column-price-per-iops"),
        say!(l, "column-price-per-tb-written"),
    ];
    (!rows.is_empty()).then(|| Table::measured(l, 2, &head, rows))
}

/// The formulas of the figures, with the sources of specifications.
fn formulas(l: Language, statements: &ReportStatements) -> Vec<Block> {
    let mut lines = vec![
        say!(l, "formula-waf"),
        say!(l, "formula-waterfall"),
        say!(l, "formula-dwpd"),
        say!(l, "formula-years"),
        say!(l, "formula-joules-per-tb"),
        say!(l, "formula-price"),
    ];
    for (subject, own) in &statements.specifications {
        lines.extend(
            own.source
                .iter()
                .map(|source| say!(l, "data-sheet-of", subject = subject, source = source)),
        );
    }
    vec![Block::part(say!(l, "formulas")), Block::list(lines)]
}
