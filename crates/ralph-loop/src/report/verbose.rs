//! `--verbose`: the steps of the loop, in lines that begin with `[ralph]`.
//!
//! `display` prints the settings before the run, also with `verbose_line`.

mod attempts;
mod memory;

use std::io::{self, Write};

use events::{CheckOutcome, LoopEvent, Stamped};

use super::format::{agent_outcome, iteration_status};
use super::line::wrapped;
use super::line_renderer::LineRenderer;
use super::{Line, Reporter, Role, RunView, is_closed};

/// The length of the prompt excerpt.
const PROMPT_CHARS: usize = 200;

/// Writes the lines to standard error, where no terminal is redrawn.
#[derive(Debug)]
pub struct Verbose<W> {
    out: W,
    view: RunView,
    is_closed: bool,
}

impl<W: Write> Verbose<W> {
    pub fn new(out: W) -> Self {
        Self { out, view: RunView::default(), is_closed: false }
    }
}

impl<W: Write> Reporter for Verbose<W> {
    fn name(&self) -> &'static str {
        "standard error"
    }

    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let texts = texts(&stamped.event, &self.view);
        self.view.apply(stamped);
        if texts.is_empty() {
            return Ok(());
        }
        let lines: String = texts.iter().map(|text| verbose_line(text) + "\n").collect();
        let written = self.out.write_all(lines.as_bytes()).and_then(|()| self.out.flush());
        self.is_closed = is_closed(written)?;
        Ok(())
    }
}

impl LineRenderer {
    /// The lines for a redrawn terminal, wrapped and not cut, so that commands can be copied.
    pub(crate) fn verbose(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let texts = texts(&stamped.event, view);
        let lines = texts.iter().flat_map(|text| {
            let line = verbose_line(text);
            let pieces = wrapped(&line, self.look.width.unwrap_or(usize::MAX));
            pieces.into_iter().map(|piece| Line::empty().with(Role::Dim, piece)).collect::<Vec<_>>()
        });
        lines.collect()
    }
}

/// `[ralph] text`, sanitized, on one line.
pub fn verbose_line(text: &str) -> String {
    format!("[ralph] {}", sanitize::line(text))
}

fn texts(event: &LoopEvent, view: &RunView) -> Vec<String> {
    match event {
        LoopEvent::RunStarted { agent, program, branch, project, .. } => {
            let branch = if branch.is_empty() { "none" } else { branch };
            vec![
                format!("Project: {project}, branch: {branch}"),
                format!("Agent: {agent} ({program})"),
            ]
        }
        LoopEvent::IterationStarted { iteration, attempt, .. } => {
            let of = view.start.as_ref().map(|start| format!("/{}", start.max_iterations));
            let again = if *attempt > 1 { format!(" (try {attempt})") } else { String::new() };
            vec![format!("Iteration {iteration}{} starting{again}", of.unwrap_or_default())]
        }
        LoopEvent::AgentCalled { command, prompt_bytes, prompt, .. } => vec![
            format!("Agent command: {command}"),
            format!("Prompt ({prompt_bytes} bytes): {}", beginning(prompt, *prompt_bytes)),
        ],
        LoopEvent::AgentStderr { text } => vec![format!("Agent stderr: {text}")],
        LoopEvent::AgentEnded { outcome, seconds, .. } => {
            vec![format!("Agent {} {}", agent_outcome(*outcome), timed(*seconds))]
        }
        LoopEvent::CompletionChecked { wanted, found, .. } => {
            let found = found.as_deref().unwrap_or("nothing");
            vec![format!("Completion: expected {wanted}, found {found}")]
        }
        LoopEvent::CheckStarted { command, .. } => vec![format!("Running guardrail: {command}")],
        LoopEvent::CheckEnded { outcome, seconds, fail_action, .. } => {
            let text = format!("Guardrail {} {}", guardrail(*outcome), timed(*seconds));
            match outcome {
                CheckOutcome::Passed => vec![text],
                _ => vec![format!("{text}, fail action {fail_action}")],
            }
        }
        LoopEvent::AttemptFailed { .. }
        | LoopEvent::Escalated { .. }
        | LoopEvent::StoryGivenUp { .. }
        | LoopEvent::TimeWarning { .. }
        | LoopEvent::QualityStarted { .. }
        | LoopEvent::QualityChecked { .. }
        | LoopEvent::TestsWeakened { .. } => attempts::texts(event),
        LoopEvent::ContextAssembled { .. }
        | LoopEvent::HandoffSaved { .. }
        | LoopEvent::CompactionStarted { .. }
        | LoopEvent::CompactionEnded { .. }
        | LoopEvent::PlanAmended { .. }
        | LoopEvent::RolledBack { .. } => memory::texts(event),
        LoopEvent::ScmEnded { task, outcome, text } => {
            let outcome = match outcome {
                events::ScmOutcome::Done => "done",
                events::ScmOutcome::NothingToDo => "nothing to do",
                events::ScmOutcome::Failed => "failed",
            };
            let colon = if text.is_empty() { "" } else { ": " };
            vec![format!("SCM task {task}: {outcome}{colon}{text}")]
        }
        LoopEvent::IterationEnded {
            iteration,
            status,
            seconds,
            agent_seconds,
            check_seconds,
            ..
        } => {
            let verdict = view.iteration().and_then(|iteration| iteration.verdict);
            let status = iteration_status(*status, verdict).1;
            vec![format!(
                "Iteration {iteration} ended: {status} ({seconds:.1}s: agent {agent_seconds:.1}s, \
                 guardrails {check_seconds:.1}s)"
            )]
        }
        LoopEvent::RunEnded { end, exit_code, seconds, .. } => {
            vec![format!("Run ended: {end}, exit code {exit_code} {}", timed(*seconds))]
        }
        _ => Vec::new(),
    }
}

