//! The sections of the page, the most important first.

mod about;
mod attention;
mod checks;
mod costs;
mod diffs;
mod failures;
mod further_reviews;
mod head;
mod iterations;
mod lanes;
mod proofs;
mod questions;
mod stories;
mod summary;
mod timeline;

use events::{GivenUp, Role, StoryBrief};
use tasks::StoryId;

use crate::PageInput;
use crate::html::{Element, Html, block, element};
use crate::tally::{StoryRow, run_state};

/// The state of a review without a verdict that counts.
const NO_VERDICT: (Role, &str) = (Role::Warn, "no valid verdict");

/// Ids of sections with their names in the navigation.
pub(crate) const NAVIGATION: [(&str, &str); 10] = [
    ("summary", "Summary"),
    ("attention", "Attention"),
    ("stories", "Stories"),
    ("further-reviews", "Further reviews"),
    ("timeline", "Timeline"),
    ("costs", "Cost and tokens"),
    ("checks", "Checks"),
    ("failures", "Failures"),
    ("diffs", "Changes"),
    ("iterations", "Iterations"),
];

/// All sections with their ids; the head comes first and the footer last.
pub(crate) fn all(input: &PageInput<'_>) -> Vec<(&'static str, Html)> {
    let rows = crate::tally::stories(input);
    let mut all = Vec::from(short(input, &rows));
    all.extend([
        ("questions", questions::questions(input)),
        ("attention", attention::attention(input, &rows)),
        ("stories", stories::stories(input, &rows)),
        ("further-reviews", further_reviews::further_reviews(input)),
        ("timeline", timeline::timeline(input)),
        ("costs", costs::costs(input, &rows)),
        ("checks", checks::checks(input)),
        ("failures", failures::failures(input)),
        ("diffs", diffs::diffs(input, &rows)),
        ("iterations", iterations::iterations(input)),
        ("about", about::about(input)),
    ]);
    all
}

pub(crate) fn short(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> [(&'static str, Html); 2] {
    [("head", head::head(input)), ("summary", summary::summary(input, rows))]
}

/// The name of the run, or its id.
pub(crate) fn name(input: &PageInput<'_>) -> String {
    let start = input.view.start.as_ref();
    match start.map(|start| start.name.as_str()) {
        Some(name) if !name.trim().is_empty() => name.to_owned(),
        _ => input.run.to_owned(),
    }
}

/// The title of the document.
pub(crate) fn title(input: &PageInput<'_>) -> String {
    format!("{}: {}", name(input), run_state(input).1)
}

pub(crate) fn section(id: &'static str, heading: &str) -> Element {
    let labelled = element("section").id(id).attr("aria-labelledby", format!("{id}-heading"));
    labelled.add(element("h2").id(format!("{id}-heading")).add(heading))
}

pub(crate) fn quiet(text: impl Into<Html>) -> Element {
    element("p").class("quiet").add(text)
}

/// One number with its name.
pub(crate) fn tile(class: &str, name: &str, value: impl Into<Html>, note: impl Into<Html>) -> Html {
    let note: Html = note.into();
    let note = (!note.is_empty()).then(|| element("dd").class("note").add(note));
    element("div")
        .class(format!("tile {class}"))
        .add(element("dt").add(name))
        .add(element("dd").class("value").add(value))
        .add(note)
        .into()
}

/// A state as text, with a matching mark and colour.
pub(crate) fn badge((role, word): (Role, &str)) -> Html {
    let (class, mark) = look(role);
    let mark = element("span").attr("aria-hidden", "true").add(mark);
    element("span").class(format!("badge {class}")).add(mark).add(" ").add(word).into()
}

/// The CSS class and the mark.
fn look(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Good => ("good", "✓"),
        Role::Bad | Role::Alarm => ("bad", "✕"),
        Role::Warn => ("warn", "!"),
        Role::Accent => ("accent", "●"),
        Role::Plain | Role::Strong | Role::Dim | Role::Lane(_) => ("plain", "○"),
    }
}

pub(crate) fn code(text: &str) -> Element {
    element("code").add(text)
}

fn id(story: &StoryId) -> Element {
    element("span").class("id").add(story.as_str())
}

/// Text of a session or of the user, with its line breaks.
fn quote(text: &str) -> Element {
    element("blockquote").class("text").add(block(text))
}

/// A story that was given up, with its error.
fn card(word: &str, story: &StoryBrief, given_up: &GivenUp) -> Element {
    let heading = element("h3").add(badge((Role::Bad, word)));
    element("article")
        .class("card bad")
        .add(heading.add(format!(" {} {}", story.id, story.title)))
        .add(element("p").class("error").add(&given_up.error))
}

/// A scrolling block of untrusted text.
fn evidence(label: &str, contents: Html) -> Element {
    let pre = element("pre").attr("tabindex", 0).attr("role", "region").attr("aria-label", label);
    pre.add(element("code").add(contents))
}
