//! Obstacles at paths of the runner: pipes without a writer, endless devices, folders. The runner
//! does not block, and the run continues.

use events::{IterationStatus, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::stories::{commit, fields, story};

/// Something else than the list, as a shell makes it.
const IN_PLACE_OF_LIST: [&str; 6] = [
    "rm ralph/tasks.json; mkfifo ralph/tasks.json",
    "ln -sf /dev/zero ralph/tasks.json",
    "rm ralph/tasks.json; mkdir -p ralph/tasks.json/x",
    "rm ralph/tasks.json; mkdir ralph/tasks.json; echo x >ralph/tasks.json/x",
    "rm -r ralph",
    "rm -r ralph; echo x >ralph",
];

#[track_caller]
fn assert_in_order(project: &Project, what: &str) {
    assert_eq!(project.git(&["status", "--porcelain"]), "", "{what}");
    assert_eq!(project.read("ralph/prd.md"), "# What and why\n", "{what}");
    assert!(project.path().join("ralph/tasks.json").symlink_metadata().unwrap().is_file());
}

#[test]
fn a_check_that_replaces_the_list_is_caught_and_the_list_is_back() {
    for spoil in IN_PLACE_OF_LIST {
        // The second check finds everything as it was committed.
        for checks in [["true", spoil], [spoil, "test -s ralph/tasks.json"]] {
            let project = Project::with_checks([story("US-001")], checks);
            let run = project.run(["-n", "1"]);
            run.assert_end(RunEnd::IterationsUsed);
            let undone = run.statuses() == [IterationStatus::Reverted];
            assert_eq!(undone, checks[1] == spoil, "{checks:?}: {:?}", run.statuses());
            if undone {
                run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
            }
            assert_in_order(&project, spoil);
        }
    }
}

#[test]
fn a_look_at_the_quality_that_replaces_the_list_holds_nothing_up() {
    for spoil in IN_PLACE_OF_LIST {
        let acts = [Act::bash(spoil), Act::finish("NO WARNINGS")];
        let scenario =
            Scenario::new().rule(When::any().prompt_contains("# Quality check of"), acts);
        let project = Project::new([story("US-001")]).scenario(scenario);
        let run = project.run(["--quality"]);
        run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
        assert_in_order(&project, spoil);
    }
}

#[test]
fn pipes_and_folders_in_place_of_the_runners_files_do_not_block() {
    let names = "outcome.json tasks.rejected.json guardrail_true.log quality-prompt.md quality.jsonl \
                 quality.stderr.log";
    for make in ["mkfifo $d/$n", "mkdir -p $d/$n/x", "ln -s ../../../../mine.txt $d/$n"] {
        let spoil = format!(
            "for d in .ralph/runs/*/0*; do for n in {names}; do test -e $d/$n || {make}; done; done"
        );
        let cheats = [Act::bash(&*spoil), crate::stories::approval("US-001"), commit("feat: mine")];
        let works = [Act::bash(&*spoil), Act::submit("done"), commit("feat")];
        let approves = [Act::bash(&*spoil), Act::approve("fine"), commit("review")];
        let scenario = Scenario::new()
            .rule(When::mode(Mode::Implement).visit(1), cheats)
            .rule(When::mode(Mode::Implement), works)
            .rule(When::mode(Mode::Review), approves);
        let project = Project::with_checks([story("US-001")], ["true"]).scenario(scenario);
        let run = project.run(["--quality"]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(run.statuses()[0], IterationStatus::Reverted, "{make}");
        for start in [1, 2, 3] {
            let text = std::fs::read_to_string(run.folder(start).join("outcome.json")).unwrap();
            assert!(text.contains("\"checkpoint\""), "{make}: {text}");
        }
        assert!(run.folder(1).join("tasks.rejected.json").metadata().unwrap().is_file());
        assert_eq!(project.read("mine.txt"), "committed\n", "{make}");
    }
}
