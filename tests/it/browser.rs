//! A real Chromium, driven through the pipe of the DevTools protocol: pages opened at a given
//! width, in light or dark mode.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support;

pub struct Browser {
    process: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
    said: u64,
    session: String,
    /// Addresses requested since the last page was opened.
    pub asked: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// `None`, and the test skipped, without Chromium.
    pub fn start() -> Option<Browser> {
        if !support::have(&["chromium"]) {
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        // The protocol's pipe is descriptors 3 (to it) and 4 (from it).
        let run = "exec chromium --headless --no-sandbox --disable-gpu --remote-debugging-pipe \
                   --hide-scrollbars --no-first-run --disable-extensions --user-data-dir=\"$0\" \
                   3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut command = Command::new("sh");
        command.args(["-c", run]).arg(profile.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (say, hear) =
            (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let session = String::new();
        let mut browser =
            Browser { process, say, hear, said: 0, session, asked: Vec::new(), _profile: profile };
        let target =
            browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"]
                .clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = browser.call("Target.attachToTarget", attach)["sessionId"].clone();
        browser.session = session.as_str().unwrap().to_string();
        browser.call("Page.enable", json!({}));
        browser.call("Network.enable", json!({}));
        Some(browser)
    }

    /// Sends a command and waits for its answer; other messages received meanwhile are recorded.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.said += 1;
        let mut message = json!({ "id": self.said, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.say.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let heard = self.next();
            if heard["id"] == json!(self.said) {
                assert!(heard["error"].is_null(), "{method}: {}", heard["error"]);
                return heard["result"].clone();
            }
        }
    }

    fn next(&mut self) -> Value {
        let mut line = Vec::new();
        self.hear.read_until(0, &mut line).unwrap();
        assert!(line.pop().is_some(), "Chromium ended");
        let heard: Value = serde_json::from_slice(&line).unwrap();
        if heard["method"] == "Network.requestWillBeSent" {
            self.asked
                .push(heard["params"]["request"]["url"].as_str().unwrap_or_default().to_string());
        }
        heard
    }

    /// A page from a file, this many pixels wide.
    pub fn open(&mut self, page: &Path, width: u32, dark: bool) {
        self.visit(&format!("file://{}", page.display()), width, dark);
    }

    /// A page at an address, this many pixels wide.
    pub fn visit(&mut self, address: &str, width: u32, dark: bool) {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 768 });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": width < 768 }));
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        self.asked.clear();
        self.call("Page.navigate", json!({ "url": address }));
        while self.next()["method"] != "Page.loadEventFired" {}
        self.eval("document.fonts.ready.then(() => 0)");
    }

    /// Runs code that leads to another page, and waits for that.
    pub fn follow(&mut self, expression: &str) {
        // Not awaited: the page that would answer disappears.
        self.call("Runtime.evaluate", json!({ "expression": expression }));
        while self.next()["method"] != "Page.loadEventFired" {}
    }

    /// axe's findings for the current page: `passes`, the number of rules, and `violations`. Every
    /// rule for WCAG 2.0, 2.1 and 2.2 at A and AA, and those of good practice.
    pub fn axe(&mut self) -> Value {
        self.eval(include_str!("../axe/axe.min.js"));
        let tags = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";
        let run = format!("axe.run(document, {{ runOnly: {{ type: 'tag', values: {tags} }} }})");
        self.eval(&format!(
            "{run}.then(r => ({{ passes: r.passes.length, violations: r.violations.map(v => \
             [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary]) }}))"
        ))
    }

    /// The value of a JavaScript expression, awaiting a promise.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let found = self.call("Runtime.evaluate", params);
        assert!(found["exceptionDetails"].is_null(), "{}", found["exceptionDetails"]);
        found["result"]["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
