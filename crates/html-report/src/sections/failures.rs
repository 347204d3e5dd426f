//! Failures with evidence: failed attempts, reverted changes, blocked stops and weakened tests.

use events::format::{agent_outcome, check_failure, iteration_status, story_commits};
use events::{CheckOutcome, CheckRecord, IterationRecord, Role, Verdict};

use super::{badge, card, code, evidence, quiet, section};
use crate::PageInput;
use crate::html::{Element, Html, block, element};
use crate::table::{folded, list_or_fold};
use crate::tally::when;

/// The number of iterations shown with evidence, the last ones.
const MOST: usize = 60;

pub(super) fn failures(input: &PageInput<'_>) -> Html {
    let section = section("failures", "Failures");
    let shown: Vec<(&IterationRecord, Vec<Html>)> = input
        .view
        .records
        .iter()
        .map(|record| (record, evidence_of(record)))
        .filter(|(_, evidence)| !evidence.is_empty())
        .collect();
    let given_up = given_up(input);
    if shown.is_empty() && given_up.is_empty() {
        return section.add(quiet("None.")).into();
    }
    let skipped = shown.len().saturating_sub(MOST);
    let more = (skipped > 0).then(|| {
        quiet(format!("The last {MOST}. {skipped} earlier ones are in the table of iterations."))
    });
    let is_review = |record: &IterationRecord| {
        record.failed_attempt.is_some() && record.verdict == Some(Verdict::ChangesRequested)
    };
    let reviews = shown.iter().any(|(record, _)| is_review(record)).then(|| {
        quiet(
            "Reviews that request changes are listed too: the review was accepted, but the attempt at \
             its story failed.",
        )
    });
    let shown = shown.into_iter().skip(skipped);
    let shown: Vec<Html> = shown.map(|(record, found)| one(input, record, found).into()).collect();
    section
        .add_all(given_up)
        .add(reviews)
        .add(more)
        .add(list_or_fold("failures", "Iterations", shown))
        .into()
}

fn one(input: &PageInput<'_>, record: &IterationRecord, found: Vec<Html>) -> Element {
    let story = record.story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
    let status = record.end.as_ref().map(|end| badge(iteration_status(end.status, record.verdict)));
    let summary = element("span")
        .add(format!("Iteration {}, {}{story}, ", record.number, record.mode))
        .add(when(record.started_at, input.offset))
        .add(" ")
        .add(status);
    let key = format!("failure-{}-{}", record.number, record.attempt);
    let contents = element("div").class("evidence").add_all(found);
    folded(key, summary, contents.into())
}

/// Given-up stories, with the branch of their work.
fn given_up(input: &PageInput<'_>) -> Vec<Html> {
    let view = input.view;
    let run = view.start.as_ref().map_or("", |start| &start.branch);
    let cards = view.stories.iter().filter_map(|story| {
        let given_up = story.given_up.as_ref()?;
        let branch = given_up.branch.as_ref().map(|branch| {
            let diagnostics = given_up.diagnostics.as_ref();
            let outputs = diagnostics
                .map(|file| element("span").add("; all outputs are in ").add(code(file)));
            element("p").add("Its work is on ").add(code(branch)).add(outputs).add(".")
        });
        let commits = story_commits(&given_up.commits, run, ToOwned::to_owned);
        let card = card("given up", story, given_up);
        Some(card.add(branch).add(quiet(format!("{commits}."))).into())
    });
    cards.collect()
}

fn evidence_of(record: &IterationRecord) -> Vec<Html> {
    let mut found: Vec<Html> = Vec::new();
    if let Some(failed) = &record.failed_attempt {
        let repeats = match failed.repeats {
            0 | 1 => String::new(),
            repeats => format!(", the same failure {repeats} times in a row"),
        };
        let head = format!(
            "Attempt {} of {} failed at {}{repeats}:",
            failed.attempt, failed.of, failed.gate
        );
        found.push(element("p").add(head).into());
        found.push(element("p").class("error").add(&failed.error).into());
    }
    found.extend(record.checks.iter().filter_map(failed_check));
    if let Some(agent) = record.agent.as_ref().filter(|agent| !agent.detail.trim().is_empty()) {
        let text = format!("The agent {}: {}", agent_outcome(agent.outcome), agent.detail);
        found.push(element("p").add(text).into());
    }
    if let Some(undone) = &record.undone {
        found.push(list("Reverted, because:", &undone.findings));
        found.push(list("Corrections:", &undone.corrections));
        let at = undone.commit.as_ref();
        found.extend(
            at.map(|commit| quiet(format!("The reverted changes are kept in {commit}.")).into()),
        );
    }
    found.extend(record.blocked_stops.iter().map(|why| {
        let label = element("p")
            .add(badge((Role::Warn, "blocked")))
            .add(" The Stop hook blocked the end of the session:");
        element("div").add(label).add(evidence("Why it was blocked", block(why))).into()
    }));
    found.extend(record.weakened_tests.iter().map(|file| {
        let name = format!("Tests weakened in {}:", file.path);
        list(&name, &file.findings)
    }));
    found.extend(record.guard_missing.iter().map(|why| {
        element("p").add(badge((Role::Alarm, "hook failure"))).add(" ").add(why).into()
    }));
    if let Some(back) = &record.rolled_back {
        let kept = match back.backup.as_str() {
            "" => String::new(),
            backup => format!("; its changes are kept in {backup}"),
        };
        found.push(quiet(format!("Rolled back to {}{kept}.", back.to)).into());
    }
    found
}

fn failed_check(check: &CheckRecord) -> Option<Html> {
    if check.outcome == CheckOutcome::Passed {
        return None;
    }
    let why = check_failure(check.outcome).unwrap_or_default();
    let head = element("p").add(code(&check.command)).add(format!(": {why}"));
    let log = (!check.log.is_empty())
        .then(|| element("p").class("quiet").add("Full output: ").add(code(&check.log)));
    let tail = (!check.tail.is_empty())
        .then(|| evidence("Last lines of the output", block(&check.tail.join("\n"))));
    Some(element("div").add(head).add(tail).add(log).into())
}

fn list(name: &str, items: &[String]) -> Html {
    let list = element("ul").add_all(items.iter().map(|item| element("li").add(item)));
    (!items.is_empty()).then(|| element("div").add(element("p").add(name)).add(list)).into()
}
