//! A server's power as reported by its management controller, over HTTPS. Coarse and slow, for the
//! whole system.

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use serde_json::Value;

use super::exec::PUBLIC;
use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result, anyhow, failed};
use crate::base::secret;
use crate::plan::{DefaultValue, Info, Knob, KnobKind};
use crate::record::gauge::power::SYSTEM_WATTS;

/// The meter `redfish`.
pub struct Redfish;

static INFO: Info = info(
    "redfish",
    "power of the whole server from its management controller, over HTTPS",
    &[
        Knob {
            name: "url",
            kind: KnobKind::Text,
            default: DefaultValue::Required,
            doc: "the chassis' EnvironmentMetrics or Power resource; user and password come from \
                  $DYNO_REDFISH_USER and $DYNO_REDFISH_PASSWORD",
        },
        PUBLIC,
        Knob {
            name: "verify",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "whether the controller's certificate must be signed by someone this host trusts",
        },
    ],
    "DMTF DSP0268, EnvironmentMetrics and Power schemas",
);

/// Time without an answer after which there is a gap.
const PATIENCE: Duration = Duration::from_millis(4500);

impl Meter for Redfish {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn every_ns(&self) -> u64 {
        5_000_000_000
    }

    /// A controller answers slowly, and its power is not a counter.
    fn holds_marks(&self) -> bool {
        false
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let url = site.knobs.text("url")?.to_string();
        if site.knobs.flag("public").unwrap_or(false) && secret::holds(&url) {
            let next = "set DYNO_REDFISH_USER and DYNO_REDFISH_PASSWORD in the environment";
            return Err(failed(
                "the URL of a meter contains a secret, which would be stored in the bundle",
                next,
            ));
        }
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let (user, password) = (variable("DYNO_REDFISH_USER"), variable("DYNO_REDFISH_PASSWORD"));
        let tls = ureq::tls::TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
            .disable_verification(!site.knobs.flag("verify")?)
            .build();
        let config =
            ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).tls_config(tls).build();
        let credentials = (!user.is_empty()).then(|| basic(&user, &password));
        Ok(Box::new(RedfishController { agent: config.into(), url, credentials }))
    }
}

struct RedfishController {
    agent: ureq::Agent,
    url: String,
    /// The value of the Authorization header.
    credentials: Option<String>,
}

impl Probe for RedfishController {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let mut request = self.agent.get(&self.url);
        if let Some(credentials) = &self.credentials {
            request = request.header("Authorization", credentials);
        }
        let mut answer = request.call().with_context(|| format!("asking {}", host(&self.url)))?;
        let text = answer.body_mut().read_to_string().context("reading the controller's answer")?;
        let json: Value =
            serde_json::from_str(&text).context("the controller's answer is not JSON")?;
        let watts = watts(&json).ok_or_else(|| {
            anyhow!("the controller's answer contains no power of the whole node")
        })?;
        out.push(now.reading(SYSTEM_WATTS, watts));
        Ok(())
    }
}

/// The controller's name only: a path may contain a key.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default().rsplit('@').next().unwrap_or_default()
}

/// `PowerWatts.Reading` of EnvironmentMetrics, or `PowerConsumedWatts` of the older `PowerControl`.
/// Its members are the node and parts of it (processors, memory, accelerators), or nodes of equal
/// rank: the node's own reading is the power, otherwise the sum, never both. None if the roles of
/// several members are unknown.
fn watts(json: &Value) -> Option<f64> {
    if let Some(reading) = json.pointer("/PowerWatts/Reading").and_then(Value::as_f64) {
        return Some(reading);
    }
    let controls = json.get("PowerControl")?.as_array()?;
    let of = |control: &Value| control.get("PowerConsumedWatts")?.as_f64();
    let read: Vec<(ControlRole, f64)> =
        controls.iter().filter_map(|c| Some((ControlRole::of(c), of(c)?))).collect();
    let with = |role| read.iter().filter(move |own| own.0 == role).map(|own| own.1);
    let all = |role| with(role).count() == read.len();
    match &read[..] {
        [] => None,
        [(_, watts)] => Some(*watts),
        _ if with(ControlRole::Node).count() == 1 => with(ControlRole::Node).next(),
        _ if [ControlRole::Node, ControlRole::Part, ControlRole::Supply].into_iter().any(all) => {
            Some(read.iter().map(|own| own.1).sum())
        }
        _ => None,
    }
}

