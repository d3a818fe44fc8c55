//! Titles that depend on knobs: `{STREAM.KEY}` in a step's title is replaced by a stream's value,
//! and `{STREAM.KEY|spec=with|no-wait=without}` by the text for it.

use crate::plan::model::{Load, Stream};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};

/// The title with the streams' values. Braces without a full stop in them are text.
pub fn of(written: &str, streams: &[&Stream], at: SourceSpan, log: &mut Mistakes) -> String {
    let (mut title, mut rest) = (String::new(), written);
    while let Some((before, after)) = rest.split_once('{') {
        title.push_str(before);
        let Some((field, behind)) = after.split_once('}').filter(|(field, _)| field.contains('.'))
        else {
            title.push('{');
            rest = after;
            continue;
        };
        match said(field, streams) {
            Ok(words) => title.push_str(&words),
            Err((message, help)) => log.note(at, message, "in this title", help),
        }
        rest = behind;
    }
    title + rest
}

fn said(field: &str, streams: &[&Stream]) -> Result<String, (String, String)> {
    let mut parts = field.split('|');
    let path = parts.next().unwrap_or_default();
    let (name, key) = path.split_once('.').unwrap_or((path, ""));
    let Some(stream) = streams.iter().find(|stream| stream.name == name) else {
        let help = remedy(name, "its streams are", streams.iter().map(|s| s.name.as_str()));
        return Err((format!("the title refers to a stream that the step lacks: '{name}'"), help));
    };
    let Some(value) = value(stream, key) else {
        let help = "use rate, threads, depth, instances, or a knob of its workload or engine";
        return Err((format!("the stream '{name}' has no '{key}' for the title"), help.into()));
    };
    let words = parts.filter_map(|part| part.split_once('=')).find(|(of, _)| *of == value);
    Ok(words.map_or(value, |(_, words)| words.to_string()))
}

fn value(stream: &Stream, key: &str) -> Option<String> {
    Some(match key {
        "rate" => match stream.load {
            Load::Rate(rate) => rate.to_string(),
            Load::PercentOfMaximum(percent) => format!("{percent} %"),
            Load::Closed => "no limit".to_string(),
        },
        "threads" => stream.threads.to_string(),
        "depth" => stream.depth.to_string(),
        "instances" => stream.instances.to_string(),
        knob => {
            let value =
                stream.workload.knobs.get(knob).or_else(|| stream.engine.knobs.get(knob))?;
            let number = |value: &serde_json::Value| value.as_f64().map(|n| n.to_string());
            match value.as_str() {
                Some(text) => text.to_string(),
                // 100 in a plan is 100 in its title, even if the knob is a fraction.
                None => number(value).unwrap_or_else(|| value.to_string()),
            }
        }
    })
}
