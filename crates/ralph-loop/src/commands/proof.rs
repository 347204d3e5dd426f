//! `ralph-loop proof`: the tests that prove a story, as a run saw them fail and pass (`recorded`), or as they run now
//! at a commit (`rerun`).

mod rerun;

use std::process::ExitCode;

use anyhow::{Context, Result};
use events::{CriterionProof, ProofPhase, ProofState, TestProof, TestRun, describe, format};
use project::Layout;
use serde::Serialize;
use tasks::StoryId;

use super::{CommandResult, layout, print_result, settings_or_default, with_json_error};
use crate::cli::ProofArgs;
use crate::command_error::precondition;
use crate::report::{Line, Look, Role, RunView};
use crate::run_report::ProofReport;
use crate::status::{self, TaskFile};
use crate::{display, json};

const VERSION: u64 = 1;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownProof {
    version: u64,
    #[serde(flatten)]
    source: Source,
    #[serde(flatten)]
    proof: ProofReport,
}

/// Where the results come from.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Source {
    Run { run: String },
    Commits { at: String, tests_of: String },
}

impl Source {
    fn text(&self) -> String {
        match self {
            Self::Run { run } => format!("run {run}"),
            Self::Commits { at, tests_of } => {
                let [at, tests_of] = [at, tests_of].map(|commit| format::short_id(commit));
                format!("just now, at {at} with the tests of {tests_of}")
            }
        }
    }
}

pub(super) fn proof(args: &ProofArgs) -> CommandResult {
    with_json_error(args.json, done(args))
}

fn done(args: &ProofArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let (proof, code) = match &args.at {
        Some(at) => rerun::rerun(args, &layout, at)?,
        None => (Some(recorded(&layout, &args.story)?), ExitCode::SUCCESS),
    };
    let Some(proof) = proof else { return Ok(code) };
    let look = || display::look(&args.look.over(settings_or_default(&layout).display));
    print_result(&json::or_text(args.json, &proof, || text(&proof, &look()))?)?;
    Ok(code)
}

/// From the log of the newest run.
fn recorded(layout: &Layout, story: &StoryId) -> Result<ShownProof> {
    let run = status::newest_run(layout).context("cannot read the runs")?;
    let view = run.map(|run| run.view).ok_or_else(|| {
        precondition("no run has proved a story", "start one with `ralph-loop --proof`")
    })?;
    let proof = ProofReport::of(&view, story).ok_or_else(|| missing(layout, &view, story))?;
    Ok(ShownProof { version: VERSION, source: Source::Run { run: view.id }, proof })
}

fn missing(layout: &Layout, view: &RunView, story: &StoryId) -> anyhow::Error {
    let is_listed = |list: &tasks::TaskList| list.story(story).is_some();
    if view.story(story).is_none() && !TaskFile::judged(layout).0.list().is_some_and(is_listed) {
        let what = format!("{story} is not a story of the task list");
        return precondition(what, "`ralph-loop status` lists the stories");
    }
    let what = format!("{story} has no proof in the newest run, {}", view.id);
    precondition(what, "run with --proof: a session then writes tests for each criterion first")
}

fn text(ShownProof { source, proof, .. }: &ShownProof, look: &Look) -> String {
    let dot = look.marks.dot;
    let title = Line::text(Role::Strong, proof.story.as_str()).with(Role::Plain, " ");
    let review = proof.review.map(|verdict| (Role::Plain, format!("review: {verdict}")));
    let summary = describe::proof_summary(&proof.summary).into_iter().chain(review);
    let mut lines = vec![
        title.with(Role::Plain, &proof.title),
        Line::indented(2).joined(dot, summary),
        Line::indented(2).with(Role::Dim, source.text()),
    ];
    lines.extend(proof.criteria.iter().flat_map(|one| criterion(one, look)));
    if !proof.problems.is_empty() {
        lines.extend([Line::empty(), Line::text(Role::Strong, "problems")]);
        lines.extend(proof.problems.iter().map(|text| Line::indented(2).with(Role::Warn, text)));
    }
    look.paint(&lines)
}

fn criterion(one: &CriterionProof, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let (role, state) = describe::proof_state(one.state);
    let mark = match one.state {
        ProofState::Green => marks.ok,
        ProofState::Red => marks.failed,
        ProofState::Manual => marks.start,
        ProofState::ProvesNothing | ProofState::NoResult => marks.warning,
    };
    let head = Line::text(role, format!("{mark} {state}: ")).with(Role::Plain, &one.criterion);
    let why = one.manual.as_ref().map(|why| Line::indented(4).with(Role::Plain, why));
    let tests = one.tests.iter().flat_map(|test| self::test(test, look));
    [Line::empty(), head].into_iter().chain(why).chain(tests).collect()
}

