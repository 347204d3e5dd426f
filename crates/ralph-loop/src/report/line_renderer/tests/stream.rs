//! Tool calls, the to-do list and the end of a session.

use events::*;
use tasks::Mode;

use super::{about, rendered, renderer};
use crate::report::test_events::{
    agent_called, agent_ended, iteration_started, stamped, tool, tool_ended,
};
use crate::report::{LineRenderer, Marks};

fn in_an_iteration(events: Vec<LoopEvent>) -> Vec<Stamped> {
    let start = [iteration_started(3, 1, Mode::Review), agent_called("claude", "x")];
    start.into_iter().chain(events).map(|event| stamped(0, event)).collect()
}

fn shown_lines(options: &LineRenderer, events: Vec<LoopEvent>) -> String {
    let text = rendered(options, &in_an_iteration(events));
    // Below the header.
    text.split_inclusive('\n').skip(2).collect()
}

fn on_a_terminal(width: usize, events: Vec<LoopEvent>) -> String {
    let text = rendered(&renderer(Some(width)), &in_an_iteration(events));
    text.split_once("tax\n").unwrap().1.to_owned()
}

fn limited(lines: usize, chars: usize, output: ToolOutput) -> String {
    let options = LineRenderer {
        output_lines: lines,
        output_chars: chars,
        ..LineRenderer::plain(Marks::EMOJI)
    };
    let ended = LoopEvent::ToolEnded {
        id: "a".into(),
        outcome: ToolOutcome::Ok,
        summary: String::new(),
        output,
    };
    shown_lines(&options, vec![tool("a", "Read", "x.rs"), ended])
}

fn output(excerpt: &str, lines: u64, chars: u64) -> ToolOutput {
    ToolOutput { excerpt: excerpt.into(), lines, chars }
}

#[test]
fn a_result_shows_its_tool_size_and_first_lines() {
    assert_eq!(
        limited(10, 1000, output("package main\n\nfunc", 3, 18)),
        "  → Read(x.rs)
  ✅ Result → Read (3 lines, 18 chars)
    ⎿  package main

       func
"
    );
}

#[test]
fn output_beyond_the_limits_is_counted() {
    let shown = |lines, chars, output| {
        let text = limited(lines, chars, output);
        text.lines().skip(2).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let short = || output("a\nb\nc", 3, 5);
    assert_eq!(shown(3, 99, short()), ["⎿  a", "b", "c"]);
    assert_eq!(shown(2, 99, short()), ["⎿  a", "b", "… 1 more line"]);
    assert_eq!(shown(2, 99, output("\n\na\nb\nc", 90, 500)), ["⎿  a", "b", "… 86 more lines"]);
    assert_eq!(shown(9, 5, output("abcdefgh", 1, 8)), ["⎿  abcde…", "… 3 more chars"]);
    assert_eq!(shown(9, 5, output("abcde\nf", 2, 7)), ["⎿  abcde", "… 1 more line"]);
    assert!(shown(0, 99, short()).is_empty());
    assert!(shown(9, 0, short()).is_empty());
}

#[test]
fn the_limits_are_ten_lines_and_a_thousand_characters_unless_chosen() {
    let LineRenderer { output_lines, output_chars, .. } = LineRenderer::plain(Marks::EMOJI);
    assert_eq!((output_lines, output_chars), (10, 1000));
}

#[test]
fn results_of_parallel_tools_name_their_call() {
    let events = vec![
        tool("a", "Read", "a.rs"),
        tool("b", "Read", "b.rs"),
        tool_ended("b", ToolOutcome::Ok, "B"),
        tool_ended("a", ToolOutcome::Ok, "A"),
        tool("c", "Read", "c.rs"),
        tool_ended("c", ToolOutcome::Ok, "C"),
    ];
    let expected = "  → Read(a.rs)
  → Read(b.rs)
  ✅ Result → Read(b.rs) (1 line, 1 char)
    ⎿  B
  ✅ Result → Read(a.rs) (1 line, 1 char)
    ⎿  A
  → Read(c.rs)
  ✅ Result → Read (1 line, 1 char)
    ⎿  C
";
    assert_eq!(shown_lines(&LineRenderer::plain(Marks::EMOJI), events.clone()), expected);
    let expected = "  ✅ Read(b.rs) → B\n  ✅ Read(a.rs) → A\n  ✅ Read(c.rs) → C\n";
    assert_eq!(on_a_terminal(60, events), expected);
}

#[test]
fn a_terminal_shows_short_results_on_one_line() {
    let call = |input: &str, outcome, answer: &str| {
        on_a_terminal(40, vec![tool("a", "Bash", input), tool_ended("a", outcome, answer)])
    };
    let long = "a long command with many words";
    assert_eq!(call("pwd", ToolOutcome::Ok, "/home/me\n"), "  ✅ Bash(pwd) → /home/me\n");
    assert_eq!(call("true", ToolOutcome::Ok, ""), "  ✅ Bash(true)\n");
    assert_eq!(
        call("pwd", ToolOutcome::Ok, "/home/me/in/a/folder/far/below"),
        "  ✅ Bash(pwd) → /home/me/in/a/folder/f…\n"
    );
    assert_eq!(call(long, ToolOutcome::Ok, long), "  ✅ Bash(a long comma…) → a long comma…\n");
    assert_eq!(
        call(long, ToolOutcome::Ok, "1\n2"),
        "  ✅ Bash(a long co…) → 2 lines, 3 chars\n    ⎿  1\n       2\n"
    );
    assert_eq!(
        call("x", ToolOutcome::Failed, "an error that is long, and is not cut so soon"),
        "  ❌ Bash(x) → 1 line, 45 chars\n    ⎿  an error that is long, and is not\n       cut so soon\n"
    );
}

#[test]
fn a_result_without_a_call_is_shown() {
    let event = LoopEvent::ToolEnded {
        id: "t9".into(),
        outcome: ToolOutcome::Failed,
        summary: "no such tool".into(),
        output: ToolOutput::default(),
    };
    assert_eq!(about(event), "  ❌ Result → tool\n    ⎿  no such tool\n");
}

#[test]
fn only_a_failed_tool_is_red() {
    let options = LineRenderer::coloured();
    let red = |outcome| {
        let events = vec![tool("a", "Bash", "x"), tool_ended("a", outcome, "why\n")];
        let text = shown_lines(&options, events);
        ["❌", "Result", "Bash", "why"].map(|word| text.contains(&format!("\x1b[31m{word}")))
    };
    assert_eq!(red(ToolOutcome::Failed), [true; 4]);
    assert_eq!(red(ToolOutcome::Ok), [false; 4]);
}

#[test]
fn the_todo_list_is_shown_with_its_progress_when_it_changes() {
    let list = |states: &[(&str, TodoState)]| {
        let item =
            |(text, state): &(&str, TodoState)| TodoItem { text: (*text).into(), state: *state };
        LoopEvent::Todo { items: states.iter().map(item).collect() }
    };
    let first = list(&[
        ("Read the file", TodoState::Done),
        ("Edit the code", TodoState::InProgress),
        ("Run tests", TodoState::Pending),
    ]);
    let renamed = list(&[
        ("Read the file", TodoState::Done),
        ("Edit the code", TodoState::InProgress),
        ("Run all tests", TodoState::Pending),
    ]);
    let expected = "  📋 Todo List
    ✅ Read the file
    🔄 Edit the code ← ACTIVE
    ⏳ Run tests
    📊 Progress: 1/3 (33%)
";
    let plain = LineRenderer::plain(Marks::EMOJI);
    assert_eq!(shown_lines(&plain, vec![first.clone(), first.clone()]), expected);
    let both = expected.to_owned() + &expected.replace("Run tests", "Run all tests");
    assert_eq!(shown_lines(&plain, vec![first.clone(), renamed]), both);
    assert_eq!(shown_lines(&plain, vec![list(&[])]), "");
    let narrow = on_a_terminal(26, vec![first.clone()]);
    assert!(narrow.contains("    🔄 Edit the… ← ACTIVE\n"), "{narrow}");
    let ascii = LineRenderer::plain(Marks::ASCII);
    let expected = "  [TODO] Todo List
    [x] Read the file
    [>] Edit the code <- ACTIVE
    [ ] Run tests
    [%] Progress: 1/3 (33%)
";
    assert_eq!(shown_lines(&ascii, vec![first]), expected);
}

#[test]
fn a_session_ends_with_cost_tokens_and_time() {
    let failed = |id| vec![tool(id, "Bash", ""), tool_ended(id, ToolOutcome::Failed, "")];
    let events =
        [failed("a"), failed("b"), vec![tool("c", "Read", "x"), ended(Some(5.76))]].concat();
    let text = shown_lines(&LineRenderer::plain(Marks::EMOJI), events);
    let last = "  ✅ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 3, errors: 2, time: 6m7s)";
    assert_eq!(text.lines().last(), Some(last));
    let narrow = on_a_terminal(44, vec![ended(Some(5.76))]);
    let expected = "  ✅ Complete (cost: $5.76,
     tokens: 1.2M in (850K cached) / 45K out,
     time: 6m7s)
";
    assert_eq!(narrow, expected);
}

