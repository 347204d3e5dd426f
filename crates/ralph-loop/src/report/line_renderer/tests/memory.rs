//! Prompts, handoffs, compactions, plan changes and rollbacks.

use super::*;
use crate::report::Marks;
use crate::report::test_events::{
    a_run_with_memory, compaction_ended, compaction_started, context_assembled, handoff_saved,
    part, plan_amended, rolled_back,
};

#[test]
fn a_run_with_memory_on_80_columns() {
    let text = rendered(&renderer(Some(80)), &a_run_with_memory());
    assert_eq!(text, include_str!("../a_run_with_memory_on_80_columns.txt"));
}

#[test]
fn a_run_with_memory_on_a_narrow_terminal_without_emoji() {
    let options = LineRenderer::plain(Marks::ASCII);
    let text = rendered(&options.with_width(Some(60)), &a_run_with_memory());
    assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 60), "{text}");
    // Story titles are the user's text.
    let is_ours = |line: &&str| !line.contains("US-003");
    assert!(text.lines().filter(is_ours).all(str::is_ascii), "{text}");
}

#[test]
fn a_prompt_shows_what_was_omitted_and_when_it_exceeds_its_budget() {
    let fits = context_assembled(1, &[part("task", 10, 10, 0)]);
    assert_eq!(about(fits), "  prompt: 10 of 8000 tokens\n");
    let cut = [part("skills", 10, 90, 1), part("compacted", 5, 50, 12)];
    let cut = about(context_assembled(1, &cut));
    assert_eq!(cut, "  prompt: 15 of 8000 tokens; omitted: 1 of skills and 12 of compacted\n");
    let over = about(context_assembled(1, &[part("task", 9000, 9000, 0)]));
    assert!(
        over.starts_with("  ▲ the prompt has 9000 tokens, over its budget of 8000: "),
        "{over}"
    );
}

#[test]
fn a_handoff_shows_its_source() {
    use HandoffSource::{Agent, Repaired, Runner};
    let shown = |source, problems: &[&str]| about(handoff_saved(3, source, problems));
    let line =
        "  ◆ handoff: [US-002] Sums have their tax, rounded half to even. Complete. 3 files.";
    assert_eq!(shown(Agent, &[]), format!("{line}\n"));
    assert_eq!(shown(Repaired, &["x"]), format!("{line} (1 invalid part ignored)\n"));
    assert_eq!(shown(Repaired, &["x", "y"]), format!("{line} (2 invalid parts ignored)\n"));
    assert!(shown(Runner, &[]).ends_with(" (written by the runner: the agent wrote none)\n"));
    let invalid = " (written by the runner: the agent's was invalid)\n";
    assert!(shown(Runner, &["x"]).ends_with(invalid));
}

#[test]
fn a_compaction_shows_its_reason_and_result() {
    use CompactionReason::{Docs, Interval};
    assert_eq!(
        about(compaction_started(Interval, 5)),
        "  › compacting 5 handoffs: 5 iterations since the last\n"
    );
    assert_eq!(
        about(compaction_started(Docs, 0)),
        "  › looking up documentation: the next story needs documentation of rust_decimal\n"
    );
    let ended = |outcome, text| about(compaction_ended(outcome, text));
    assert_eq!(ended(CompactionOutcome::Compacted, ""), "  ✅ compacted (42s, $0.05)\n");
    assert_eq!(ended(CompactionOutcome::Stopped, ""), "  compaction stopped\n");
    assert_eq!(
        ended(CompactionOutcome::Failed, "no answer"),
        "  ▲ compaction failed, retrying later: no answer (42s, $0.05)\n"
    );
    let (outcome, text) = (CompactionOutcome::Compacted, String::new());
    let free = LoopEvent::CompactionEnded { outcome, text, seconds: 8.0, cost_usd: 0.0 };
    assert_eq!(about(free), "  ✅ compacted (8s)\n", "cost unknown");
}

#[test]
fn a_rollback_shows_its_backup_and_what_was_not_restored() {
    assert_eq!(
        about(rolled_back(&["target/ (not tracked by git and changed)"])),
        "  ↺ rolled back iteration 4 to 0123456789: 2 files removed, 1 restored\n      \
         its changes are kept in refs/ralph/20261115-010000-ab12/rolled-back-4-1\n  \
         ▲ not restored: target/ (not tracked by git and changed)\n"
    );
    for (files, expected) in [
        ((0, 0), "0123456789\n"),
        ((1, 0), "0123456789: 1 file removed\n"),
        ((0, 2), "0123456789: 2 files restored\n"),
    ] {
        let mut event = rolled_back(&[]);
        if let LoopEvent::RolledBack(events::RolledBack { removed, restored, backup, .. }) =
            &mut event
        {
            (*removed, *restored) = files;
            backup.clear();
        }
        assert_eq!(about(event), format!("  ↺ rolled back iteration 4 to {expected}"));
    }
}

/// Summaries, reasons and file names are untrusted.
#[test]
fn untrusted_text_never_starts_a_new_line() {
    let evil = "x\x1b[2J\n  ✅ approved\u{202e}";
    let mut handoff = handoff_saved(3, HandoffSource::Agent, &[]);
    if let LoopEvent::HandoffSaved { text, .. } = &mut handoff {
        *text = evil.into();
    }
    let mut started = compaction_started(CompactionReason::Docs, 1);
    if let LoopEvent::CompactionStarted { text, .. } = &mut started {
        *text = evil.into();
    }
    let failed = compaction_ended(CompactionOutcome::Failed, evil);
    for (event, lines) in [
        (handoff, 1),
        (started, 1),
        (failed, 1),
        (plan_amended(&[evil], &[evil]), 2),
        (rolled_back(&[evil]), 3),
    ] {
        let text = about(event);
        assert_eq!(text.lines().count(), lines, "{text}");
        assert!(text.contains("x   ✅ approved\u{fffd}"), "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}