fn test(test: &TestProof, look: &Look) -> Vec<Line> {
    let place = Line::indented(4).with(Role::Plain, test.place());
    let of = |name: &str, run: &Option<TestRun>, phase| {
        let run = run.as_ref()?;
        let at = format!("at {}", format::short_id(&run.commit));
        Some(match run.result.unwanted(phase) {
            None => (Role::Dim, format!("{name} {at}")),
            Some(result) if phase == ProofPhase::Green => (Role::Warn, format!("{result} {at}")),
            Some(result) => (Role::Warn, format!("{name} {at}: {result}")),
        })
    };
    let without = test.without_work.as_ref().map(|run| {
        let (role, words) = describe::without_work(run);
        let role = if role == Role::Good { Role::Dim } else { role };
        (role, format!("without the work: {words}"))
    });
    let red = of("red", &test.red, ProofPhase::Red);
    let green = of("green", &test.green, ProofPhase::Green);
    let runs = [red, green, without].into_iter().flatten();
    // A red test, and one without a result, has a message about that.
    let newest = test.green.as_ref().or(test.red.as_ref());
    let message = newest.and_then(|run| run.message.lines().next());
    let message = message.map(|message| Line::indented(6).with(Role::Plain, message));
    let head = place.with(Role::Dim, format!(" ({})", test.framework));
    [head, Line::indented(6).joined(look.marks.dot, runs)].into_iter().chain(message).collect()
}

#[cfg(test)]
mod tests {
    use events::LoopEvent;

    use super::*;
    use crate::command_error;
    use crate::report::test_events::{RUN, a_proof, a_run, a_run_with_a_proof, id, log, proof_ran};
    use crate::report::{Marks, Palette};

    fn project(events: &[events::Stamped]) -> (assert_fs::TempDir, Layout) {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(RUN)).unwrap();
        std::fs::write(layout.run_dir(RUN).join("events.jsonl"), log(events)).unwrap();
        (dir, layout)
    }

    fn shown(proof: &[LoopEvent]) -> String {
        let (_dir, layout) = project(&a_run_with_a_proof(proof));
        let look = Look { palette: Palette::plain(), marks: Marks::EMOJI, width: None };
        text(&recorded(&layout, &id("US-002")).unwrap(), &look)
    }

    #[test]
    fn each_criterion_is_shown_with_its_tests_and_their_results() {
        assert_eq!(
            shown(&a_proof()),
            "\
US-002 Sums with tax
  2 of 3 tests green · 1 proves nothing · 3 criteria · review: changes requested
  run 20261115-010000-ab12

✅ green: The sum of an empty cart is 0
    tests/test_sum.py: test_empty (pytest)
      red at 1ed01ed01e · green at 93ee93ee93 · without the work: fails again

▲ proves nothing: Sums are rounded half to even
    tests/test_sum.py: test_half (pytest)
      red at 1ed01ed01e · green at 93ee93ee93 · without the work: fails again
    tests/test_tax.py: test_half[0.5 | <b>] (pytest)
      red at 1ed01ed01e · green at 93ee93ee93 · without the work: proves nothing

› no test: The sum looks like the <design>
    a person must look at it

problems
  tests/test_tax.py: test_half[0.5 | <b>] passes without the work
"
        );
    }

    #[test]
    fn a_red_test_is_shown_with_its_message() {
        let red =
            [events::ProofResult::Failed, events::ProofResult::Failed, events::ProofResult::Broken];
        let text = shown(&[proof_ran(ProofPhase::Red, red)]);
        for expected in [
            "❌ red: The sum of an empty cart is 0\n",
            "      red at 1ed01ed01e\n      NameError: `total` | cart\n",
            "      red at 1ed01ed01e: is broken\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn the_json_form_keeps_its_names() {
        let (_dir, layout) = project(&a_run_with_a_proof(&a_proof()));
        let text = json::pretty(&recorded(&layout, &id("US-002")).unwrap()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["version"], &json["run"]), (&1.into(), &RUN.into()));
        assert_eq!(
            (&json["story"], &json["review"]),
            (&"US-002".into(), &"changes requested".into())
        );
        assert_eq!(json["criteria"][0]["tests"][0]["red"]["result"], "failed");
        assert_eq!(json["problems"].as_array().unwrap().len(), 1);
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_missing_proof_is_an_error_with_a_way_out() {
        let refusal = |layout: &Layout, story: &str| {
            let error = recorded(layout, &id(story)).unwrap_err();
            (error.to_string(), command_error::hint(&error).unwrap())
        };
        let dir = assert_fs::TempDir::new().unwrap();
        let (what, hint) = refusal(&Layout::new(dir.path()), "US-002");
        assert!(what.contains("no run") && hint.contains("--proof"), "{what} {hint}");
        let (_dir, layout) = project(&a_run());
        let (what, hint) = refusal(&layout, "US-002");
        assert_eq!(what, format!("US-002 has no proof in the newest run, {RUN}"));
        assert!(hint.starts_with("run with --proof"), "{hint}");
        let (what, hint) = refusal(&layout, "US-999");
        assert_eq!(what, "US-999 is not a story of the task list");
        assert_eq!(hint, "`ralph-loop status` lists the stories");
    }
}
