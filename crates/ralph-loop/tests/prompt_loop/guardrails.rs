//! Guardrails: what each failure does to the next prompt, and what is kept of it.

use events::{CheckOutcome, IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use test_repo::assert_text;

use crate::harness::{PROMISE, Project, TASK};
use crate::outcome::Outcome;

fn guarded<const N: usize>(guardrails: [Value; N]) -> Project {
    Project::new().settings(&json!({"guardrails": Vec::from(guardrails)}))
}

/// The second prompt of a run whose guardrails all fail, `RUN` for the run's folder.
#[track_caller]
fn second_prompt(project: &Project) -> String {
    project.run(&["prompt", "task.md", "2"]).assert_end(RunEnd::IterationsUsed);
    let folder = project.run_folder();
    let folder = folder.strip_prefix(project.path()).unwrap().display().to_string();
    let prompts = project.prompts();
    assert_eq!(prompts[0], TASK);
    prompts[1].replace(&folder, "RUN")
}

fn message(command: &str, log: &str, output: &str) -> String {
    format!(
        "Guardrail \"{command}\" failed with exit code 1.\n\
         Output file: RUN/001-prompt/guardrail_{log}.log\n\
         Output (truncated):\n{output}"
    )
}

fn gates(run: &Outcome) -> Vec<CheckOutcome> {
    let gates = run.events.iter().filter_map(|event| match event {
        LoopEvent::CheckEnded(events::CheckRecord { outcome, .. }) => Some(*outcome),
        _ => None,
    });
    gates.collect()
}

#[test]
fn the_message_is_appended_by_default_with_its_hint() {
    let project = guarded([json!({"command": "echo wrong >&2; exit 3", "hint": "Use less."})]);
    let expected = format!(
        "{TASK}\n\nGuardrail \"echo wrong >&2; exit 3\" failed with exit code 3.\n\
         Hint: Use less.\n\
         Output file: RUN/001-prompt/guardrail_echo_wrong_2_exit_3.log\n\
         Output (truncated):\nwrong"
    );
    assert_eq!(second_prompt(&project), expected);
}

#[test]
fn a_message_precedes_or_replaces_the_prompt() {
    let prepend = json!({"command": "echo p; false", "failAction": "PREPEND"});
    let prepended = message("echo p; false", "echo_p_false", "p");
    assert_eq!(second_prompt(&guarded([prepend])), format!("{prepended}\n\n{TASK}"));
    let replace = json!({"command": "echo r; false", "failAction": "REPLACE"});
    let replaced = message("echo r; false", "echo_r_false", "r");
    assert_eq!(second_prompt(&guarded([replace])), replaced);
}

#[test]
fn several_failures_each_have_their_place() {
    let project = guarded([
        json!({"command": "echo a; false", "failAction": "APPEND"}),
        json!({"command": "true"}),
        json!({"command": "echo r; false", "failAction": "REPLACE"}),
        json!({"command": "echo p; false", "failAction": "PREPEND"}),
        json!({"command": "echo b; false", "failAction": "append"}),
    ]);
    let of =
        |name: &str| message(&format!("echo {name}; false"), &format!("echo_{name}_false"), name);
    let expected = [of("p"), of("r"), of("a"), of("b")].join("\n\n");
    assert_eq!(second_prompt(&project), expected);
}

#[test]
fn a_long_output_is_cut_in_the_prompt_and_whole_in_the_log_of_its_iteration() {
    let command = "i=0; while [ $i -lt 40 ]; do echo line-$i; i=$((i+1)); done; false";
    let project = Project::new().settings(&json!({
        "guardrails": [{"command": command, "hint": "A hint is never cut, however long it is."}],
        "outputTruncateChars": 10,
    }));
    let prompt = second_prompt(&project);
    assert!(prompt.contains("Hint: A hint is never cut, however long it is.\n"), "{prompt}");
    let start = "Output (truncated):\nline-0\nlin... [truncated]\nLast lines:\nline-20\n";
    assert!(prompt.contains(start), "{prompt}");
    assert!(prompt.ends_with("\nline-39"), "{prompt}");
    let whole: String = (0..40).map(|number| format!("line-{number}\n")).collect();
    for folder in ["001-prompt", "002-prompt"] {
        let name = "guardrail_i_0_while_i_lt_40_do_echo_line_i_i_i_1_done_false.log";
        assert_eq!(project.run_file(&format!("{folder}/{name}")), whole);
    }
}

#[test]
fn an_output_that_fits_is_not_marked() {
    let project = Project::new().settings(&json!({
        "guardrails": [{"command": "printf 0123456789; false"}], "outputTruncateChars": 10,
    }));
    let prompt = second_prompt(&project);
    assert!(prompt.ends_with("Output (truncated):\n0123456789"), "{prompt}");
}

#[test]
fn each_has_its_time_and_all_of_them_run() {
    let project = guarded([
        json!({"command": "sleep 600", "timeLimit": "100ms"}),
        json!({"command": "false"}),
        json!({"command": "true"}),
    ]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(
        gates(&run),
        [CheckOutcome::TimedOut, CheckOutcome::Failed(Some(1)), CheckOutcome::Passed]
    );
}

#[test]
fn its_own_time_is_over_the_one_for_all() {
    let project = guarded([
        json!({"command": "sleep 0.5", "timeLimit": "30s"}),
        json!({"command": "sleep 600"}),
    ]);
    let run = project.run(&["prompt", "task.md", "1", "--check-timeout", "100ms"]);
    assert_eq!(gates(&run), [CheckOutcome::Passed, CheckOutcome::TimedOut]);
}

#[test]
fn an_iteration_that_passes_clears_what_failed_before() {
    let project = guarded([json!({"command": "test -e made"})]).agent([
        "echo one",
        "touch made; echo two",
        "echo three",
        PROMISE,
    ]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.statuses()[..2], [IterationStatus::ChecksFailed, IterationStatus::Accepted]);
    let reported: Vec<bool> =
        project.prompts().iter().map(|p| p.contains("Guardrail \"")).collect();
    assert_eq!(reported, [false, true, false, false]);
}

#[test]
fn a_failure_is_in_the_prompt_after_a_resume() {
    let project = guarded([json!({"command": "test -e made"})])
        .agent(["echo one", &format!("touch made; {PROMISE}")]);
    project.run(&["prompt", "task.md", "1"]).assert_end(RunEnd::IterationsUsed);
    project.run(&["prompt", "task.md", "2", "--resume"]).assert_end(RunEnd::Complete);
    assert!(project.prompts()[1].contains("Guardrail \"test -e made\" failed"));
}

#[test]
fn a_guardrail_that_changes_files_does_not_outwit_those_before_it() {
    let good = json!({"command": "grep -q good f.txt"});
    let act = format!("echo good >f.txt; echo 'echo bad >f.txt' >check.sh; {PROMISE}");
    let project = guarded([good, json!({"command": "sh check.sh"})]).agent([&act]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed]);
    assert!(run.warnings().contains("the guardrails changed files"), "{}", run.warnings());
}

#[test]
fn a_guardrail_that_fixes_files_or_writes_a_report_passes() {
    let act = format!("echo bad >f.txt; {PROMISE}");
    let project = guarded([json!({"command": "echo good >f.txt"})]).agent([&act]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(gates(&run), [CheckOutcome::Passed; 2]);

    let report = json!({"command": "date +%N >report.txt"});
    let project = guarded([report]).agent(["echo x >f.txt; echo later", &act]);
    let run = project.run(&["prompt", "task.md", "2"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(gates(&run), [CheckOutcome::Passed; 3], "again only when it was new");
    assert!(run.warnings().contains("add them to .gitignore: report.txt"), "{}", run.warnings());
}

#[test]
fn a_file_that_a_guardrail_makes_is_seen_by_the_others() {
    let none = json!({"command": "test ! -e bad.txt"});
    let act = format!("echo 'echo x >bad.txt' >check.sh; {PROMISE}");
    let project = guarded([none, json!({"command": "sh check.sh"})]).agent([&act]);
    project.run(&["prompt", "task.md", "1"]).assert_end(RunEnd::IterationsUsed);
}

#[test]
fn a_time_limit_of_nothing_is_no_limit() {
    let project = guarded([json!({"command": "sleep 1.2", "timeLimit": "0s"})]).agent([PROMISE]);
    let run = project.run(&["prompt", "task.md", "1", "--check-timeout", "1s"]);
    run.assert_end(RunEnd::Complete);
}

#[test]
fn a_near_miss_is_reported() {
    let tag = "echo 'All done: <promise>COMPLETE</promise>'; echo 'and so on'";
    let project = Project::new().agent([tag]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_text(&format!("{:?}", run.events), contains("near_miss: Some(NotAtEnd)"));
}

#[test]
fn the_stderr_of_the_agent_is_reported_and_kept() {
    let project = Project::new().agent(["echo 'oh no' >&2; exit 3"]);
    let run = project.run(&["prompt", "task.md", "1", "--retries", "0"]);
    run.assert_end(RunEnd::AgentFailed);
    let reported = format!("{:?}", run.events);
    assert_text(&reported, contains("exit code 3: oh no"));
    let log = project.run_folder().join("001-prompt/stream.stderr.log");
    assert_eq!(std::fs::read_to_string(log).unwrap(), "oh no\n");
}
