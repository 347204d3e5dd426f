//! Statistics of two runs: one with a rejected review by another agent and a failing check, and one that was killed
//! and resumed.

use std::io::Write;

use events::LoopEvent;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::{Project, await_none_in, simulated_agent};

const SAYS: &str = "Now I wait.";

const RUN_ARGS: [&str; 2] = ["--review-agent", "codex"];

/// Claude codes and codex reviews. The first iteration fails at the check, the first review finds something, and the
/// first session of the second story hangs.
fn project() -> Project {
    let mut project = Project::new(1, &["! test -e broken.txt"]);
    let bin = project.beside("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(simulated_agent(), bin.join("codex")).unwrap();
    let path = format!("PATH={}:{}", bin.display(), std::env::var("PATH").unwrap());
    project.wrapper = vec!["env".into(), path];
    let code = |visit| When::mode(Mode::Implement).story("US-1").visit(visit);
    let done = |act| [act, Act::submit("done"), Act::commit("feat: it")];
    let finding = [Act::request_changes("the empty name"), Act::commit("review")];
    let hangs = [Act::say(SAYS), Act::Hang { ignores_signals: true }];
    project.scenario(
        &Scenario::new()
            .rule(code(1), done(Act::write("broken.txt", "x")))
            .rule(code(2), done(Act::bash("git rm -q broken.txt || rm broken.txt")))
            .rule(When::mode(Mode::Review).story("US-1").visit(1), finding)
            .rule(When::mode(Mode::Implement).story("US-2").visit(1), hangs),
    );
    project
}

fn add_story(project: &Project) {
    let text = std::fs::read_to_string(project.layout().tasks()).unwrap();
    let mut list: Value = serde_json::from_str(&text).unwrap();
    let stories = list["userStories"].as_array_mut().unwrap();
    let mut story = stories[0].clone();
    let open = json!({
        "id": "US-2", "priority": 2, "passes": false, "reviewStatus": null, "reviewCount": 0,
        "reviewFeedback": "", "notes": ""
    });
    story.as_object_mut().unwrap().extend(open.as_object().unwrap().clone());
    stories.push(story);
    project.write("ralph/tasks.json", &format!("{list:#}\n"));
    test_repo::commit_all(project.root());
}

#[track_caller]
fn printed(project: &Project, args: &[&str]) -> String {
    let output = project.call(&[&["stats"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn stats(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&printed(project, &[&["--json"], args].concat())).unwrap()
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()
}

fn killed_and_resumed(project: &Project) {
    let mut runner = project.start(&RUN_ARGS);
    runner.wait_for(
        "the session",
        |event| matches!(event, LoopEvent::AgentText { text } if text == SAYS),
    );
    runner.kill();
    await_none_in(project.root(), None);
    assert_eq!(stats(project, &[])["total"]["storiesDone"], 1);
    let resumed = project.run(&RUN_ARGS);
    resumed.assert_exit(0);
    resumed.assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(_), .. })
    });
}

#[test]
fn runs_add_up_and_a_resumed_one_counts_once() {
    let project = project();
    assert_eq!(printed(&project, &[]), "no runs yet; start one with `ralph-loop`\n");
    project.run(&RUN_ARGS).assert_exit(0);
    let iterations = project.counter("iterations");
    let first = stats(&project, &[]);
    assert_eq!(iterations, 5);
    assert_eq!((&first["runs"], &first["total"]["iterations"]), (&json!(1), &json!(5)));

    let between = events::now().to_rfc3339();
    add_story(&project);
    killed_and_resumed(&project);
    project.assert_complete();
    let both = stats(&project, &[]);
    let iterations = iterations + project.counter("iterations");
    assert_eq!(
        (&both["version"], &both["runs"], &both["since"]),
        (&json!(1), &json!(2), &json!(null))
    );
    assert_eq!(both["logs"], json!({"found": 2, "unread": 0, "incomplete": 0, "altered": 0}));
    assert_eq!(both["total"]["iterations"], iterations, "{both:#}");
    assert_eq!(both["perStory"]["iterations"], iterations as f64 / 2.0);
    assert_eq!((&both["total"]["storiesDone"], &both["givenUp"]), (&json!(2), &json!(0)));
    let (claude, codex) = (named(&both["agents"], "claude"), named(&both["agents"], "codex"));
    let of = |one: &Value| {
        ["failed", "storiesDone", "reviews", "reviewsWithFindings"]
            .map(|key| one[key].as_u64().unwrap())
    };
    assert_eq!((of(claude), of(codex)), ([1, 2, 0, 0], [0, 0, 3, 1]), "{both:#}");
    assert!(claude["costUsd"].as_f64().unwrap() > 0.0 && codex["costUsd"].is_null(), "{both:#}");
    assert_eq!(codex["withoutCost"], 3);
    assert_eq!(both["checks"][0]["name"], "! test -e broken.txt");
    assert_eq!(both["checks"][0]["failed"], 1);
    assert_eq!(
        both["days"]
            .as_array()
            .unwrap()
            .iter()
            .map(|day| day["storiesDone"].as_u64().unwrap())
            .sum::<u64>(),
        2
    );
    let text = printed(&project, &[]);
    for sentence in [
        "2 stories done on ",
        "1 of 3 reviews found something (33%)",
        "3 of 7 iterations reported no cost",
    ] {
        assert!(text.contains(sentence), "{sentence}\n{text}");
    }

    let later = stats(&project, &["--since", &between]);
    assert_eq!((&later["runs"], &later["total"]["storiesDone"]), (&json!(1), &json!(1)));
    assert_eq!(later["total"]["reviewsWithFindings"], 0);
    assert_eq!(stats(&project, &["--since", "1h"])["total"], both["total"]);
    damaged(&project, &both);
}

fn damaged(project: &Project, both: &Value) {
    let runs = project.layout().runs();
    let mut logs: Vec<_> =
        std::fs::read_dir(&runs).unwrap().map(|run| run.unwrap().path()).collect();
    logs.sort();
    let newest = logs.last().unwrap().join("events.jsonl");
    std::fs::File::options()
        .append(true)
        .open(&newest)
        .unwrap()
        .write_all(b"\0 no event \x1b[2J\n")
        .unwrap();
    let copy = runs.join("20000101-000000-copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(newest, copy.join("events.jsonl")).unwrap();
    let after = stats(project, &[]);
    assert_eq!(after["logs"], json!({"found": 3, "unread": 1, "incomplete": 1, "altered": 1}));
    assert_eq!(after["total"], both["total"]);
    assert!(printed(project, &[]).contains("1 of 3 logs could not be read\n"));
    let page = project.beside("stats.html");
    printed(project, &["--html", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1 of 3 logs could not be read"));
    assert_eq!(page, printed(project, &["--html", "-"]));
}
