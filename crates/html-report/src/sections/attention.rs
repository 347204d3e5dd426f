//! What needs a person: stories that failed, with the reason; what else nobody may overlook; and what
//! can be done now.

use engine::RunEnd;
use events::words::{self, count, given_up_reason};
use events::{DecisionKind, Pause, Role, RunState};

use super::head::sentence;
use super::{badge, code, evidence, quiet, section};
use crate::html::{Html, block, element};
use crate::tally::{Fate, Standing, StoryRow};
use crate::{Input, NextStep};

/// Warnings that are shown; the newest say more than the first.
const MOST_WARNINGS: usize = 8;

pub(super) fn attention(input: &Input<'_>, rows: &[StoryRow<'_>]) -> Html {
    let failed: Vec<Html> = rows.iter().filter(|row| row.fate == Fate::Failed).map(card).collect();
    let blocked: Vec<Html> =
        rows.iter().filter(|row| row.fate == Fate::Blocked).map(waits).collect();
    let notices = notices(input);
    let steps: Vec<Html> = input.next_steps.iter().map(step).collect();
    let ended = ended(input);
    let is_calm = ended.is_none() && failed.is_empty() && blocked.is_empty() && notices.is_empty();
    let said = is_calm.then(|| quiet("Nothing needs a person."));
    let list = |name, items: Vec<Html>| {
        (!items.is_empty()).then(|| element("div").add(element("h3").add(name)).add_all(items))
    };
    section("attention", "What needs attention")
        .add(said)
        .add(ended)
        .add_all(failed)
        .add(ul(blocked))
        .add(list("Take note", Vec::from_iter(ul(notices))))
        .add(list("What to do next", steps))
        .into()
}

/// How the run ended, or why it does not go on, unless that is as it should be.
fn ended(input: &Input<'_>) -> Option<Html> {
    let view = &input.history.view;
    let is_paused = matches!(view.wishes.pause, Pause::Waiting { .. });
    let goes_well = match (&view.end, input.state) {
        // Failed stories speak for themselves.
        (Some(end), _) => matches!(end.end, RunEnd::Complete | RunEnd::StoriesFailed),
        (None, RunState::Running) => !is_paused,
        (None, RunState::Died | RunState::Ended) => view.start.is_none(),
    };
    let standing = Standing::of(input);
    let badge = badge((standing.role, &standing.word));
    (!goes_well).then(|| element("p").add(badge).add(" ").add(sentence(input)).into())
}

fn ul(items: Vec<Html>) -> Option<Html> {
    (!items.is_empty()).then(|| {
        element("ul").add_all(items.into_iter().map(|item| element("li").add(item))).into()
    })
}

fn card(row: &StoryRow<'_>) -> Html {
    let Some(given_up) = &row.brief.given_up else { return Html::default() };
    let reason = match given_up_reason(given_up) {
        "" => String::new(),
        reason => format!(", {reason}"),
    };
    let attempts = count(given_up.attempts, "failed attempt", "failed attempts");
    let facts =
        format!("{attempts}{reason}; last at {}; {}", given_up.last_gate, words::cost(row.cost()));
    let stuck = words::stuck(given_up.stuck).map(|stuck| quiet(format!("Stuck: {stuck}.")));
    let branch = given_up
        .branch
        .as_ref()
        .map(|branch| element("p").add("Its work is on branch ").add(code(branch)).add("."));
    let heading = element("h3")
        .add(badge((Role::Bad, "failed")))
        .add(" ")
        .add(format!("{} {}", row.brief.id, row.brief.title));
    element("article")
        .class("card bad")
        .add(heading)
        .add(element("p").class("error").add(&given_up.error))
        .add(quiet(facts))
        .add(stuck)
        .add(branch)
        .into()
}

fn waits(row: &StoryRow<'_>) -> Html {
    let on = words::names(&row.waits_for);
    let text = format!(" {} {} waits for {on}", row.brief.id, row.brief.title);
    element("span").add(badge((Role::Warn, "blocked"))).add(text).into()
}

fn notices(input: &Input<'_>) -> Vec<Html> {
    let told = |kind: DecisionKind, text: &str| {
        element("span").add(badge((kind.role(), kind.name()))).add(" ").add(text).into()
    };
    let log = input.log.altered();
    let altered = log.map(|text| told(DecisionKind::LogAltered, text));
    let alarming = |kind| {
        use DecisionKind::{GuardMissing, LogAltered, TestsWeakened, VerdictVoid};
        matches!(kind, GuardMissing | LogAltered | TestsWeakened | VerdictVoid)
    };
    let decided = input.history.decisions.iter().filter(|decision| alarming(decision.kind));
    let decided = decided.filter(|decision| log != Some(decision.text.as_str()));
    let decided = decided.map(|decision| told(decision.kind, &decision.text));
    let warnings = &input.history.warnings;
    let skipped = warnings.len().saturating_sub(MOST_WARNINGS);
    let more = (skipped > 0).then(|| Html::from(format!("{skipped} older warnings are not shown")));
    let start = input.history.view.start.as_ref();
    let unchecked =
        start.and_then(|start| words::without_checks(start.checks, start.kind, start.review_cap));
    let warning = |text: &str| -> Html {
        element("span").add(badge((Role::Warn, "warning"))).add(" ").add(text).into()
    };
    let warnings = warnings[skipped..].iter().map(|(_, text)| warning(text));
    let unchecked = unchecked.map(warning);
    altered.into_iter().chain(unchecked).chain(decided).chain(more).chain(warnings).collect()
}

fn step(step: &NextStep) -> Html {
    let commands =
        (!step.commands.is_empty()).then(|| evidence("Commands", block(&step.commands.join("\n"))));
    element("div").class("step").add(element("p").add(&step.text)).add(commands).into()
}
