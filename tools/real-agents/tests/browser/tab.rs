//! One tab: navigation, evaluation, keys, emulation, and its recorded messages and requests.

use serde_json::{Value, json};

use crate::devtools::DevTools;

/// Milliseconds to wait for a change of the page.
const PATIENCE: u64 = 20_000;

pub(crate) struct Tab {
    devtools: DevTools,
    seen: Seen,
}

/// Recorded messages and requests of a page.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Console messages and entries of the browser log, including policy violations.
    pub(crate) complaints: Vec<String>,
    pub(crate) exceptions: Vec<String>,
    /// The address of every request.
    pub(crate) requests: Vec<String>,
}

#[derive(Clone, Copy)]
pub(crate) enum Medium {
    Screen,
    Paper,
}

#[derive(Clone, Copy)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

#[derive(Clone, Copy)]
pub(crate) enum Key {
    Tab,
    Enter,
}

impl Tab {
    pub(crate) fn over(mut devtools: DevTools) -> Self {
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            devtools.call(&format!("{domain}.enable"), json!({}));
        }
        devtools.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        let mut tab = Self { devtools, seen: Seen::default() };
        tab.resize(1280);
        tab
    }

    /// Returns when the page is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.take_in();
        let answer = self.devtools.call("Page.navigate", json!({ "url": url }));
        assert!(answer["errorText"].is_null(), "{url}: {answer}");
        self.devtools.wait_for("Page.loadEventFired");
        self.take_in();
    }

    /// The value of an expression; awaits a promise.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let mut answer = self.devtools.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true }),
        );
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}\n{thrown:#}");
        answer["result"]["value"].take()
    }

    pub(crate) fn text_of(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    pub(crate) fn number_of(&mut self, expression: &str) -> f64 {
        let value = self.evaluate(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    pub(crate) fn texts_of(&mut self, expression: &str) -> Vec<String> {
        serde_json::from_value(self.evaluate(expression)).unwrap()
    }

    /// Waits until this is true on the page.
    pub(crate) fn wait_for(&mut self, condition: &str) {
        let outcome = self.evaluate(&format!(
            "new Promise((done) => {{
                const end = Date.now() + {PATIENCE};
                const look = () => {{
                    if ({condition}) done(true);
                    else if (Date.now() > end) done(document.documentElement.innerText);
                    else setTimeout(look, 20);
                }};
                look();
            }})"
        ));
        if outcome != json!(true) {
            panic!("it never came to this: {condition}\n{:#?}\n{outcome:#}", self.seen());
        }
    }

    pub(crate) fn unfold_everything(&mut self) {
        self.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })");
    }

    /// Disables the content policy of later pages.
    pub(crate) fn bypass_policies(&mut self) {
        self.devtools.call("Page.setBypassCSP", json!({ "enabled": true }));
    }

    pub(crate) fn show_on(&mut self, medium: Medium, scheme: Scheme) {
        let media = match medium {
            Medium::Screen => "screen",
            Medium::Paper => "print",
        };
        let scheme = match scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let params = json!({ "media": media, "features": features });
        self.devtools.call("Emulation.setEmulatedMedia", params);
    }

    pub(crate) fn resize(&mut self, width: u32) {
        let size =
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        self.devtools.call("Emulation.setDeviceMetricsOverride", size);
    }

    pub(crate) fn press(&mut self, key: Key) {
        let (name, code, text) = match key {
            Key::Tab => ("Tab", 9, ""),
            Key::Enter => ("Enter", 13, "\r"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({ "type": kind, "key": name, "code": name });
            params["windowsVirtualKeyCode"] = code.into();
            if kind == "keyDown" {
                params["text"] = text.into();
            }
            self.devtools.call("Input.dispatchKeyEvent", params);
        }
    }

    /// The accessibility tree, node by node.
    pub(crate) fn accessible_nodes(&mut self) -> Vec<Value> {
        let mut tree = self.devtools.call("Accessibility.getFullAXTree", json!({}));
        serde_json::from_value(tree["nodes"].take()).unwrap()
    }

    /// Everything recorded so far.
    pub(crate) fn seen(&mut self) -> &Seen {
        // Events are ordered, so an answer follows all earlier events.
        self.evaluate("0");
        self.take_in();
        &self.seen
    }

    fn take_in(&mut self) {
        for event in self.devtools.take_events() {
            let params = event.params;
            match event.method.as_str() {
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    self.seen.requests.push(url.to_owned());
                }
                "Runtime.consoleAPICalled" => self.seen.complaints.push(params["args"].to_string()),
                "Runtime.exceptionThrown" => {
                    self.seen.exceptions.push(params["exceptionDetails"].to_string());
                }
                "Log.entryAdded" => self.seen.complaints.push(params["entry"].to_string()),
                _ => {}
            }
        }
    }
}

impl Drop for Tab {
    /// Other tests use the same browser, so the tab must be closed.
    fn drop(&mut self) {
        let _ = self.devtools.send("Page.close", json!({}));
    }
}
