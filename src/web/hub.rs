//! Viewers of runs. Each watched run has one task, which polls whether its feed was written and
//! reads it once for all viewers: the cost is that of one reader and a small message to each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::lab::folder::feed::{self, FeedState};
use crate::record::live::LiveRow;

/// Polling interval for feeds.
const LOOK: Duration = Duration::from_millis(150);
/// A feed that was not written for this long is read anyway, because its run may have died.
const SILENT: Duration = Duration::from_secs(2);
/// Maximum number of viewers of all runs together, so that connections are left for pages.
const MOST: usize = 160;
/// Maximum number of events that a viewer may lag; then its connection is closed, and its browser
/// reconnects.
const BEHIND: usize = 8;

/// All viewers.
#[derive(Default)]
pub struct Hub(Arc<Mutex<Watchers>>);

#[derive(Default)]
struct Watchers {
    of: HashMap<PathBuf, Vec<Watcher>>,
}

struct Watcher {
    to: Sender<Bytes>,
    /// It has received the whole feed.
    has_all: bool,
}

/// A viewer.
pub struct Subscription(Receiver<Bytes>);

impl Subscription {
    /// The next event; None after the last.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.0.poll_recv(context)
    }
}

impl Hub {
    /// Watches a bundle's run; None if there are too many viewers.
    pub fn subscribe(&self, bundle: PathBuf) -> Option<Subscription> {
        let mut watchers = lock(&self.0);
        watchers.of.values_mut().for_each(|all| all.retain(|w| !w.to.is_closed()));
        if watchers.of.values().map(Vec::len).sum::<usize>() >= MOST {
            return None;
        }
        let (to, from) = channel(BEHIND);
        let is_new = !watchers.of.contains_key(&bundle);
        watchers.of.entry(bundle.clone()).or_default().push(Watcher { to, has_all: false });
        if is_new {
            tokio::spawn(follow(self.0.clone(), bundle));
        }
        Some(Subscription(from))
    }
}

fn lock(watchers: &Mutex<Watchers>) -> std::sync::MutexGuard<'_, Watchers> {
    watchers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows a feed until its last viewer leaves or its run ends.
async fn follow(watchers: Arc<Mutex<Watchers>>, bundle: PathBuf) {
    let mut known = HubState::default();
    let (mut stamp, mut at, mut last) = (None, Instant::now(), None);
    loop {
        let now = feed::stamp(&bundle);
        let was_written = now != stamp || last.is_none();
        if was_written || at.elapsed() > SILENT {
            (stamp, at, last) = (now, Instant::now(), feed::read(&bundle));
        }
        let Some(found) = &last else { break };
        let event = (was_written || !found.is_running).then(|| known.second(found));
        if !deliver(&watchers, &bundle, found, event.as_ref()) || !found.is_running {
            break;
        }
        tokio::time::sleep(LOOK).await;
    }
    lock(&watchers).of.remove(&bundle);
}

/// Sends everything to new viewers and updates to the others; returns whether any viewers remain.
fn deliver(
    watchers: &Mutex<Watchers>,
    bundle: &Path,
    found: &FeedState,
    event: Option<&Bytes>,
) -> bool {
    let mut whole = None;
    let mut all = lock(watchers);
    let Some(here) = all.of.get_mut(bundle) else { return false };
    here.retain_mut(|watcher| {
        let event = match (watcher.has_all, event) {
            (false, _) => whole.get_or_insert_with(|| everything(found)),
            (true, Some(event)) => event,
            (true, None) => return !watcher.to.is_closed(),
        };
        watcher.has_all = true;
        watcher.to.try_send(event.clone()).is_ok()
    });
    !here.is_empty()
}

/// The state known to viewers that have received everything.
#[derive(Default)]
struct HubState {
    lines: usize,
    recent_ms: u64,
    whole_ms: u64,
    whole_s: u32,
}

