//! When a run is complete: the agent prints its tag, and the guardrails pass in that iteration.

use events::{IterationStatus, LoopEvent, NearMiss, RunEnd};
use predicates::str::contains;
use serde_json::json;
use test_repo::assert_text;

use crate::harness::{DONE, PROMISE, Project};

const NOT_YET: &str = "echo 'not yet'";

/// Of a prompt loop whose agent does this.
#[track_caller]
fn end_of<const N: usize>(args: &[&str], acts: [&str; N]) -> (RunEnd, usize) {
    let project = Project::without_git().agent(acts);
    project.write("notes.md", "Do it, then say <response>done</response>");
    let run = project.run(args);
    let end = if run.code == Some(0) { RunEnd::Complete } else { RunEnd::IterationsUsed };
    run.assert_end(end);
    (end, project.prompts().len())
}

#[test]
fn a_prompt_file_is_complete_with_its_promise() {
    let project = Project::new().agent([NOT_YET, PROMISE]);
    project.run(&["prompt", "task.md"]).assert_end(RunEnd::Complete);
    assert_eq!(project.prompts(), ["Do it. At the end say <promise>COMPLETE</promise>\n"; 2]);
}

#[test]
fn completion_counts_only_if_the_guardrails_pass_in_the_same_iteration() {
    let guardrails = json!({"guardrails": [{"command": "test -e made"}]});
    // It prints the tag while a guardrail fails, fixes that without the tag, and prints the tag
    // again.
    let project = Project::new().settings(&guardrails).agent([
        PROMISE,
        "touch made; echo fixed",
        NOT_YET,
        PROMISE,
    ]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::Complete);
    let accepted = IterationStatus::Accepted;
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed, accepted, accepted, accepted]);
}

#[test]
fn a_text_and_a_file_are_complete_with_their_response_in_any_case_and_without_git() {
    let complete = (RunEnd::Complete, 1);
    for args in
        [&["prompt", "-p", "do it", "-n", "2"][..], &["prompt", "-f", "notes.md", "-n", "2"]]
    {
        for answer in [
            DONE,
            "echo '<response>done</response>'",
            "echo 'Fine.'; echo ' <RESPONSE>Done</RESPONSE> '; echo 'Bye.'",
            "echo 'All done. <response>DONE</response>'; echo",
            "echo '<promise>DONE</promise>'",
        ] {
            assert_eq!(end_of(args, [answer]), complete, "{answer}");
        }
        for answer in [
            PROMISE,
            "echo '<response>DONE soon</response>'",
            "echo 'I will say <response>DONE</response> later'",
            "echo 'DONE'",
        ] {
            assert_eq!(end_of(args, [answer]), (RunEnd::IterationsUsed, 2), "{answer}");
        }
    }
}

#[test]
fn of_several_responses_the_first_counts() {
    let run = |answer: &str| end_of(&["prompt", "-p", "do it", "-n", "1"], [answer]).0;
    let first = "echo '<response>DONE</response>'; echo '<response>WAIT</response>'";
    assert_eq!(run(first), RunEnd::Complete);
    let second = "echo '<response>WAIT</response>'; echo '<response>DONE</response>'";
    assert_eq!(run(second), RunEnd::IterationsUsed);
}

#[test]
fn a_near_miss_of_the_tag_is_reported_and_explained_in_the_next_prompt() {
    let project = Project::without_git().agent(["echo DONE", "echo 'no tag at all'", DONE]);
    let run = project.run(&["prompt", "-p", "do it"]);
    run.assert_end(RunEnd::Complete);
    let misses: Vec<_> = run
        .events
        .iter()
        .filter_map(|event| match event {
            LoopEvent::CompletionChecked { near_miss, .. } => Some(*near_miss),
            _ => None,
        })
        .collect();
    assert_eq!(misses, [Some(NearMiss::NoTag), None, None]);
    let prompts = project.prompts();
    let reported = "\n\nThe last iteration does not count as complete: the last message ends with the completion \
                word without the tag <response>DONE</response>.";
    let is_told: Vec<bool> = prompts.iter().map(|prompt| prompt.contains(reported)).collect();
    assert_eq!(is_told, [false, true, false]);
}

