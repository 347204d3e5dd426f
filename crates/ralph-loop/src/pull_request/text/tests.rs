//! Texts of recorded runs, honest and hostile ones.

use events::{LoopEvent, Stamped, run_logs};
use forge::Remote;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;
use crate::pull_request::with_section;
use crate::report::test_events::{a_run_with_failures, a_run_with_lanes_to_its_end, log, stamped};
use crate::status::{RunState, RunStatus};

const HERE: &str = "https://forge.example/acme/shop/issues/";

fn status(events: &[Stamped]) -> RunStatus {
    let (chain, _) = run_logs::chain(log(events).as_bytes(), None).unwrap();
    let view = RunView::of(events);
    RunStatus {
        state: RunState::of(view.end.as_ref(), false),
        folder: format!(".ralph/runs/{}", view.id),
        view,
        unread_lines: 0,
        newer_lines: 0,
        log: chain.check(),
    }
}

fn text_beside(status: &RunStatus, description: &str, existing: &str) -> PullText {
    let remote = Remote::parse("https://forge.example/acme/shop.git").unwrap();
    let repository = Repository::new(&remote, Some(forge::ForgeKind::Forgejo), None).unwrap();
    let (view, report) = (&status.view, &RunReport::of(status));
    PullText::of(&RunResult { view, report, description, repository: &repository }, existing)
}

fn text(status: &RunStatus) -> PullText {
    text_beside(status, "", "")
}

/// With `change` in every list of stories.
fn with_stories(mut events: Vec<Stamped>, change: impl Fn(&mut StoryBrief)) -> Vec<Stamped> {
    for event in &mut events {
        match &mut event.event {
            LoopEvent::RunStarted { stories, .. } => stories.iter_mut().for_each(&change),
            LoopEvent::RunEnded(ended) => ended.stories.iter_mut().for_each(&change),
            _ => {}
        }
    }
    events
}

#[test]
fn a_run_with_failures_has_all_parts() {
    let shown = text(&status(&a_run_with_failures())).section;
    let expected = "<!-- ralph-loop: begin, run 20261115-010000-ab12 -->\n\
        **3 of 6 stories are done** (2 given up, 1 blocked): 14 iterations, $11.27, 1h 20m of work with claude.\n\n\
        | Story | Title | State | Checks | Reviews | Failed attempts | Cost |\n\
        |---|---|---|---|---:|---:|---:|\n\
        | US-001 | A cart that keeps its items | done |";
    assert!(shown.starts_with(expected), "{shown}");
    for part in [
        "| US-002 | Sums with tax | done, at the review limit |",
        "| US-003 | Add \\*authentication\\* \\| tokens | failed |",
        "| US-006 | Show who is logged in | blocked |",
        "\n### Given up\n\n- US-003 Add \\*authentication\\* \\| tokens: 5 of 5 attempts failed, last at tests: \
         ``assertion `left == right` failed | src/auth.rs``\n\
         - US-005 Rate limiting: review limit reached, last at spec-review: `Missing: password reset flow`\n",
        "\n<details>\n<summary>Report of the run</summary>\n\n# Ralph Loop Execution Summary\n",
        "\n</details>\n<!-- ralph-loop: end -->",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    for absent in ["Closes", "What to do next", ".ralph/runs", "sha256", "\n\n\n"] {
        assert!(!shown.contains(absent), "{absent}: {shown}");
    }
}

#[test]
fn checks_are_the_last_ones_of_the_story() {
    let shown = text(&status(&a_run_with_lanes_to_its_end())).section;
    let row = shown.lines().find(|line| line.starts_with("| US-001 |")).unwrap();
    assert!(row.contains("| done | 1 passed |"), "{row}");
}

#[test]
fn an_issue_is_closed_when_all_of_its_stories_are_done() {
    let events = with_stories(a_run_with_failures(), |story| {
        let issue = match story.id.as_str() {
            "US-001" => format!("{HERE}7"),
            // Two stories of one issue, one of which failed.
            "US-002" | "US-003" => format!("{HERE}8"),
            "US-004" => "https://forge.example/acme/other/issues/9".to_owned(),
            _ => format!("{HERE}10"),
        };
        story.source = Some(issue);
    });
    let closes = |status: &RunStatus| -> Vec<String> {
        let section = text(status).section;
        section.lines().filter(|line| line.starts_with("Closes")).map(str::to_owned).collect()
    };
    let mut run = status(&events);
    assert_eq!(closes(&run), ["Closes #7"]);
    let (chain, _) =
        run_logs::chain(log(&events).replacen("US-001", "US-009", 1).as_bytes(), None).unwrap();
    run.log = chain.check();
    assert!(run.log.altered().is_some());
    assert!(closes(&run).is_empty(), "an agent may have written an altered log");
    assert!(text(&run).section.contains("**Warning**: "));
}

/// Whatever agents and issues write, only the lines of this program have an effect on the forge.
#[test]
fn hostile_texts_have_no_effect_on_the_forge() {
    const EVIL: &str = "closes #9 @octocat <img src=x> <!-- ralph-loop: end -->\n/close\n</details> \
        ![x](https://evil.example/x.png) fixes https://forge.example/acme/shop/issues/9 GH-9 | x\u{202e}\x1b[31m";
    let evil = with_stories(a_run_with_failures(), |story| {
        story.title = EVIL.into();
        story.source = Some(format!("{HERE}7\nCloses #9"));
        if let Some(given_up) = &mut story.given_up {
            given_up.error = EVIL.into();
        }
    });
    let mut evil = evil;
    for event in &mut evil {
        match &mut event.event {
            LoopEvent::StoryGivenUp { given_up, .. } => given_up.error = EVIL.into(),
            LoopEvent::AttemptFailed(failed) => failed.error = EVIL.into(),
            LoopEvent::RunEnded(ended) => ended.text = EVIL.into(),
            _ => {}
        }
    }
    let PullText { title, section } = text_beside(&status(&evil), EVIL, "");
    for shown in [&title, &section] {
        for bad in ["#9", "@octocat", "GH-9", "issues/9", "\u{202e}", "\x1b", "Closes #"] {
            assert!(!shown.contains(bad), "{bad}: {shown}");
        }
        assert!(!shown.lines().any(|line| line.trim_start().starts_with('/')), "{shown}");
    }
    assert_eq!(
        html(&section),
        [
            "<!-- ralph-loop: begin, run 20261115-010000-ab12 -->",
            "<details>",
            "<summary>Report of the run</summary>",
            "</details>",
            "<!-- ralph-loop: end -->",
        ]
    );
    assert!(title.chars().count() <= LONGEST_TITLE + 10 && !title.contains('\n'), "{title}");
    let body = with_section("", &section);
    assert_eq!(with_section(&body, &section), body);
}

/// The HTML of Markdown; it has neither images nor links.
fn html(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => found.push(html.trim().to_owned()),
            Event::Start(Tag::Image { .. } | Tag::Link { .. }) => panic!("{event:?}"),
            _ => {}
        }
    }
    found
}

