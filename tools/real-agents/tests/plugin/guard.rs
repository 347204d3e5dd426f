//! The Stop guard in a real session.

use serde_json::json;
use simulator::{Request, Turn};
use tasks::Mode;

use crate::home_with_plugin;
use crate::project_with_loop::{ProjectWithLoop, approved, guard_responses, model, stops, story};

/// The Stop hook's feedback to the model.
fn feedback(request: &Request) -> Vec<String> {
    let texts = request.user_texts();
    texts
        .into_iter()
        .filter(|text| text.starts_with("Stop hook feedback:"))
        .map(Into::into)
        .collect()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn an_agent_that_approves_its_own_story_is_blocked_until_it_fixes_it() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([
        project.agent_sets(&[(0, approved("I checked it myself"))]),
        Turn::text("Done and approved."),
        project.agent_sets(&[(0, json!({"reviewStatus": "needs_review"}))]),
        Turn::text("Submitted for review."),
    ]);
    let outcome = project.loop_session(&home, &model).run().unwrap();

    let stops = stops(&outcome);
    assert_eq!(stops.len(), 2, "{stops:?}");
    assert!(stops[0].contains("implement iterations cannot approve"), "{}", stops[0]);
    assert_eq!(stops[1], "");
    assert_eq!(outcome.result_text(), Some("Submitted for review."));
    assert_eq!(outcome.exit_code, Some(0));

    let requests = model.requests();
    assert_eq!(feedback(&requests[1]), Vec::<String>::new());
    let blocks = feedback(&requests[2]);
    assert_eq!(blocks.len(), 1, "{blocks:?}");
    assert!(blocks[0].contains("implement iterations cannot approve"), "{}", blocks[0]);
    assert_eq!(project.status(), "");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_review_of_two_stories_is_blocked() {
    let (home, _plugin) = home_with_plugin();
    let waiting = ["A", "B"].map(|id| story(id, json!("needs_review")));
    let project = ProjectWithLoop::new(Mode::Review, waiting);
    let model = model([
        project.agent_sets(&[0, 1].map(|index| (index, approved("fine")))),
        Turn::text("Both approved."),
        project.agent_sets(&[(0, approved("fine"))]),
        Turn::text("One approved."),
    ]);
    let outcome = project.loop_session(&home, &model).run().unwrap();
    let stops = stops(&outcome);
    assert_eq!(stops.len(), 2, "{stops:?}");
    assert!(stops[0].contains("review iterations may only modify one story"), "{}", stops[0]);
    assert_eq!(stops[1], "");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_session_outside_the_loop_is_not_blocked_despite_the_marker() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([
        project.agent_sets(&[(0, approved("I am only visiting"))]),
        Turn::bash("echo x > left-over"),
        Turn::text("Bye."),
    ]);
    let outcome = home.session(&model).project(project.path()).prompt("Hello.").run().unwrap();
    assert_eq!(stops(&outcome), [""]);
    assert_eq!(outcome.result_text(), Some("Bye."));
    let stderr = &outcome.hook_responses("Stop")[0].stderr;
    assert!(stderr.contains(&format!("the loop runs session {}", project.session)), "{stderr}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_changed_marker_is_detected() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    // A program computes the name; command-guard does not run it.
    let switch_review_off = r#"perl -e '
        $marker = "." . reverse "evitca-hplar"; open $f, $marker; $kept = join "", <$f>; close $f;
        open $f, ">", "kept"; print $f $kept; close $f;
        $kept =~ s/"skipReview":false/"skipReview":true/ or die;
        open $f, ">", $marker; print $f $kept'"#;
    let model = model([
        Turn::bash(switch_review_off),
        Turn::text("Nobody will notice."),
        Turn::bash(r#"perl -e 'rename "kept", "." . reverse "evitca-hplar"'"#),
        Turn::text("Put back."),
    ]);
    let outcome = project.loop_session(&home, &model).run().unwrap();
    let stops = stops(&outcome);
    assert_eq!(stops.len(), 2, "{stops:?}");
    assert!(stops[0].contains("was tampered with"), "{}", stops[0]);
    assert_eq!(stops[1], "");
    let blocks = feedback(&model.requests()[2]);
    assert!(blocks[0].contains("was tampered with"), "{blocks:?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_guard_waits_for_a_background_task() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    // A second Stop hook signals the task after the first stop.
    let stop_hook = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "touch ~/stopped"}
    ]}]}});
    let until_stopped = "until [ -e ~/stopped ]; do sleep 0.05; done; echo built > build-result";
    let model = model([
        Turn::bash_in_background(until_stopped),
        Turn::text("The build runs."),
        Turn::bash("git add -A && git commit -qm build"),
        Turn::text("The build is done and committed."),
    ]);
    let session = project.loop_session(&home, &model).arg("--settings").arg(stop_hook.to_string());
    let outcome = session.run().unwrap();
    let waiting = guard_responses(&outcome, "Stop").remove(0);
    assert!(waiting.stderr.contains("background tasks still run (1)"), "{}", waiting.stderr);
    assert!(stops(&outcome).iter().all(String::is_empty), "{:?}", stops(&outcome));
    assert!(stops(&outcome).len() > 1, "the session continues when the task is done");
    assert_eq!(outcome.result_text(), Some("The build is done and committed."));
    assert_eq!(project.status(), "");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_guard_stops_blocking_before_claude_codes_cap() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let stubborn = (0..12).map(|_| Turn::text("I am done."));
    let model =
        model([project.agent_sets(&[(0, approved("trust me"))])].into_iter().chain(stubborn));
    let outcome = project.loop_session(&home, &model).run().unwrap();
    let stops = stops(&outcome);
    assert_eq!(stops.len(), 7, "{stops:?}");
    for (number, reason) in stops.iter().take(6).enumerate() {
        assert!(reason.contains(&format!("(block {} of 6)", number + 1)), "{reason}");
    }
    let last = &outcome.hook_responses("Stop")[6];
    assert!(last.stdout.contains("systemMessage"), "{last:?}");
    assert!(last.stdout.contains("The runner judges the result"), "{last:?}");
    let overridden = outcome.events.iter().any(|event| event["key"] == "stop-hook-block-cap");
    assert!(!overridden, "Claude Code's cap was reached");
    assert_eq!(outcome.exit_code, Some(0));
}
