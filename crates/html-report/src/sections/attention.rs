//! What needs attention: failed stories with the reason, important events, and the next steps.

use events::format::{self, count, given_up_reason};
use events::{Pause, Role, RunEnd, RunState};

use super::head::sentence;
use super::{badge, card, code, evidence, quiet, section};
use crate::html::{Html, block, element};
use crate::tally::{StoryOutcome, StoryRow, run_state};
use crate::{NextStep, PageInput};

/// The number of warnings shown, the newest ones.
const MOST_WARNINGS: usize = 8;

pub(super) fn attention(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Html {
    let failed: Vec<Html> =
        rows.iter().filter(|row| row.outcome == StoryOutcome::Failed).map(failed).collect();
    let blocked: Vec<Html> =
        rows.iter().filter(|row| row.outcome == StoryOutcome::Blocked).map(waits).collect();
    let notices = notices(input);
    let steps: Vec<Html> = input.next_steps.iter().map(step).collect();
    let ended = ended(input);
    let is_calm = ended.is_none() && failed.is_empty() && blocked.is_empty() && notices.is_empty();
    let nothing = is_calm.then(|| quiet("Nothing needs attention."));
    let list = |name, items: Vec<Html>| {
        (!items.is_empty()).then(|| element("div").add(element("h3").add(name)).add_all(items))
    };
    section("attention", "What needs attention")
        .add(nothing)
        .add(ended)
        .add_all(failed)
        .add(ul(blocked))
        .add(list("Warnings", Vec::from_iter(ul(notices))))
        .add(list("Next steps", steps))
        .into()
}

/// How the run ended or why it is paused, unless it is running or complete.
fn ended(input: &PageInput<'_>) -> Option<Html> {
    let view = input.view;
    let is_paused = matches!(view.pending_orders.pause, Pause::Waiting { .. });
    let goes_well = match (&view.end, input.state) {
        // Failed stories are listed separately.
        (Some(end), _) => matches!(end.end, RunEnd::Complete | RunEnd::StoriesFailed),
        (None, RunState::Running) => !is_paused,
        (None, RunState::Died | RunState::Ended) => view.start.is_none(),
    };
    let (role, word) = run_state(input);
    let badge = badge((role, &word));
    (!goes_well).then(|| element("p").add(badge).add(" ").add(sentence(input)).into())
}

fn ul(items: Vec<Html>) -> Option<Html> {
    (!items.is_empty()).then(|| {
        element("ul").add_all(items.into_iter().map(|item| element("li").add(item))).into()
    })
}

fn failed(row: &StoryRow<'_>) -> Html {
    let Some(given_up) = &row.brief.given_up else { return Html::default() };
    let reason = match given_up_reason(given_up) {
        "" => String::new(),
        reason => format!(", {reason}"),
    };
    let attempts = count(given_up.attempts, "failed attempt", "failed attempts");
    let facts =
        format!("{attempts}{reason}; last at {}; {}", given_up.last_gate, format::cost(row.cost()));
    let stuck = format::stuck(given_up.stuck).map(|stuck| quiet(format!("Stuck: {stuck}.")));
    let branch = given_up.branch.as_ref();
    let branch =
        branch.map(|branch| element("p").add("Its work is on branch ").add(code(branch)).add("."));
    card("failed", row.brief, given_up).add(quiet(facts)).add(stuck).add(branch).into()
}

fn waits(row: &StoryRow<'_>) -> Html {
    let on = format::names(&row.waits_for);
    let text = format!(" {} {} waits for {on}", row.brief.id, row.brief.title);
    element("span").add(badge((Role::Warn, "blocked"))).add(text).into()
}

fn notices(input: &PageInput<'_>) -> Vec<Html> {
    let entry = |role: Role, text: &str| -> Html {
        element("span").add(badge((role, "warning"))).add(" ").add(text).into()
    };
    let log = input.log.altered();
    let altered = log.map(|text| entry(Role::Alarm, text));
    let alarms = input.view.alarms.iter().filter(|(_, text)| log != Some(text.as_str()));
    let alarms = alarms.map(|(role, text)| entry(*role, text));
    let warnings = &input.view.warning_texts;
    let skipped = warnings.len().saturating_sub(MOST_WARNINGS);
    let more = (skipped > 0).then(|| Html::from(format!("{skipped} older warnings are not shown")));
    let start = input.view.start.as_ref();
    let unchecked =
        start.and_then(|start| format::without_checks(start.checks, start.kind, start.review_cap));
    let warnings = warnings[skipped..].iter().map(|(_, text)| entry(Role::Warn, text));
    let unchecked = unchecked.map(|text| entry(Role::Warn, text));
    altered.into_iter().chain(unchecked).chain(alarms).chain(more).chain(warnings).collect()
}

fn step(step: &NextStep) -> Html {
    let commands =
        (!step.commands.is_empty()).then(|| evidence("Commands", block(&step.commands.join("\n"))));
    element("div").class("step").add(element("p").add(&step.text)).add(commands).into()
}