/// What a member of `PowerControl` measures (DSP0268, Power schema, `PhysicalContext`).
#[derive(Clone, Copy, PartialEq)]
enum ControlRole {
    /// The whole node or chassis.
    Node,
    /// A part of it.
    Part,
    /// One of its power supplies.
    Supply,
    /// Not stated.
    Unknown,
}

impl ControlRole {
    fn of(control: &Value) -> ControlRole {
        let text = |name: &str| {
            control.get(name).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
        };
        match text("PhysicalContext").as_str() {
            "chassis" | "systemboard" | "enclosure" | "rack" | "system" | "room" => {
                return ControlRole::Node;
            }
            "powersupply" | "powersupplybay" | "acinput" => return ControlRole::Supply,
            "" => {}
            _ => return ControlRole::Part,
        }
        let name = text("Name");
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if has(&[
            "cpu",
            "processor",
            "memory",
            "dimm",
            "gpu",
            "accelerator",
            "fan",
            "storage",
            "pch",
        ]) {
            ControlRole::Part
        } else if has(&["supply", "psu"]) {
            ControlRole::Supply
        } else if has(&["server", "node", "system", "chassis", "total"]) {
            ControlRole::Node
        } else {
            ControlRole::Unknown
        }
    }
}

/// HTTP's basic credentials (RFC 7617).
fn basic(user: &str, password: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = format!("{user}:{password}");
    let mut out = String::from("Basic ");
    for part in text.as_bytes().chunks(3) {
        let bits = part.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - part.len()));
        for digit in 0..4 {
            let six = (bits >> (18 - 6 * digit) & 63) as usize;
            out.push(if digit <= part.len() { char::from(DIGITS[six]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use super::*;

    /// Answers one request with `body` and returns its Authorization header.
    fn serve(body: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!(
            "http://{}/redfish/v1/Chassis/1/EnvironmentMetrics",
            listener.local_addr().unwrap()
        );
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map(|l| l.unwrap());
            let head: Vec<String> = lines.take_while(|l| !l.is_empty()).collect();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                .unwrap();
            let sent = head.iter().find(|l| l.to_ascii_lowercase().starts_with("authorization:"));
            sent.cloned().unwrap_or_default()
        });
        (url, served)
    }

    #[test]
    fn a_controllers_power_is_read_with_credentials_and_rubbish_is_no_reading() {
        for (body, watts) in [
            (r#"{"PowerWatts":{"Reading":312.5}}"#, Some(312.5)),
            (r#"{"PowerControl":[{"PowerConsumedWatts":100}]}"#, Some(100.0)),
            (r#"{"PowerControl":[{"PowerConsumedWatts":100},{"PowerConsumedWatts":50}]}"#, None),
            (
                r#"{"PowerControl":[
                    {"Name":"Node Power Control","PowerConsumedWatts":344},
                    {"Name":"CPU Sub-system Power","PowerConsumedWatts":140},
                    {"Name":"Accelerator0","PowerConsumedWatts":80}]}"#,
                Some(344.0),
            ),
            (
                r#"{"PowerControl":[
                    {"PhysicalContext":"CPU","PowerConsumedWatts":140},
                    {"PhysicalContext":"Memory","PowerConsumedWatts":20}]}"#,
                Some(160.0),
            ),
            (
                r#"{"PowerControl":[
                    {"PhysicalContext":"CPU","PowerConsumedWatts":140},
                    {"PhysicalContext":"Chassis","PowerConsumedWatts":344},
                    {"PhysicalContext":"Chassis","PowerConsumedWatts":null}]}"#,
                Some(344.0),
            ),
            (r#"{"PowerWatts":{"Reading":null}}"#, None),
            ("<html>", None),
        ] {
            let (url, served) = serve(body);
            let mut controller = RedfishController {
                agent: ureq::Agent::new_with_defaults(),
                url,
                credentials: Some(basic("root", "calvin")),
            };
            let mut out = Vec::new();
            let read = controller.read(ReadingTime { ns: 1, unix_ns: 1 }, &mut out);
            assert_eq!(
                (read.is_ok(), out.first().map(|r| r.value)),
                (watts.is_some(), watts),
                "{body}"
            );
            assert!(served.join().unwrap().ends_with("Basic cm9vdDpjYWx2aW4="));
        }
    }
}
