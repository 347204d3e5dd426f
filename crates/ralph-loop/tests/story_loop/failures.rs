//! Failing stories, and the report of a run about them.

use events::{EscalationTier, Gate, GivenUp, LoopEvent};
use serde_json::Value;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;

/// Fails while a file breaks it, with the same message except for noise.
pub(crate) const CHECK: &str = "if ls broken-* >/dev/null 2>&1; then echo \"took $$ ms\"; \
                                echo \"FAIL $(echo broken-*): assertion failed\"; exit 1; fi";

/// Sends Ctrl-C to the process in the lock file.
#[cfg(unix)]
pub(crate) const INTERRUPT: &str =
    "kill -INT $(sed -n '1s/[^0-9]*\\([0-9][0-9]*\\).*/\\1/p' .ralph/lock)";

/// A reported failure.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) story: String,
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
    pub(crate) of: u64,
    pub(crate) gate: Gate,
    pub(crate) error: String,
    pub(crate) hash: String,
    pub(crate) repeats: u64,
}

pub(crate) fn failed_attempts(run: &Outcome<'_>) -> Vec<Failed> {
    let failed = run.events.iter().filter_map(|event| match event.clone() {
        LoopEvent::AttemptFailed(events::AttemptFailed {
            story,
            iteration,
            attempt,
            of,
            gate,
            error,
            error_hash: hash,
            repeats,
        }) => {
            let story = story.to_string();
            Some(Failed { story, iteration, attempt, of, gate, error, hash, repeats })
        }
        _ => None,
    });
    failed.collect()
}

/// Number of the attempt and how often it was the same failure, of every one.
pub(crate) fn repeats(run: &Outcome<'_>) -> Vec<(u64, u64)> {
    failed_attempts(run).iter().map(|failed| (failed.attempt, failed.repeats)).collect()
}

#[track_caller]
pub(crate) fn given_up<'a>(run: &'a Outcome<'_>, id: &str) -> &'a GivenUp {
    let found = run.events.iter().find_map(|event| match event {
        LoopEvent::StoryGivenUp { story, given_up } if story.as_str() == id => Some(given_up),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{id} is not given up: {:#?}", run.events))
}

/// The context of attempts, with its text and files.
pub(crate) fn escalated(run: &Outcome<'_>) -> Vec<(EscalationTier, String, Vec<String>)> {
    let reported = run.events.iter().filter_map(|event| match event.clone() {
        LoopEvent::Escalated { tier, text, files, .. } => Some((tier, text, files)),
        _ => None,
    });
    reported.collect()
}

/// Commits something that breaks the check, and claims that it is done.
pub(crate) fn breaks(story: &str) -> [Act; 4] {
    [
        Act::write(format!("broken-{story}"), "x"),
        Act::append("src/code.txt", "half\n"),
        Act::submit("it works"),
        Act::commit(format!("feat: [{story}]")),
    ]
}

/// Every implementation of these stories breaks the check.
pub(crate) fn breaking<const N: usize>(stories: [&str; N]) -> Scenario {
    stories.into_iter().fold(Scenario::new(), |scenario, id| {
        scenario.rule(When::mode(Mode::Implement).story(id), breaks(id))
    })
}

/// Submits, with this output for the check `cat out.txt; exit 1` to print.
pub(crate) fn submits_with(output: &str) -> [Act; 3] {
    [Act::write("out.txt", output), Act::submit("it works"), Act::commit("feat: out")]
}

/// Prints what the agent wrote, and fails.
pub(crate) const PRINTS: &str = "cat out.txt; exit 1";

/// The n-th implementation is checked with the n-th output, the later ones with the last.
pub(crate) fn printing<S: AsRef<str>>(outputs: &[S]) -> Scenario {
    let first = outputs.iter().zip(1..).fold(Scenario::new(), |scenario, (output, visit)| {
        scenario.rule(When::mode(Mode::Implement).visit(visit), submits_with(output.as_ref()))
    });
    let last = outputs.last().map_or("", AsRef::as_ref);
    first.rule(When::mode(Mode::Implement), submits_with(last))
}

/// The output of a command that must succeed.
#[track_caller]
pub(crate) fn stdout_of(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {text}{errors}");
    text
}

/// The same, as JSON.
#[track_caller]
pub(crate) fn json_of(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(project, args)).unwrap()
}