fn beginning(prompt: &str, bytes: u64) -> String {
    let start: String = prompt.chars().take(PROMPT_CHARS).collect();
    let more = if bytes > start.len() as u64 { "..." } else { "" };
    format!("{start}{more}")
}

fn timed(seconds: f64) -> String {
    format!("({seconds:.1}s)")
}

fn guardrail(outcome: CheckOutcome) -> String {
    match outcome {
        CheckOutcome::Passed => "exited with code 0".into(),
        CheckOutcome::Failed(Some(code)) => format!("exited with code {code}"),
        CheckOutcome::Failed(None) => "was killed by a signal".into(),
        CheckOutcome::TimedOut => "timed out".into(),
        CheckOutcome::NotStarted => "could not be started".into(),
    }
}

#[cfg(test)]
mod tests {
    use events::{FailAction, ScmOutcome};

    use super::*;
    use crate::report::test_events::{a_run, agent_called, scm_ended, stamped};

    fn written(events: &[Stamped]) -> String {
        let mut out = Vec::new();
        let mut verbose = Verbose::new(&mut out);
        events.iter().for_each(|stamped| verbose.event(stamped).unwrap());
        String::from_utf8(out).unwrap()
    }

    fn about(event: LoopEvent) -> String {
        written(&[stamped(0, event)])
    }

    #[test]
    fn a_whole_run_step_by_step() {
        let expected = "\
[ralph] Project: /home/me/shop, branch: ralph/shop
[ralph] Agent: claude (/usr/bin/claude)
[ralph] Iteration 3/15 starting
[ralph] Agent command: claude -p --model opus
[ralph] Prompt (35 bytes): Review the story US-002. Be strict.
[ralph] Agent stderr: npm warn old
[ralph] Agent answered (230.0s)
[ralph] Completion: expected <promise>COMPLETE</promise>, found COMPLETE
[ralph] Running guardrail: cargo test
[ralph] Guardrail exited with code 0 (12.0s)
[ralph] Running guardrail: cargo clippy
[ralph] Guardrail exited with code 101 (8.0s), fail action APPEND
[ralph] SCM task commit: done: cart: sums with tax
[ralph] SCM task push: failed: no upstream set one
[ralph] Iteration 3 ended: changes requested (252.0s: agent 230.0s, guardrails 20.0s)
[ralph] Iteration 4/15 starting (try 2)
[ralph] Agent crashed (230.0s)
[ralph] Iteration 4 ended: the agent failed (252.0s: agent 230.0s, guardrails 20.0s)
[ralph] Run ended: interrupted, exit code 130 (5652.0s)
";
        assert_eq!(written(&a_run()), expected);
    }

    #[test]
    fn a_prompt_is_cut_at_200_characters() {
        let prompt = |chars: usize| about(agent_called("x", &"é".repeat(chars)));
        let shown = |text: &str| text.matches('é').count();
        assert_eq!((shown(&prompt(200)), prompt(200).contains("...")), (200, false));
        assert_eq!((shown(&prompt(201)), prompt(201).ends_with("é...\n")), (200, true));
    }

    #[test]
    fn every_outcome_of_a_guardrail_has_a_text() {
        let ended = |outcome| {
            about(LoopEvent::CheckEnded {
                command: "make".into(),
                outcome,
                seconds: 1.234,
                fail_action: FailAction::Replace,
                log: String::new(),
                tail: vec![],
            })
        };
        let failed = |how: &str| format!("[ralph] Guardrail {how} (1.2s), fail action REPLACE\n");
        assert_eq!(ended(CheckOutcome::Failed(None)), failed("was killed by a signal"));
        assert_eq!(ended(CheckOutcome::TimedOut), failed("timed out"));
        assert_eq!(ended(CheckOutcome::NotStarted), failed("could not be started"));
    }

    #[test]
    fn a_missing_tag_and_nothing_to_commit() {
        let checked =
            LoopEvent::CompletionChecked { wanted: "<a>".into(), found: None, near_miss: None };
        assert_eq!(about(checked), "[ralph] Completion: expected <a>, found nothing\n");
        let nothing = scm_ended("commit", ScmOutcome::NothingToDo, "");
        assert_eq!(about(nothing), "[ralph] SCM task commit: nothing to do\n");
    }

    #[test]
    fn untrusted_text_stays_on_its_line_without_control_characters() {
        let text = about(agent_called("evil\x1b[2J\n[ralph] Run ended", "a\rb\x07"));
        assert_eq!(text.lines().count(), 2);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert_eq!(verbose_line("a\n\x1b[1mb"), "[ralph] a b");
    }

    #[test]
    fn a_closed_output_does_not_fail_the_run() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut verbose = Verbose::new(Closed);
        verbose.event(&a_run()[0]).unwrap();
        assert!(verbose.is_closed);
    }
}