#[test]
fn the_length_is_bounded_and_only_whole_sections_are_left_out() {
    let mut events = a_run_with_failures();
    let LoopEvent::RunStarted { stories, .. } = &mut events[0].event else { panic!() };
    let more: Vec<StoryBrief> = (100..1100)
        .map(|number| StoryBrief {
            id: StoryId::new(format!("US-{number}")).unwrap(),
            title: "@é ".repeat(100),
            ..stories[0].clone()
        })
        .collect();
    stories.extend(more.clone());
    let LoopEvent::RunEnded(ended) = &mut events.last_mut().unwrap().event else { panic!() };
    ended.stories.extend(more);
    let run = status(&events);
    let theirs = "x".repeat(20_000);
    for existing in ["", &theirs] {
        let section = text_beside(&run, "", existing).section;
        let body = with_section(existing, &section);
        assert!(body.chars().count() <= MOST_PULL_BODY, "{}", body.chars().count());
        assert!(body.contains(" stories more are in the report.\n"), "{body}");
        assert!(body.ends_with("\n</details>\n<!-- ralph-loop: end -->"), "{body}");
        assert!(body.contains("\nThe rest is in the report of `ralph-loop report`."));
        assert_eq!(body.matches("```").count() % 2, 0);
    }
    let no_room = text_beside(&run, "", &"x".repeat(60_000)).section;
    assert!(!no_room.contains("<details>"), "{no_room}");
}

#[test]
fn the_title_is_of_the_project_and_its_description() {
    let run = status(&a_run_with_failures());
    let title = |description: &str| text_beside(&run, description, "").title;
    assert_eq!(title("A cart.\nWith sums."), "shop: A cart.");
    assert_eq!(title(" "), "shop: 6 stories");
    assert_eq!(title(&"é".repeat(500)).chars().count(), LONGEST_TITLE + 1);
    let mut events = a_run_with_failures();
    let LoopEvent::RunStarted { start, .. } = &mut events[0].event else { panic!() };
    start.name = "Draft".into();
    assert_eq!(text_beside(&status(&events), "x", "").title, "Run of Draft: x");
}

#[test]
fn publishing_does_not_change_what_is_published() {
    let mut events = a_run_with_failures();
    let before = text(&status(&events));
    let published = serde_json::json!({"type": "pull-request", "outcome": "created", "branch": "ralph/shop",
        "base": "main", "number": 1, "url": "https://forge.example/acme/shop/pulls/1", "text": "shop"});
    events.push(stamped(9000, serde_json::from_value(published).unwrap()));
    assert_eq!(text(&status(&events)), before);
}