#[test]
fn unknown_facts_of_a_session_are_omitted() {
    for cost in [None, Some(0.0)] {
        let mut event = ended(cost);
        if let LoopEvent::AgentEnded(events::AgentEnded { tokens, .. }) = &mut event {
            *tokens = TokenCount::default();
        }
        assert_eq!(about(event), "  ✅ Complete (time: 6m7s)\n");
    }
}

#[test]
fn counts_start_at_zero_in_each_session() {
    let session =
        || vec![tool("a", "Read", ""), tool_ended("a", ToolOutcome::Failed, ""), ended(None)];
    let events = [session(), vec![agent_called("claude", "y")], session()].concat();
    let text = shown_lines(&LineRenderer::plain(Marks::EMOJI), events);
    assert_eq!(text.matches("tools: 1, errors: 1,").count(), 2, "{text}");
}

#[test]
fn a_failed_session_shows_the_reason_in_red() {
    let failed = |outcome, detail: &str| about(agent_ended(outcome, detail, &[]));
    let facts = "(cost: $0.42, tokens: 1.2M in (850K cached) / 45K out, time: 3m50s)";
    assert_eq!(
        failed(AgentOutcome::LoginNeeded, ""),
        format!("  ❌ Failed {facts}\n     the agent is not logged in\n")
    );
    assert_eq!(
        failed(AgentOutcome::ApiError, "500\nagain"),
        format!("  ❌ Failed {facts}\n     the agent failed with an API error: 500\n     again\n")
    );
    assert_eq!(
        failed(AgentOutcome::Stopped, ""),
        format!("  ▲ Stopped {facts}\n    the agent was stopped\n")
    );
    let options = LineRenderer::coloured();
    let text = shown_lines(&options, vec![agent_ended(AgentOutcome::Crashed, "exit code 1", &[])]);
    assert!(text.contains("\x1b[31m❌ Failed (") && text.contains("\x1b[31mthe agent crashed"));
}

fn ended(cost: Option<f64>) -> LoopEvent {
    let mut event = agent_ended(AgentOutcome::Answered, "", &[]);
    if let LoopEvent::AgentEnded(events::AgentEnded { cost_usd, seconds, .. }) = &mut event {
        (*cost_usd, *seconds) = (cost, 367.0);
    }
    event
}
