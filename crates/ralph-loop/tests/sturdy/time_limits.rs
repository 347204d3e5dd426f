//! Time limits: soft limits warn, hard ones end their step, and the run limit ends the run with
//! everything saved. The limits are short; acts wait for a file.

mod interrupted;
mod marker;
mod multiplied;
mod of_parts;
mod recovered;
mod rests;
mod run;
mod soft;

use std::sync::LazyLock;
use std::time::Instant;

use events::{LoopEvent, RunEnd, TimedTask};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode};
use test_repo::assert_text;

use crate::harness::{Finished, Project};

/// Seconds in which this machine completes a story twice. A limit that ends one part of a run must not
/// end an earlier part because the machine is slow, so it is measured.
fn ample_seconds() -> u64 {
    static MEASURED: LazyLock<u64> = LazyLock::new(|| {
        let project = Project::new(1, &["true"]);
        let began = Instant::now();
        project.run(&[]).assert_exit(0);
        (2 * began.elapsed()).as_secs() + 1
    });
    *MEASURED
}

/// [`ample_seconds`] as a setting.
fn ample() -> String {
    format!("{}s", ample_seconds())
}

/// One story that is this far, these checks, and these time limits.
fn project(story: &Value, checks: &[&str], limits: &Value) -> Project {
    limited(Project::new(1, checks).without_base_checks(), story, limits)
}

/// The first story is this far.
fn limited(project: Project, story: &Value, limits: &Value) -> Project {
    let text = std::fs::read(project.layout().tasks()).unwrap();
    let mut list: Value = serde_json::from_slice(&text).unwrap();
    let fields = story.as_object().unwrap().clone();
    list["userStories"][0].as_object_mut().unwrap().extend(fields);
    project.write("ralph/tasks.json", &format!("{list:#}\n"));
    project.write(".ralph/settings.json", &json!({ "timeLimits": limits }).to_string());
    test_repo::commit_all(project.root());
    project
}

/// Not started.
fn fresh() -> Value {
    json!({})
}

fn submitted() -> Value {
    json!({"reviewStatus": "needs_review", "notes": "done"})
}

fn rejected() -> Value {
    json!({
        "reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "a name is wrong",
        "notes": "done",
    })
}

/// Waits for `go_on`, in a shell in the project.
const WAITS: &str = "while [ ! -e ../go-on ]; do sleep 0.01; done";

fn go_on(project: &Project) {
    std::fs::write(project.beside("go-on"), "").unwrap();
}

/// Half a story if the mode allows it, and a process that would outlive the session.
fn hangs(mode: Mode) -> Vec<Act> {
    let outlives = Act::bash("setsid sleep 600 >/dev/null 2>&1 &");
    let half = Act::write("work/half.txt", "half\n");
    let mut acts = vec![outlives, half, Act::Hang { ignores_signals: false }];
    if mode == Mode::Review {
        acts.remove(1);
    }
    acts
}

/// The work of `hangs` is committed.
#[track_caller]
fn assert_half_kept(project: &Project, mode: Mode) {
    if mode != Mode::Review {
        let kept = test_repo::git(project.root(), &["show", "HEAD:work/half.txt"]);
        assert_eq!(kept, "half");
    }
}

fn is_warning(about: TimedTask) -> impl Fn(&LoopEvent) -> bool {
    move |event| matches!(event, LoopEvent::TimeWarning { what, .. } if *what == about)
}

fn is_start(event: &LoopEvent) -> bool {
    matches!(event, LoopEvent::IterationStarted { .. })
}

fn is_failed_attempt(event: &LoopEvent) -> bool {
    matches!(event, LoopEvent::AttemptFailed { .. })
}

/// Asserts this end in exit code and output, and that no process is left.
#[track_caller]
fn assert_end<'f>(project: &Project, ended: &'f Finished, expected: RunEnd) -> &'f str {
    ended.assert_exit(expected.exit_code().into());
    let Some(LoopEvent::RunEnded(events::RunEnded { end, text, .. })) = ended.events.last() else {
        panic!("no last word: {:#?}", ended.events);
    };
    assert_eq!(*end, expected, "{:#?}", ended.events);
    project.assert_quiet();
    project.assert_sound_repository();
    text
}

/// Out of time, which is no failure: it prints how to resume.
#[track_caller]
fn assert_time_used(project: &Project, ended: &Finished) {
    let text = assert_end(project, ended, RunEnd::TimeUsed);
    for part in ["--resume", "--run-timeout", "--timeout-multiplier"] {
        assert_text(text, contains(part));
    }
    assert_eq!(ended.count(is_failed_attempt), 0, "{:#?}", ended.events);
    let attempts = &project.state().unwrap()["stories"]["US-1"]["attempts"];
    assert!(attempts.as_array().is_none_or(Vec::is_empty), "{attempts}");
}

fn worked_seconds(project: &Project) -> f64 {
    project.state().unwrap()["counters"]["workedSeconds"].as_f64().unwrap()
}
