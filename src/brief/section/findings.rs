//! All claims: what may be claimed, strongest first, for each subject.

use super::Section;
use crate::analysis::claims::{self, Claim};
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Line, Table, plain, strong};
use crate::brief::{caveat_text, lead, published, wording};
use crate::say;

/// The claims of each subject.
pub const SECTION: Section =
    Section { id: "findings", title: |l| say!(l, "section-findings"), appendix: true, blocks };

/// Claims for each subject; the steps' own tables have all.
const MOST: usize = 6;

const HOW: &str = "A claim is made only where the simultaneous 95 % interval excludes “no \
difference”: the probability that any claim of this brief is false is at most 5 %. Of several \
points that show the same, the one with the strongest lower bound is named. Numbers are rounded \
towards the weaker claim. Points with a caveat support none.";

fn blocks(facts: &Facts) -> Vec<Block> {
    if facts.subjects.len() < 2 {
        return Vec::new();
    }
    if let Some(rows) = published::rows(facts) {
        let rows = rows.into_iter().map(Vec::from).collect();
        return vec![Block::text(published::HOW), Table::of(8, &published::HEAD, rows).block()];
    }
    let mut out: Vec<Block> = Vec::new();
    out.extend(facts.barred.iter().map(|bar| Block::text(wording::barred(facts, bar))));
    let found = claims::all(facts);
    if found.is_empty() {
        out.push(Block::text(lead::no_claim(facts)));
    } else {
        by_subject(facts, &found, &mut out);
        let crossovers = claims::crossovers(facts);
        out.extend(
            crossovers
                .iter()
                .map(|own| Block::text(format!("{}.", wording::crossover(facts, own)))),
        );
        out.push(Block::note(HOW));
    }
    let caveats = caveat_text::caveats(facts).len();
    if caveats > 0 {
        out.push(Block::note(format!("Caveats noted: {caveats}; the section Caveats lists them.")));
    }
    out
}

/// Each subject's claims.
fn by_subject(facts: &Facts, found: &[Claim<'_>], out: &mut Vec<Block>) {
    for (subject, name) in facts.subjects.iter().enumerate() {
        let own: Vec<&Claim<'_>> =
            found.iter().filter(|c| c.comparison.better == subject).collect();
        out.push(Block::chapter(format!("Claims for {name}")));
        if own.is_empty() {
            out.push(Block::text("None."));
            continue;
        }
        let claim = |claim: &&Claim<'_>| -> Line {
            let (said, basis) = wording::claim(facts, claim);
            [vec![strong(said)], plain(format!(" ({basis})"))].concat()
        };
        out.push(Block::List(own.iter().take(MOST).map(claim).collect()));
        if own.len() > MOST {
            out.push(Block::note(format!(
                "{} weaker ones are in the tables of the steps.",
                own.len() - MOST
            )));
        }
    }
}