#[test]
fn a_program_without_an_adapter_goes_by_its_name() {
    let project = Project::new();
    let run = project.run(&["prompt", "task.md"]);
    let named = run.events.iter().filter_map(|event| match event {
        LoopEvent::RunStarted { start, .. } => Some(start.agent.as_str()),
        LoopEvent::AgentCalled { agent, .. } | LoopEvent::IsolationChosen { agent, .. } => {
            Some(agent.as_str())
        }
        _ => None,
    });
    assert_eq!(named.collect::<Vec<_>>(), ["agent", "agent", "agent"]);
}

#[test]
fn a_flag_sets_another_tag() {
    let finished = "echo '<response>finished</response>'";
    let args = ["prompt", "-p", "do it", "-c", "FINISHED", "-n", "1"];
    assert_eq!(end_of(&args, [finished]).0, RunEnd::Complete);
    assert_eq!(end_of(&args, [DONE]).0, RunEnd::IterationsUsed);
    let project = Project::new().agent(["echo '<promise>FERTIG</promise>'"]);
    project.write("other.md", "Say ${COMPLETION_TAG}");
    project.run(&["prompt", "other.md", "-c", "FERTIG"]).assert_end(RunEnd::Complete);
    assert_eq!(project.prompts(), ["Say <promise>FERTIG</promise>"]);
}

#[test]
fn a_tag_in_the_repeated_prompt_does_not_count() {
    let echo = "cat \"$here/work-$number.prompt\"; echo 'not yet'";
    assert_eq!(end_of(&["prompt", "-f", "notes.md", "-n", "1"], [echo]).0, RunEnd::IterationsUsed);
}

#[test]
fn a_text_prompt_gets_the_tag_and_a_file_is_read_in_every_iteration() {
    let project = Project::without_git().agent([
        "echo 'Now another thing, then <response>DONE</response>' >notes.md; echo ok",
        DONE,
    ]);
    project.write("notes.md", "One thing, then <response>DONE</response>\n");
    project.run(&["prompt", "-f", "notes.md"]).assert_end(RunEnd::Complete);
    let another = "Now another thing, then <response>DONE</response>\n";
    assert_eq!(project.prompts(), ["One thing, then <response>DONE</response>\n", another]);

    let project = Project::without_git().agent([DONE]);
    project.run(&["prompt", "-p", "Fix it"]).assert_end(RunEnd::Complete);
    assert_eq!(
        project.prompts(),
        ["Fix it\n\nWhen all of this is done and verified, end your last message with \
          <response>DONE</response>; until then, leave that tag out."]
    );
}

#[test]
fn iterations_are_used_up_by_number_by_flag_and_by_default() {
    for (args, expected) in [
        (&["prompt", "task.md", "2"][..], 2),
        (&["prompt", "task.md", "-n", "3"], 3),
        (&["prompt", "task.md"], 10),
    ] {
        let project = Project::new().agent([NOT_YET]);
        project.run(args).assert_end(RunEnd::IterationsUsed);
        assert_eq!(project.prompts().len(), expected, "{args:?}");
    }
}

#[test]
fn a_complete_run_is_not_resumed() {
    let project = Project::new();
    project.run(&["prompt", "task.md"]).assert_end(RunEnd::Complete);
    let run = project.run(&["prompt", "task.md"]);
    assert_eq!(run.assert_end(RunEnd::Complete).resumed_after(), None);
    assert_eq!(project.prompts().len(), 2);
}

#[test]
fn a_prompt_that_disappears_ends_the_run_between_two_iterations() {
    let project = Project::new().agent(["rm task.md; echo ok"]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::Blocked);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
    assert_text(&run.stderr, contains("cannot read the prompt file task.md"));
}
