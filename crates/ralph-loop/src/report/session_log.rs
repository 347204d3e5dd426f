//! `session.log`: the run as text, with a header and a footer around each iteration and a summary at the
//! end. Each event is appended at once.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use events::describe::failed_story_text;
use events::{EndView, IterationEnded, IterationRecord, LoopEvent, Stamped};

use super::format::iteration_status;
use super::{
    Line, LineRenderer, Marks, Reporter, Role, RunView, after, duration, lane_prefix, money,
    prefixed, run_file,
};

const THICK: &str =
    "================================================================================";
const THIN: &str =
    "--------------------------------------------------------------------------------";

#[derive(Debug)]
pub(crate) struct SessionLog<W> {
    out: W,
    renderer: LineRenderer,
    view: RunView,
}

impl SessionLog<File> {
    /// Continues the file at `path`, or starts it.
    pub(crate) fn append(path: &Path) -> io::Result<Self> {
        let (mut file, _) = run_file::open(path)?;
        run_file::end_line(&mut file)?;
        Ok(Self::new(file))
    }
}

impl<W: Write> SessionLog<W> {
    fn new(out: W) -> Self {
        Self { out, renderer: LineRenderer::plain(Marks::ASCII), view: RunView::default() }
    }

    fn lines(&self, stamped: &Stamped) -> Vec<Line> {
        let texts = match &stamped.event {
            LoopEvent::IterationStarted { .. } => {
                header(after(&self.view, stamped).iteration_in(stamped.lane))
            }
            LoopEvent::IterationEnded(ended) => {
                footer(stamped.at, ended, self.view.iteration_in(stamped.lane))
            }
            LoopEvent::RunEnded(run) => summary(&after(&self.view, stamped), run.seconds),
            LoopEvent::AgentStderr { text } => vec![format!("  stderr: {text}")],
            _ => return self.renderer.lines(stamped, &self.view),
        };
        texts.iter().map(|text| Line::text(Role::Plain, text)).collect()
    }
}

impl<W: Write> Reporter for SessionLog<W> {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let prefix = lane_prefix(stamped, &self.view);
        let text = self.renderer.look.paint(&prefixed(&prefix, self.lines(stamped)));
        self.view.apply(stamped);
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

fn header(iteration: Option<&IterationRecord>) -> Vec<String> {
    let Some(iteration) = iteration else { return Vec::new() };
    let IterationRecord { number, attempt, mode, story, title, folder, .. } = iteration;
    let mut texts = vec![
        THICK.to_owned(),
        format!("ITERATION {number}"),
        THICK.to_owned(),
        format!("Mode: {mode}"),
        format!("Start Time: {}", timestamp(iteration.started_at)),
        THIN.to_owned(),
        match story {
            Some(story) => format!("Story: {story} {title}"),
            None => format!("Prompt: {title}"),
        },
        format!("Files: {folder}"),
    ];
    texts.extend((*attempt > 1).then(|| format!("Retry: {}", attempt - 1)));
    texts
}

/// `record` is that of the iteration before it ended.
fn footer(
    at: DateTime<Utc>,
    ended: &IterationEnded,
    record: Option<&IterationRecord>,
) -> Vec<String> {
    let IterationEnded { iteration, status, seconds, cost_usd, .. } = ended;
    let mut texts = vec![
        THIN.to_owned(),
        format!("ITERATION {iteration} COMPLETE"),
        format!("End Time: {}", timestamp(at)),
        format!("Duration: {}", duration(*seconds)),
    ];
    let (mut retries, mut verdict) = (0, None);
    if let Some(iteration) = record {
        retries = iteration.attempt.saturating_sub(1);
        verdict = iteration.verdict;
        texts.extend(iteration.turns.map(|turns| format!("API Requests: {turns}")));
        texts.extend(iteration.model.as_ref().map(|model| format!("Model: {model}")));
        texts.push(format!("Messages: {}", iteration.messages));
    }
    // 0 also means that the agent reports no cost.
    texts.extend((*cost_usd > 0.0).then(|| format!("Cost: {}", money(*cost_usd))));
    let retries = if retries == 0 { String::new() } else { format!(" (retry {retries})") };
    texts.push(format!("Status: {}{retries}", iteration_status(*status, verdict).1));
    texts.extend([THICK.to_owned(), String::new()]);
    texts
}

fn summary(view: &RunView, seconds: f64) -> Vec<String> {
    let Some(EndView { end, exit_code, text, .. }) = &view.end else { return Vec::new() };
    let reason = if text.is_empty() { end.to_string() } else { format!("{end}: {text}") };
    let mut texts = vec![
        THICK.to_owned(),
        "SESSION SUMMARY".to_owned(),
        THICK.to_owned(),
        format!("Total Iterations: {}", view.iterations),
        format!("Successful: {}", view.accepted),
        format!("Failed: {}", view.failed),
        format!("Total Duration: {}", duration(seconds)),
        format!("Exit Reason: {reason}"),
        format!("Exit Code: {exit_code}"),
    ];
    let failed = view.stories.iter().filter_map(failed_story_text);
    texts.extend(failed.map(|failed| format!("Failed Story: {}; {}", failed.head, failed.work)));
    texts.push(THICK.to_owned());
    texts
}

fn timestamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use events::{AgentOutcome, IterationStatus, RunEnd};
    use tasks::Mode;

