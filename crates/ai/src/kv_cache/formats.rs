//! Recordings of requests to language models: JSON lines as written by Mooncake, LMCache and Qwen's
//! Bailian service, CSV as written by BurstGPT and LMCache. docs/kv-cache.md lists units and
//! sources.

use std::path::Path;

use serde::Deserialize;

use super::sessions::Sessions;
use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::mix;
use dyno_core::base::text::visible;
use dyno_trace::Refusals;
use dyno_trace::formats::each_line;

/// Maximum length of a line, bytes: 100,000 blocks.
const LONGEST: usize = 1 << 20;
/// Maximum number of blocks of a recording: 2 GiB of memory.
const MOST_BLOCKS: usize = 1 << 28;
/// Maximum number of tokens of a request.
const MOST_TOKENS: u64 = 1 << 30;

/// A request of a Mooncake recording.
#[derive(Deserialize)]
struct MooncakeRequest {
    /// Milliseconds; other tools write decimals.
    timestamp: f64,
    hash_ids: Vec<u64>,
}

/// A lookup of an LMCache server (`--lookup-hash-log-dir`).
#[derive(Deserialize)]
struct LmcacheLookup {
    /// Seconds since 1970.
    timestamp: f64,
    /// Tokens per chunk.
    chunk_size: u64,
    /// Hashes of the full chunks of the prompt.
    chunk_hashes: Vec<String>,
}

/// A request of Qwen's Bailian service, which has the turns of chats.
#[derive(Deserialize)]
struct BailianRequest {
    /// Seconds since the start of the recording.
    timestamp: f64,
    #[serde(rename = "parent_chat_id")]
    _parent: i64,
    hash_ids: Vec<u64>,
}

/// Tokens of a block of Bailian's recordings.
const BAILIAN_TOKENS: u64 = 16;