impl HubState {
    /// The update: the rows since the last event, and additional lines. If rows of the whole run
    /// were merged, all of them.
    fn second(&mut self, found: &FeedState) -> Bytes {
        let feed = &found.feed;
        let mut data = standing(found);
        let since = |rows: &[LiveRow], ms: u64| {
            rows.iter().filter(|row| row.at_ms > ms).cloned().collect::<Vec<_>>()
        };
        data.insert("recent".into(), json!(since(&feed.recent, self.recent_ms)));
        if feed.whole_s == self.whole_s {
            data.insert("whole_new".into(), json!(since(&feed.whole, self.whole_ms)));
        } else {
            data.insert("whole".into(), json!(feed.whole));
        }
        if feed.lines.len() != self.lines {
            data.insert("lines".into(), json!(feed.lines));
        }
        let last = |rows: &[LiveRow]| rows.last().map_or(0, |row| row.at_ms);
        (self.lines, self.whole_s) = (feed.lines.len(), feed.whole_s);
        (self.recent_ms, self.whole_ms) = (last(&feed.recent), last(&feed.whole));
        event("second", data)
    }
}

fn everything(found: &FeedState) -> Bytes {
    let mut data = standing(found);
    let feed = &found.feed;
    data.insert("recent".into(), json!(feed.recent));
    data.insert("whole".into(), json!(feed.whole));
    data.insert("lines".into(), json!(feed.lines));
    event("all", data)
}

/// The part that changes each second, without rows and totals, and without the bundle's path.
fn standing(found: &FeedState) -> Map<String, Value> {
    let feed = &found.feed;
    let ended = feed.ended.as_ref().map(|ended| &ended.text);
    let data = json!({
        "state": found.state(),
        "ended": ended,
        "began_unix_ns": feed.began_unix_ns,
        "written_unix_ns": feed.written_unix_ns,
        "points": feed.points,
        "phase": feed.phase.name(),
        "doing": feed.doing,
        "share": feed.share,
        "next": feed.next,
        "left_ns": feed.left_ns,
        "percent": feed.percent,
        "now": feed.now,
        "gauges": feed.gauges,
        "log": feed.log,
    });
    match data {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn event(name: &str, data: Map<String, Value>) -> Bytes {
    // JSON on one line contains no line feed.
    Bytes::from(format!("event: {name}\ndata: {}\n\n", Value::Object(data)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::live::{Feed, LiveLine, LiveMeasure};

    fn found(seconds: u64, whole_s: u32) -> FeedState {
        let rows = |from: u64| {
            (from..=seconds)
                .map(|s| LiveRow { at_ms: 1000 * s, values: vec![(0, s as f64)] })
                .collect()
        };
        let lines = vec![LiveLine { measure: LiveMeasure::OpsPerS, name: "A".into() }];
        let (recent, whole) = (rows(1), rows(1));
        FeedState {
            feed: Feed { lines, recent, whole, whole_s, ..Feed::default() },
            is_running: true,
        }
    }

    fn data(event: &Bytes) -> Value {
        let text = std::str::from_utf8(event).unwrap();
        let data = text.strip_prefix("event: second\ndata: ").unwrap();
        serde_json::from_str(data.strip_suffix("\n\n").unwrap()).unwrap()
    }

    #[test]
    fn an_event_has_what_is_new_since_the_one_before() {
        let mut known = HubState::default();
        let first = data(&known.second(&found(3, 1)));
        assert_eq!(first["recent"].as_array().unwrap().len(), 3);
        let next = data(&known.second(&found(4, 1)));
        assert_eq!(next["recent"], json!([{ "t": 4000, "v": [[0, 4.0]] }]));
        assert_eq!(next["whole_new"], next["recent"]);
        assert!(next.get("lines").is_none() && next.get("whole").is_none());
        let thinned = data(&known.second(&found(5, 2)));
        assert_eq!(thinned["whole"].as_array().unwrap().len(), 5, "rows were put together");
        assert!(!first.to_string().contains("/"), "nothing of where the bundle lies");
    }

    #[test]
    fn so_many_may_watch_and_no_more() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let hub = Hub::default();
            let all: Vec<_> = (0..MOST).map(|_| hub.subscribe("/none".into()).unwrap()).collect();
            assert!(hub.subscribe("/none".into()).is_none());
            drop(all);
            assert!(hub.subscribe("/none".into()).is_some(), "closed ones leave their place");
        });
    }
}