    use super::*;
    use crate::report::test_events::{
        a_run, a_run_with_failures, a_run_with_memory, agent_ended, iteration_ended,
        iteration_started, run_ended, stamped,
    };

    fn logged(events: &[Stamped]) -> String {
        let mut out = Vec::new();
        let mut log = SessionLog::new(&mut out);
        events.iter().for_each(|stamped| log.event(stamped).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn header_footer_and_summary_have_their_form() {
        let text = logged(&[
            stamped(0, iteration_started(3, 2, Mode::Review)),
            stamped(1, LoopEvent::SessionStarted { model: "opus".into(), version: "2".into() }),
            stamped(2, LoopEvent::AgentText { text: "Looks\x1b[31m good.".into() }),
            stamped(2, LoopEvent::AgentStderr { text: "npm\x1b[31m warn".into() }),
            stamped(250, agent_ended(AgentOutcome::Answered, "", &[])),
            stamped(252, iteration_ended(3, Mode::Review, IterationStatus::Accepted)),
            stamped(253, run_ended(RunEnd::Complete)),
        ]);
        let expected = "\
================================================================================
ITERATION 3
================================================================================
Mode: review
Start Time: 2026-11-15T01:00:00Z
--------------------------------------------------------------------------------
Story: US-002 Sums with tax
Files: .ralph/runs/20261115-010000-ab12/003-review-US-002
Retry: 1
  opus, version 2
  Looks good.
  stderr: npm warn
  [OK] Complete (cost: $0.42, tokens: 1.2M in (850K cached) / 45K out, time: 3m50s)
--------------------------------------------------------------------------------
ITERATION 3 COMPLETE
End Time: 2026-11-15T01:04:12Z
Duration: 4m 12s
API Requests: 12
Model: opus
Messages: 1
Cost: $0.42
Status: accepted (retry 1)
================================================================================

================================================================================
SESSION SUMMARY
================================================================================
Total Iterations: 4
Successful: 3
Failed: 1
Total Duration: 1h 34m
Exit Reason: complete: Ctrl-C was pressed; run the same command to resume.
Exit Code: 0
================================================================================
";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_summary_names_the_stories_that_failed() {
        let text = logged(&a_run_with_failures());
        let summary = text.split("SESSION SUMMARY").nth(1).unwrap();
        let failed: Vec<&str> =
            summary.lines().filter(|line| line.starts_with("Failed Story: ")).collect();
        assert_eq!(failed.len(), 2, "{summary}");
        assert_eq!(
            failed[1],
            "Failed Story: US-005 failed after 3 of 5 attempts (review limit reached), the last at \
             spec-review: Missing: password reset flow; its work is on \
             wip/ralph-fail-US-005-20261115-021320"
        );
        assert!(text.contains("\n  [FAILED] GIVEN UP: US-003 after 5 of 5 attempts\n"), "{text}");
    }

    #[test]
    fn unknown_values_are_omitted() {
        let text =
            logged(&[stamped(9, iteration_ended(3, Mode::Review, IterationStatus::Retried))]);
        for unknown in ["API Requests", "Model", "Messages", "(retry"] {
            assert!(!text.contains(unknown), "{text}");
        }
        assert!(text.contains("\nStatus: the agent failed; retried\n"), "{text}");
    }

    #[test]
    fn an_unknown_cost_is_omitted() {
        let mut event = iteration_ended(3, Mode::Review, IterationStatus::Accepted);
        let LoopEvent::IterationEnded(events::IterationEnded { cost_usd, .. }) = &mut event else {
            unreachable!()
        };
        *cost_usd = 0.0;
        let text = logged(&[stamped(9, event)]);
        assert!(text.contains("\nStatus: ") && !text.contains("Cost"), "{text}");
    }

    #[test]
    fn tool_calls_and_checks_are_logged_without_control_characters() {
        let text = logged(&a_run());
        for line in
            ["  -> Bash(git diff main...)", "  [ERR] check 2/2  cargo clippy  8s  exit code 101"]
        {
            assert!(text.lines().any(|logged| logged == line), "{text}");
        }
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    }

    #[test]
    fn handoffs_and_compactions_are_logged_in_order() {
        let text = logged(&a_run_with_memory());
        let lines: Vec<&str> = text.lines().collect();
        let at = |wanted: &str| lines.iter().position(|line| *line == wanted).unwrap();
        let handoff =
            "  * handoff: [US-002] Sums have their tax, rounded half to even. Complete. 3 files.";
        assert!(at(handoff) < at("ITERATION 3 COMPLETE"), "{text}");
        let compacted = at("  [OK] compacted (42s, $0.05)");
        assert!(at("ITERATION 3 COMPLETE") < compacted && compacted < at("ITERATION 4"), "{text}");
        at("      its changes are kept in refs/ralph/20261115-010000-ab12/rolled-back-4-1");
    }

    #[test]
    fn it_is_appended_to() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("session.log");
        for _ in 0..2 {
            SessionLog::append(&path).unwrap().event(&a_run()[0]).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, logged(&a_run()[..1]).repeat(2));
    }
}