/// Names of the columns of a format: the time in seconds, the session, the tokens of the prompt and
/// of the answer.
type ColumnNames = [&'static str; 4];

/// Columns of BurstGPT, and of LMCache's benchmark `multi-round-qa`.
const COLUMN_NAMES: [ColumnNames; 2] = [
    ["Timestamp", "Session ID", "Request tokens", "Response tokens"],
    ["launch_time", "user_id", "prompt_tokens", "generation_tokens"],
];

/// The columns of a CSV, by their names in its first line.
struct RequestColumns {
    time: usize,
    session: Option<usize>,
    input: usize,
    output: usize,
}

/// The part of a recording that has been read.
#[derive(Default)]
struct RecordingText {
    sessions: Sessions,
    refusals: Refusals,
    /// Columns of a CSV; None for JSON lines.
    columns: Option<RequestColumns>,
    lines: u64,
}

impl AsMut<Refusals> for RecordingText {
    fn as_mut(&mut self) -> &mut Refusals {
        &mut self.refusals
    }
}

impl RecordingText {
    /// Parses a line; returns the reason if it is not a request. The first line determines the
    /// format.
    fn take(&mut self, line: &str, tokens: u64) -> Option<String> {
        self.lines += 1;
        if self.lines == 1 {
            self.columns = RequestColumns::of(line);
            if self.columns.is_some() {
                return None;
            }
        }
        let taken = match &self.columns {
            Some(columns) => columns.take(line, tokens, self.lines - 1, &mut self.sessions),
            None => json(line, tokens, &mut self.sessions),
        };
        taken.err()
    }
}

/// Reads a recording. `tokens` is the number of tokens per block if the recording does not define
/// it.
pub fn read(path: &Path, tokens: u64) -> Result<Sessions> {
    let mut text = RecordingText::default();
    each_line(path, LONGEST, &mut text, |line, text: &mut RecordingText| {
        let refused = text.take(line.trim(), tokens);
        match text.sessions.blocks().len() > MOST_BLOCKS {
            true => Err(failed(
                format!("{} has more than {MOST_BLOCKS} blocks", path.display()),
                "replay a part of it",
            )),
            false => Ok(refused),
        }
    })?;
    let RecordingText { sessions, refusals, lines, .. } = text;
    refusals.note(path, sessions.len() as u64);
    if lines == 0 && refusals.count == 0 {
        return Err(failed(
            format!("the recording {} is empty", path.display()),
            "check that it was copied",
        ));
    }
    if sessions.blocks().is_empty() {
        return Err(failed(
            format!("{} has no request in a format that Dyno knows", path.display()),
            "docs/kv-cache.md describes those of Mooncake, BurstGPT, LMCache and Bailian",
        ));
    }
    Ok(sessions.sorted())
}

fn json(line: &str, tokens: u64, sessions: &mut Sessions) -> Result<(), String> {
    if let Ok(lookup) = serde_json::from_str::<LmcacheLookup>(line) {
        return lookup.take(tokens, sessions);
    }
    // Its times are seconds, and Mooncake's milliseconds.
    if let Ok(request) = serde_json::from_str::<BailianRequest>(line) {
        if tokens != BAILIAN_TOKENS {
            return Err(format!(
                "its blocks have {BAILIAN_TOKENS} tokens, not {tokens}: set tokens = \
                 {BAILIAN_TOKENS}"
            ));
        }
        sessions.push(in_ns(request.timestamp)?, request.hash_ids);
        return Ok(());
    }
    let request: MooncakeRequest = serde_json::from_str(line).map_err(|error| error.to_string())?;
    sessions.push(in_ns(request.timestamp / 1e3)?, request.hash_ids);
    Ok(())
}

impl LmcacheLookup {
    /// A prompt without a full chunk needs no block.
    fn take(self, tokens: u64, sessions: &mut Sessions) -> Result<(), String> {
        let LmcacheLookup { timestamp, chunk_size, chunk_hashes } = self;
        if chunk_size != tokens {
            return Err(format!(
                "its chunks have {chunk_size} tokens, not {tokens}: set tokens = {chunk_size}"
            ));
        }
        sessions.push(in_ns(timestamp)?, chunk_hashes.iter().map(|hash| text_hash(hash)));
        Ok(())
    }
}

/// Converts seconds to nanoseconds, up to a century.
fn in_ns(seconds: f64) -> Result<u64, String> {
    match (0.0..3.2e9).contains(&seconds) {
        true => Ok((seconds * 1e9) as u64),
        false => Err(format!("the time {seconds} s is not between 0 and a century")),
    }
}

impl RequestColumns {
    /// The columns named in a line; None if it does not name them.
    fn of(line: &str) -> Option<RequestColumns> {
        let names: Vec<&str> = line.split(',').map(str::trim).collect();
        let place = |name: &str| names.iter().position(|own| *own == name);
        COLUMN_NAMES.iter().find_map(|[time, session, input, output]| {
            Some(RequestColumns {
                time: place(time)?,
                session: place(session),
                input: place(input)?,
                output: place(output)?,
            })
        })
    }

    /// A request's blocks are identified by its session, their position in it and, for the last,
    /// partial block, its tokens. Requests without an answer failed and are left out.
    fn take(
        &self,
        line: &str,
        tokens: u64,
        number: u64,
        sessions: &mut Sessions,
    ) -> Result<(), String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let field = |place: usize| fields.get(place).copied().ok_or("a column is missing");
        let number_of = |place| {
            let text = field(place)?;
            text.parse::<f64>().map_err(|_| format!("'{}' is not a number", visible(text)))
        };
        let (at_s, input) = (number_of(self.time)?, number_of(self.input)?);
        if number_of(self.output)? <= 0.0 {
            return Ok(());
        }
        if !(1.0..=MOST_TOKENS as f64).contains(&input) {
            return Err(format!("{input} tokens of input are not between 1 and {MOST_TOKENS}"));
        }
        let session = match self.session {
            Some(place) => text_hash(field(place)?),
            None => mix(number),
        };
        let (input, at_ns) = (input as u64, in_ns(at_s)?);
        let block = |n: u64| match (n + 1) * tokens <= input {
            true => mix(session ^ mix(n)),
            false => mix(session ^ mix(n) ^ mix(!input)),
        };
        sessions.push(at_ns, (0..input.div_ceil(tokens)).map(block));
        Ok(())
    }
}

