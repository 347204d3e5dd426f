//! Untrusted text of agents, task lists and checks stays text.

use events::Stamped;
use events::samples::{
    a_proof, a_run, a_run_with_a_proof, a_run_with_failures, a_run_with_memory,
    question_and_answer, stamped,
};
use serde_json::Value;

use super::well_formed::assert_harmless;
use super::{Sample, a_diff, id, parsed, with_further_reviews};
use crate::{Answers, LiveLinks, NextStep, WaitingAnswer, live};

/// Fields with untrusted text.
const FIELDS: [&str; 32] = [
    "agent",
    "backup",
    "branch",
    "command",
    "commit",
    "corrections",
    "criterion",
    "detail",
    "diagnostics",
    "error",
    "feedback",
    "file",
    "files",
    "findings",
    "folder",
    "found",
    "log",
    "manual",
    "message",
    "model",
    "name",
    "path",
    "problems",
    "project",
    "reviewer",
    "tail",
    "text",
    "title",
    "to",
    "version",
    "why",
    "window",
];

pub(super) const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}",
    "</title></svg></pre></details><iframe>",
    "]]><!-- --><![CDATA[",
    "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\0\r\u{8}",
    "\u{202e}txt.exe\u{2066}\u{200f}\u{feff}\u{ffff}",
    "&#x3c;b&#x3e; &lt;i&gt; javascript:alert(1)",
];

pub(super) fn poisoned(events: &[Stamped], text: &str) -> Vec<Stamped> {
    let poison = |stamped: &Stamped| {
        let mut event: Value = serde_json::from_str(&stamped.to_line()).unwrap();
        let clean = event.clone();
        poison(&mut event, text);
        // Some fields are not strings in some events.
        Stamped::from_line(event.to_string().as_bytes())
            .or_else(|_| Stamped::from_line(clean.to_string().as_bytes()))
            .unwrap()
    };
    events.iter().map(poison).collect()
}

fn poison(value: &mut Value, text: &str) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(old) if FIELDS.contains(&name.as_str()) => *old = text.to_owned(),
                    Value::Array(items) if FIELDS.contains(&name.as_str()) => {
                        for item in items {
                            match item {
                                Value::String(old) => *old = text.to_owned(),
                                other => poison(other, text),
                            }
                        }
                    }
                    other => poison(other, text),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, text)),
        _ => {}
    }
}

fn sample(text: &str) -> Sample {
    let mut events = poisoned(&a_run(), text);
    events.extend(poisoned(&a_run_with_failures(), text));
    events.extend(poisoned(&a_run_with_memory(), text));
    events.extend(poisoned(&with_further_reviews(), text));
    events.extend(poisoned(&a_run_with_a_proof(&a_proof()), text));
    let [asked, _] = question_and_answer();
    events.extend(poisoned(&[stamped(900, asked)], text));
    let next_steps = vec![NextStep { text: text.into(), commands: vec![text.into(); 2] }];
    let answer = WaitingAnswer { story: id("US-003"), number: 1, text: text.into() };
    let answers = Answers { allowed: true, waiting: vec![answer] };
    Sample { diffs: a_diff(text), next_steps, answers, ..Sample::of(&events) }
}

#[test]
fn text_never_becomes_markup() {
    for text in HOSTILE {
        let page = sample(text).page();
        let document = parsed(&page);
        assert_harmless(text, &document);
        let clean = sample("x").page();
        let shape =
            |page: &str| parsed(page).descendants().filter(|node| node.is_element()).count();
        // Only the number of lines may differ.
        assert_eq!(shape(&page), shape(&clean), "{text:?}");
    }
}

#[test]
fn control_characters_are_removed() {
    for text in HOSTILE {
        let page = sample(text).page();
        let steers = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        };
        assert_eq!(page.chars().find(|c| steers(*c)), None, "{text:?}");
    }
}

#[test]
fn the_untrusted_text_is_shown() {
    let text = "poison<&>";
    let page = sample(text).page();
    assert!(page.matches("poison&lt;&amp;&gt;").count() > 60, "the test poisons too little");
    assert!(!page.contains("poison<"));
}

#[test]
fn a_huge_line_stays_small() {
    let text = "<b>".repeat(400_000);
    let next_steps = vec![NextStep { text: text.clone(), commands: vec![text.clone()] }];
    let history = Sample::of(&poisoned(&a_run()[..1], &text));
    let page = Sample { diffs: a_diff(&text), next_steps, ..history }.page();
    assert!(page.len() < 500_000, "{}", page.len());
    parsed(&page);
}

#[test]
fn the_live_page_escapes_text_too() {
    let links = LiveLinks { events: "\"><script>".into(), orders: Some("\"><script>".into()) };
    for text in HOSTILE {
        let page = live(&sample(text).input(), &links);
        let document = parsed(&page);
        let scripts = document.descendants().filter(|node| node.has_tag_name("script"));
        assert_eq!(scripts.count(), 1, "{text:?}");
        // That of the controls, and that of the question.
        let forms = document.descendants().filter(|node| node.has_tag_name("form"));
        assert_eq!(forms.count(), 2, "{text:?}");
        let quotes = document.descendants().filter(|node| node.has_tag_name("blockquote"));
        let own = |quote: &roxmltree::Node<'_, '_>| quote.descendants().count() <= 2;
        assert!(quotes.into_iter().all(|quote| own(&quote)), "{text:?}");
    }
}
