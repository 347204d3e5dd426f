//! Hostile text stays text, in the report and on the live page.

use events::{Stamped, samples};
use serde_json::Value;

use crate::chromium::Chromium;
use crate::project::{Project, file_url};
use crate::tab::Tab;

/// Text that closes HTML contexts, loads a resource, runs a script, and contains terminal and bidi
/// controls.
pub(crate) const HOSTILE: &str = "</title></style></script></pre>--></svg><script>window.__pwned=1</script>\
<img src=http://elsewhere.invalid/dot.png onerror=window.__pwned=2><svg onload=window.__pwned=3>\
<base href=http://elsewhere.invalid/><iframe srcdoc='<script>parent.__pwned=4</script>'></iframe>\
\" onfocus=window.__pwned=5 autofocus tabindex=1 x='<a href=javascript:window.__pwned=6>\
\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}gnp.exe\u{2066}\u{200f}&lt;b&gt;";

/// The events of a run with hostile text.
pub(crate) fn events() -> Vec<Stamped> {
    let events = [samples::a_run(), samples::a_run_with_failures()].concat();
    events.iter().map(made_hostile).collect()
}

/// Asserts that hostile texts appear only as text.
pub(crate) fn assert_harmless(tab: &mut Tab) {
    assert_eq!(tab.evaluate("typeof window.__pwned"), "undefined");
    let strange = "[...document.querySelectorAll('img, iframe, base, object, embed, form, b, link, \
        [autofocus], [tabindex=\"1\"], a:not([href^=\"#\"])')].map(one => one.outerHTML)";
    assert_eq!(tab.texts_of(strange), [""; 0]);
    let acts = "[...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames())
        .filter(name => name.startsWith('on'))";
    assert_eq!(tab.texts_of(acts), [""; 0]);
    let steering =
        r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/";
    let steers = format!("{steering}.test(document.documentElement.outerHTML)");
    assert_eq!(tab.evaluate(&steers), false);
    let as_text = "document.body.innerText.split('<script>window.__pwned=1</script>').length";
    assert!(tab.number_of(as_text) > 10.0);
}

/// Replaces every free text of the events.
fn made_hostile(event: &Stamped) -> Stamped {
    let mut line: Value = serde_json::from_str(&event.to_line()).unwrap();
    let mut texts = Vec::new();
    point_at_texts(&line, String::new(), &mut texts);
    // All events of a log have its run's id.
    for text in texts.iter().filter(|text| *text != "/run") {
        let harmless = line.clone();
        let said = line.pointer_mut(text).unwrap();
        *said = format!("{}{HOSTILE}", said.as_str().unwrap()).into();
        if Stamped::from_line(line.to_string().as_bytes()).is_err() {
            line = harmless;
        }
    }
    Stamped::from_line(line.to_string().as_bytes()).unwrap()
}

fn point_at_texts(value: &Value, pointer: String, texts: &mut Vec<String>) {
    match value {
        Value::String(_) => texts.push(pointer),
        Value::Object(fields) => {
            for (key, value) in fields {
                point_at_texts(value, format!("{pointer}/{key}"), texts);
            }
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                point_at_texts(value, format!("{pointer}/{place}"), texts);
            }
        }
        _ => {}
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn the_report_shows_hostile_text_as_text_without_a_content_policy() {
    let project = Project::with(&events());
    let url = file_url(&project.page());
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.bypass_policies();
    tab.open(&url);
    tab.unfold_everything();
    assert_harmless(&mut tab);
    assert_eq!(tab.evaluate("document.scripts.length"), 0);
    let seen = tab.seen();
    assert!(seen.complaints.is_empty() && seen.exceptions.is_empty(), "{seen:#?}");
    assert_eq!(seen.requests, [url]);
}