fn text_hash(text: &str) -> u64 {
    twox_hash::XxHash3_64::oneshot(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::error::describe;

    fn of(text: &str) -> Result<Vec<(u64, Vec<u64>)>> {
        with_blocks_of(512, text)
    }

    fn with_blocks_of(tokens: u64, text: &str) -> Result<Vec<(u64, Vec<u64>)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording");
        std::fs::write(&path, text).unwrap();
        let sessions = read(&path, tokens)?;
        Ok(sessions.each().map(|(at_ns, blocks)| (at_ns, blocks.to_vec())).collect())
    }

    #[test]
    fn mooncakes_lines_are_read_with_times_in_milliseconds() {
        let lengths = "\"input_length\": 900, \"output_length\": 5";
        let text = format!(
            "{{\"timestamp\": 3000, {lengths}, \"hash_ids\": [0, 7]}}\nnot a request\n\
             {{\"timestamp\": 0, {lengths}, \"hash_ids\": [0, 1]}}\n\
             {{\"timestamp\": -1, {lengths}, \"hash_ids\": [0]}}\n"
        );
        let all = of(&text).unwrap();
        assert_eq!(all, [(0, vec![0, 1]), (3_000_000_000, vec![0, 7])]);
    }

    #[test]
    fn a_burstgpt_session_finds_the_full_blocks_of_its_earlier_prompts() {
        let text = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total \
                    tokens,Log Type\n\
                    5.0,a,1,GPT-4,1100,10,1110,Conversation log\n\
                    6.0,b,1,GPT-4,600,10,610,Conversation log\n\
                    7.5,a,1,GPT-4,2000,10,2010,Conversation log\n\
                    8.0,a,1,GPT-4,2000,0,2000,Conversation log\n";
        let all = of(text).unwrap();
        let [(at_ns, first), (_, other), (_, second)] = &all[..] else { panic!("{all:?}") };
        assert_eq!((*at_ns, first.len(), other.len(), second.len()), (5_000_000_000, 3, 2, 4));
        assert_eq!(first[..2], second[..2]);
        assert!(first[2] != second[2], "the partial block grew");
        assert!(!other.iter().any(|block| first.contains(block)));
        let plain = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
                     5,GPT-4,600,10,610,API log\n6,GPT-4,600,10,610,API log\n";
        let all = of(plain).unwrap();
        assert!(all[0].1[0] != all[1].1[0], "without sessions nothing is shared");
    }

    #[test]
    fn an_lmcache_user_finds_the_full_blocks_of_earlier_rounds() {
        let text = "prompt_tokens,generation_tokens,ttft,generation_time,user_id,question_id,\
                    launch_time,finish_time\n\
                    1100,100,0.2,1.5,1,1,1711929600.25,1711929601.95\n\
                    1300,100,0.1,1.5,1,2,1711929610.25,1711929611.85\n\
                    1100,100,0.2,1.5,2,1,1711929605.0,1711929606.7\n";
        let all = of(text).unwrap();
        let [(first_ns, first), (other_ns, other), (second_ns, second)] = &all[..] else {
            panic!("{all:?}")
        };
        let after = |at_ns: &u64, ns: u64| (at_ns - first_ns).abs_diff(ns) < 1_000;
        assert!(after(other_ns, 4_750_000_000) && after(second_ns, 10_000_000_000), "{all:?}");
        assert_eq!((first.len(), first[..2] == second[..2]), (3, true));
        assert!(!other.iter().any(|block| first.contains(block)));
    }

    #[test]
    fn lmcaches_lookups_share_the_chunks_of_one_hash() {
        let lookup = |at: &str, hashes: &str| {
            format!(
                "{{\"timestamp\": {at}, \"request_id\": \"r\", \"model_name\": \"m\", \
                 \"chunk_size\": 512, \"seq_len\": 1100, \"dtypes\": [\"bfloat16\"], \"shapes\": \
                 [[2, 512, 128]], \"chunk_hashes\": [{hashes}]}}\n"
            )
        };
        let (a, b, c) = ("\"0xabcd1234\"", "\"0xef567890\"", "\"0x0\"");
        let first = lookup("1711929600.5", &format!("{a}, {b}"));
        let second = lookup("1711929601.5", &format!("{a}, {c}"));
        let all = of(&(first.clone() + &second)).unwrap();
        let [(first_ns, first_blocks), (second_ns, second_blocks)] = &all[..] else {
            panic!("{all:?}")
        };
        assert!((second_ns - first_ns).abs_diff(1_000_000_000) < 1_000);
        assert_eq!(first_blocks[0], second_blocks[0]);
        assert!(first_blocks[1] != second_blocks[1]);
        let other_size = first.replace("\"chunk_size\": 512", "\"chunk_size\": 256");
        assert!(of(&other_size).is_err(), "chunks of another size");
    }

    #[test]
    fn bailians_chats_have_times_in_seconds_and_blocks_of_16_tokens() {
        let chat = |id: u64, parent: i64, at: &str, blocks: &str| {
            format!(
                "{{\"chat_id\": {id}, \"parent_chat_id\": {parent}, \"timestamp\": {at}, \
                 \"input_length\": 40, \"output_length\": 5, \"type\": \"text\", \"turn\": 1, \
                 \"hash_ids\": [{blocks}]}}\n"
            )
        };
        let text = chat(159, -1, "61.125", "1089, 1090, 632") + &chat(160, 159, "62", "1089, 7");
        let all = with_blocks_of(16, &text).unwrap();
        let second = (62_000_000_000, vec![1089, 7]);
        assert_eq!(all, [(61_125_000_000, vec![1089, 1090, 632]), second]);
        assert!(of(&text).is_err(), "blocks of another size");
    }

    #[test]
    fn what_is_no_recording_is_refused_with_what_to_do() {
        for text in ["", "\n\n", "hello\nworld\n", "{\"timestamp\": 1e30, \"hash_ids\": [1]}"] {
            let (what, help) = describe(&of(text).unwrap_err());
            assert!(what.contains("recording") && !help.is_empty(), "{text:?}: {what}");
        }
    }
}
