//! Questions of sessions, and the commands that list and answer them.

use events::{IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::failures::{INTERRUPT, failed_attempts};
use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::{fields, story};

const QUESTION: &str = "Half is there.\n\nQUESTION: Which table,\nthe old one\u{1b}[2J?";

/// US-001 asks in its first session; sessions are honest otherwise.
fn asking(acts: impl IntoIterator<Item = Act>) -> Scenario {
    let half = [Act::write("half.txt", "half\n"), Act::commit("half"), Act::finish(QUESTION)];
    let implement = || When::mode(Mode::Implement);
    Scenario::new()
        .rule(implement().story("US-001").visit(1), half)
        .rule(implement().story("US-002").visit(1), acts)
}

fn project(acts: impl IntoIterator<Item = Act>) -> Project {
    Project::new([story("US-001"), story("US-002")]).scenario(asking(acts))
}

fn honest() -> [Act; 3] {
    [Act::write("done.txt", "done\n"), Act::submit("done"), Act::commit("feat")]
}

#[track_caller]
fn call(project: &Project, args: &[&str], code: i32) -> String {
    let output = project.call(args);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let printed = if code == 0 { output.stdout } else { output.stderr };
    String::from_utf8(printed).unwrap()
}

fn questions(project: &Project) -> Value {
    let list: Value = serde_json::from_str(&call(project, &["questions", "--json"], 0)).unwrap();
    assert_eq!(list["version"], 1);
    list["questions"].clone()
}

/// The answered question is in the prompt of the session, and the run is complete.
#[track_caller]
fn assert_answered(run: &Outcome<'_>, session: usize, answer: &str) {
    run.assert_end(RunEnd::Complete);
    assert_text(&run.prompt(session), contains(format!("The user answered:\n\n> {answer}\n")));
    assert_text(&run.prompt(session), contains("Which table,\nthe old one"));
}

#[test]
fn a_question_is_answered_after_the_run_and_the_next_one_goes_on() {
    let command = "echo \"$RALPH_NOTICE_KIND $RALPH_NOTICE_STORY\" >> ../notices";
    let settings = json!({ "notifications": { "command": command } });
    let project = project(honest()).settings(&settings);
    assert_eq!(call(&project, &["questions"], 0), "no questions\n");
    let run = project.run([]);
    run.assert_end(RunEnd::QuestionsOpen).assert_exit(1);
    run.assert_fields("US-002", &fields(true, "approved", 1, ""));
    run.assert_fields("US-001", &fields(false, Value::Null, 0, ""));
    assert_eq!(run.assignments(), ["implement US-001", "implement US-002", "review US-002"]);
    assert_eq!(run.statuses()[0], IterationStatus::Asked);
    assert_eq!(failed_attempts(&run).len(), 0);
    assert_eq!(project.git(&["show", "HEAD:half.txt"]), "half");
    assert_eq!(project.read("../notices"), "question US-001\nquestion \n");

    let listed = questions(&project);
    assert_eq!((&listed[0]["story"], &listed[0]["number"]), (&json!("US-001"), &json!(1)));
    assert_eq!((&listed[0]["answer"], &listed[0]["isReceived"]), (&json!(null), &json!(false)));
    assert_eq!(listed[0]["text"], "Which table,\nthe old one?");
    for shown in [call(&project, &["questions"], 0), call(&project, &["status"], 0)] {
        assert!(!shown.contains('\u{1b}'), "{shown}");
        assert_text(&shown, contains("Which table,"));
        assert_text(&shown, contains("ralph-loop answer "));
    }
    let report = call(&project, &["report"], 0);
    assert_text(&report, contains("ralph-loop questions"));
    assert_text(&report, contains("waits for an answer to: Which table, the old one?"));

    for (args, why) in [
        (["answer", "US-009", "x"], "US-009 is not a story of the task list"),
        (["answer", "US-002", "x"], "US-002 has no question"),
        (["answer", "US-001", " "], "the text is empty"),
    ] {
        assert_text(&call(&project, &args, 2), contains(why));
    }
    let said = call(&project, &["answer", "US-001", "The", "old", "one."], 0);
    assert_eq!(said, "answered; the next `ralph-loop` works on US-001 again\n");
    let mut stdin = project.command(&program("ralph-loop"));
    let reply = stdin.args(["answer", "US-001", "-", "--json"]).write_stdin("The new one.\n");
    let reply: Value = serde_json::from_slice(&reply.output().unwrap().stdout).unwrap();
    let order = json!({"kind": "answer", "story": "US-001", "question": 1, "text": "The new one."});
    assert_eq!((&reply["order"], &reply["answer"]), (&order, &json!("given")));
    assert_eq!(questions(&project)[0]["answer"], "The new one.");

    let run = project.run([]);
    assert_answered(&run, 1, "The new one.");
    assert!(!run.prompt(1).contains("The old one."), "{}", run.prompt(1));
    let resumed =
        |event: &LoopEvent| matches!(event, LoopEvent::RunStarted { resumed: Some(_), .. });
    assert!(run.events.iter().any(resumed), "its counters go on");
    let refused = call(&project, &["answer", "US-001", "x"], 2);
    assert_text(&refused, contains("a session has the answer"));
    assert_text(&call(&project, &["questions"], 0), contains("  answered:\n  > The new one.\n"));
}

#[test]
fn an_answer_during_the_run_puts_the_story_back_in_line() {
    // The source of an order makes no difference.
    let ask = format!("'{}' answer US-001 'The new one.'", program("ralph-loop").display());
    let project = project([Act::bash(ask)].into_iter().chain(honest()));
    let run = project.run([]);
    let order = ["implement US-001", "implement US-002", "review US-002", "implement US-001"];
    assert_eq!(run.assignments()[..4], order);
    assert_answered(&run, 4, "The new one.");
}

#[test]
fn questions_and_answers_survive_a_killed_runner() {
    let kill = INTERRUPT.replace("-INT", "-KILL");
    let ask = format!("'{}' answer US-001 'The new one.'", program("ralph-loop").display());
    for script in [kill.clone(), format!("{ask} && {kill}")] {
        let hang = Act::Hang { ignores_signals: false };
        let project = project([Act::bash(script.clone()), hang]);
        assert_eq!(project.run([]).code, None);
        assert_eq!(questions(&project).as_array().unwrap().len(), 1);
        if script == kill {
            project.run([]).assert_end(RunEnd::QuestionsOpen);
            call(&project, &["answer", "US-001", "The new one."], 0);
        }
        let run = project.run([]);
        let session = run.assignments().iter().position(|one| one == "implement US-001").unwrap();
        assert_answered(&run, session + 1, "The new one.");
    }
}

#[test]
fn the_story_of_a_run_that_is_limited_to_it_waits_too() {
    let project = project([]);
    project.run(["--story=US-001"]).assert_end(RunEnd::QuestionsOpen);
    call(&project, &["answer", "US-001", "The new one."], 0);
    assert_answered(&project.run(["--story=US-001"]), 1, "The new one.");
}
