//! All claims, strongest first, for each subject.

use super::{Section, SectionBlocks};
use crate::analysis::comparison::Claim;
use crate::analysis::facts::{Comparisons, Facts, MeasuredFacts, Subjects};
use crate::brief::block::{Block, TextLine, plain, strong};
use crate::brief::text::{bottleneck_text, caveat_text, wording};
use crate::language::Language;
use crate::say;

/// The claims of each subject.
pub const SECTION: Section =
    Section::appendix("findings", |l| say!(l, "section-findings"), SectionBlocks::Whole(blocks));

/// Claims for each subject; the steps' tables contain all.
const MOST: usize = 6;

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    if facts.subjects.len() < 2 {
        return Vec::new();
    }
    // The first page says why nothing is claimed.
    if facts.comparisons.claims.is_empty() {
        return Vec::new();
    }
    let Facts { subjects, statements, measured, comparisons, .. } = facts;
    let barred = wording::not_comparable(l, subjects, measured, comparisons);
    let mut out: Vec<Block> = barred.into_iter().map(Block::text).collect();
    by_subject(l, subjects, measured, comparisons, &mut out);
    let crossovers = comparisons.crossovers.iter();
    out.extend(crossovers.map(|own| {
        Block::text(wording::stopped(l, wording::crossover(l, subjects, measured, own)))
    }));
    out.push(Block::note(say!(l, "findings-how")));
    let why = bottleneck_text::evidence;
    let caveats = caveat_text::caveats(l, subjects, statements, measured, why).len();
    if caveats > 0 {
        out.push(Block::note(say!(l, "caveats-noted", count = caveats)));
    }
    out
}

/// Each subject's claims.
fn by_subject(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
    out: &mut Vec<Block>,
) {
    // The brief's subject comes first.
    for subject in [subjects.headline].into_iter().chain(subjects.rivals()) {
        let name = &subjects[subject].name;
        let own = comparisons.claims.iter().filter(|c| c.comparison.better == subject);
        let own: Vec<&Claim> = own.collect();
        out.push(Block::chapter(say!(l, "claims-for", subject = name)));
        if own.is_empty() {
            out.push(Block::text(say!(l, "claims-none")));
            continue;
        }
        let claim = |claim: &&Claim| -> TextLine {
            let (said, basis) =
                wording::claim(l, subjects, &measured.steps[claim.comparison.step], claim);
            [vec![strong(said)], plain(say!(l, "aside", what = basis))].concat()
        };
        out.push(Block::List(own.iter().take(MOST).map(claim).collect()));
        if own.len() > MOST {
            out.push(Block::note(say!(l, "claims-weaker", count = own.len() - MOST)));
        }
    }
}
