//! The built-in recording: an hour of conversations, generated from a seed, with the statistics of
//! Mooncake's `conversation_trace.jsonl`.
//!
//! Qin et al., "Mooncake", FAST 2025, table of traces: 12,031 requests in an hour, 12,035 tokens of
//! input and 343 of output on average, 40 % of the blocks seen before. Times are multiples of 3 s,
//! and all prompts start with the same block, as in the published file. The parameters below were
//! fitted to these numbers; a unit test compares them.

use super::sessions::Sessions;
use dyno_core::base::rng::{Rng, Seed};

/// Tokens per block, as in the published file.
pub const TOKENS: u64 = 512;

const REQUESTS: u64 = 12_031;
const REQUESTS_PER_S: f64 = 3.4;
const STEP_NS: u64 = 3_000_000_000;
/// Number of tokens at the start of every prompt that all prompts share.
const SYSTEM_TOKENS: u64 = 890;
const MOST_TOKENS: u64 = 126_000;
/// The share of requests that continue a conversation.
const CONTINUES: f64 = 0.4;
/// Median and log-normal sigma of the tokens of a first prompt, a further prompt, and an answer.
const FIRST: (f64, f64) = (4_100.0, 1.4);
const FURTHER: (f64, f64) = (600.0, 1.2);
const ANSWER: (f64, f64) = (235.0, 0.9);

/// A conversation so far.
#[derive(Default)]
struct Conversation {
    input: u64,
    output: u64,
    blocks: Vec<u64>,
}

/// The recording, and the input and output tokens of its requests.
pub fn conversations(seed: u64) -> (Sessions, Vec<(u64, u64)>) {
    let (mut sessions, mut tokens) = (Sessions::default(), Vec::new());
    // The most recently continued conversation is last.
    let mut all: Vec<Conversation> = Vec::new();
    let (seed, mut at_s, mut next_block) = (Seed::new(seed, 0, 0), 0.0, 1);
    for n in 0..REQUESTS {
        let mut rng = seed.at(n);
        at_s += rng.exponential() / REQUESTS_PER_S;
        let mut own = match rng.unit() < CONTINUES && !all.is_empty() {
            true => all.remove(all.len() - age(&mut rng, all.len())),
            false => Conversation::default(),
        };
        let full = (own.input / TOKENS) as usize;
        let added = match full {
            0 => SYSTEM_TOKENS + log_normal(&mut rng, FIRST),
            _ => own.output + log_normal(&mut rng, FURTHER),
        };
        own.input = (own.input + added).min(MOST_TOKENS);
        own.output = log_normal(&mut rng, ANSWER).clamp(1, 2_000);
        own.blocks.truncate(full);
        if full == 0 {
            own.blocks.push(0);
        }
        while (own.blocks.len() as u64) < own.input.div_ceil(TOKENS) {
            own.blocks.push(next_block);
            next_block += 1;
        }
        let at_ns = (at_s * 1e9) as u64 / STEP_NS * STEP_NS;
        sessions.push(at_ns, own.blocks.iter().copied());
        tokens.push((own.input, own.output));
        all.push(own);
    }
    (sessions, tokens)
}

/// Age of the conversation to continue, as a number of conversations: its logarithm is uniform.
fn age(rng: &mut Rng, conversations: usize) -> usize {
    let age = (rng.unit() * (conversations as f64).ln()).exp() as usize;
    age.clamp(1, conversations)
}

fn log_normal(rng: &mut Rng, (median, sigma): (f64, f64)) -> u64 {
    (median * (sigma * rng.normal()).exp()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[track_caller]
    fn is_within(percent: f64, measured: f64, truth: f64) {
        assert!((measured / truth - 1.0).abs() <= percent / 100.0, "{measured} against {truth}");
    }

    #[test]
    fn the_recording_that_ships_has_the_published_statistics() {
        let (sessions, tokens) = conversations(1);
        let mean = |of: fn(&(u64, u64)) -> u64| {
            tokens.iter().map(of).sum::<u64>() as f64 / tokens.len() as f64
        };
        assert_eq!(sessions.len(), 12_031);
        is_within(5.0, mean(|(input, _)| *input), 12_035.0);
        is_within(5.0, mean(|(_, output)| *output), 343.0);
        let mut seen = HashSet::new();
        let again = sessions.blocks().iter().filter(|block| !seen.insert(**block)).count();
        is_within(5.0, again as f64 / sessions.blocks().len() as f64, 0.40);
        let last_ns = sessions.each().map(|(at_ns, _)| at_ns).max().unwrap();
        is_within(5.0, last_ns as f64 / 1e9, 3_540.0);
        assert!(sessions.each().all(|(at_ns, blocks)| at_ns % STEP_NS == 0 && blocks[0] == 0));
    }
}
