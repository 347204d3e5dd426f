//! The lines of `--verbose` on a stream of their own.

use events::{LoopEvent, Stamped};

use super::rendered;
use crate::report::test_events::{
    a_run, a_run_with_failures, a_run_with_memory, agent_called, stamped,
};
use crate::report::{LineRenderer, Marks, VerboseLines, verbose_line};

fn written(events: &[Stamped]) -> String {
    let plain = LineRenderer::plain(Marks::EMOJI);
    let verbose = VerboseLines::All;
    rendered(&LineRenderer { agent_stream: false, verbose, ..plain }, events)
}

fn about(event: LoopEvent) -> String {
    written(&[stamped(0, event)])
}

#[test]
fn a_whole_run_step_by_step() {
    assert_eq!(written(&a_run()), include_str!("../a_run_verbose.txt"));
}

#[test]
fn failed_stories_step_by_step() {
    assert_eq!(written(&a_run_with_failures()), include_str!("../a_run_with_failures_verbose.txt"));
}

#[test]
fn a_run_with_memory_step_by_step() {
    assert_eq!(written(&a_run_with_memory()), include_str!("../a_run_with_memory_verbose.txt"));
}

#[test]
fn a_prompt_is_cut_at_200_characters() {
    let prompt = |chars: usize| about(agent_called("x", &"é".repeat(chars)));
    let shown = |text: &str| text.matches('é').count();
    assert_eq!((shown(&prompt(200)), prompt(200).contains("...")), (200, false));
    assert_eq!((shown(&prompt(201)), prompt(201).ends_with("é...\n")), (200, true));
}

#[test]
fn a_missing_tag_is_shown() {
    let checked =
        LoopEvent::CompletionChecked { wanted: "<a>".into(), found: None, near_miss: None };
    assert_eq!(about(checked), "[ralph] completion: expected <a>, found nothing\n");
}

#[test]
fn untrusted_text_stays_on_its_line_without_control_characters() {
    let text = about(agent_called("evil\x1b[2J\n[ralph] Run ended", "a\rb\x07"));
    assert_eq!(text.lines().count(), 2);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert_eq!(verbose_line("a\n\x1b[1mb"), "[ralph] a b");
}
