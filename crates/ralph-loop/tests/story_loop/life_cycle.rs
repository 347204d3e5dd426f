//! From an empty folder to the archive.

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::json;
use test_repo::assert_text;

use crate::harness::Project;
use crate::stories::{fields, list, story};

#[track_caller]
fn succeeds(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    printed
}

#[test]
fn an_initialised_project_has_all_files_and_its_example_is_refused() {
    let project = Project::empty();
    succeeds(&project, &["init", "--name", "demo"]);
    for name in ["ralph/prd.md", "ralph/tasks.json", "ralph/progress.txt", "ralph/prompt.md"] {
        assert!(!project.read(name).is_empty(), "{name}");
    }
    assert!(project.read(".gitignore").contains(".ralph-active"));
    assert_eq!(project.tasks()["branchName"], "ralph/demo");
    project.repository();
    let run = project.run([]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("only the example story"));
    assert_text(&run.stderr, contains("hint:"));
}

#[test]
fn an_initialised_project_runs_to_its_end_with_its_own_prompt() {
    let project = Project::empty();
    succeeds(&project, &["init", "--name", "demo"]);
    project.write("ralph/tasks.json", list([story("US-001")]).to_string());
    project.repository();
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(!run.events.iter().any(|event| matches!(event, LoopEvent::HookMissing { .. })));
    assert_eq!(run.warnings(), "");
    assert!(run.prompt(1).contains("US-001: Title of US-001"));
    assert!(!run.prompt(1).contains("${"), "{}", run.prompt(1));
    assert_eq!(project.git(&["status", "--porcelain"]), "", "nothing is left behind");
}

#[test]
fn a_finished_loop_is_archived_and_the_next_one_begins_clean() {
    let project = Project::new([story("US-001")]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let commands = ["git switch main", "git merge ralph/demo"];
    assert!(run.stderr.contains(&commands.join("\n    ")), "{}", run.stderr);
    let archived = succeeds(&project, &["archive", "--label", "first"]);
    let taken_over = format!("\nMerge the work: {}\n", commands.join(" && "));
    assert!(archived.ends_with(&taken_over), "{archived}");
    let status = succeeds(&project, &["status"]);
    assert!(status.contains("no plan yet: ") && !status.contains("next: implement"), "{status}");
    let folder = std::fs::read_dir(project.path().join("ralph-archive")).unwrap();
    let folder = folder.map(|entry| entry.unwrap().path()).next().unwrap();
    assert!(folder.to_string_lossy().ends_with("-first"), "{folder:?}");
    let put_away = std::fs::read_to_string(folder.join("tasks.json")).unwrap();
    let put_away: serde_json::Value = serde_json::from_str(&put_away).unwrap();
    assert_eq!(put_away["userStories"][0]["reviewStatus"], "approved");
    assert_eq!(put_away["userStories"][0]["reviewCount"], 1);
    assert!(folder.join("progress.txt").is_file() && folder.join("prd.md").is_file());
    assert_eq!(project.git(&["status", "--porcelain"]), "", "the archive is committed");
    assert!(!project.has(".ralph/state.json"), "counters belong to what was put away");
    assert!(!project.read("ralph/progress.txt").contains("US-001"));
    let run = project.run([]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("only the example story"));
}

#[test]
fn an_unfinished_loop_is_not_archived() {
    let project = Project::new([story("US-001")]);
    let output = project.call(&["archive"]);
    assert_eq!(output.status.code(), Some(2));
    assert_text(&String::from_utf8_lossy(&output.stderr), contains("archive --unfinished"));
    assert!(!project.has("ralph-archive"));
}

#[test]
fn a_dry_run_shows_the_first_iteration_and_touches_nothing() {
    let project = Project::with_checks([story("US-001"), story("US-002")], ["make test"]);
    let before = project.listing();
    let refs = project.git(&["for-each-ref"]);
    let output = project.call(&["run", "--dry-run", "--agent-program", "sh", "--model", "opus"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.starts_with("Prompt:\n"), "{printed}");
    for part in ["implement US-001", "make test", "ralph/demo", "--model opus", "it is tested"] {
        assert!(printed.contains(part), "{part:?} is not in: {printed}");
    }
    assert_eq!(project.listing(), before);
    assert_eq!(project.git(&["for-each-ref"]), refs);
    assert_eq!(project.git(&["branch", "--show-current"]), "main");
}

#[test]
fn a_dry_run_with_handoffs_weighs_the_prompt_and_names_what_is_wrong_with_skills() {
    let mut asking = story("US-001");
    asking["skills"] = json!(["known", "unknown"]);
    let project = Project::new([asking]);
    project.write(".ralph/skills/known.md", "Measure twice.");
    let args = ["run", "--dry-run", "--allow-dirty", "--agent-program", "sh", "--handoffs"];
    let printed = String::from_utf8(project.call(&args).stdout).unwrap();
    let at =
        |part: &str| printed.find(part).unwrap_or_else(|| panic!("{part:?} is not in: {printed}"));
    assert!(at("Added to the system prompt:\n# Skill: known") < at("Measure twice."));
    assert!(at("Measure twice.") < at("\nPrompt:\n"));
    assert!(at("\nPrompt:\n") < at("Tokens (approximate):\n  Section "));
    assert!(at("  total ") < at("Skill: US-001 needs skill unknown"));
    assert!(printed.ends_with(" < prompt.txt\n"), "{printed}");

    let output = project.call(&[&args[..], &["--output", "json"]].concat());
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["context"]["budget"], 8000);
    let parts = printed["context"]["parts"].as_array().unwrap();
    let tokens: u64 = parts.iter().map(|part| part["tokens"].as_u64().unwrap()).sum();
    assert_eq!(printed["context"]["tokens"], tokens);
    assert_eq!(printed["skillProblems"].as_array().unwrap().len(), 1);
    assert!(printed["systemPrompt"].as_str().unwrap().contains("Measure twice."), "{printed:#}");

    let output = project.call(&[&args[..5], &["--output", "json"]].concat());
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(printed["context"].is_null(), "{printed:#}");
}

/// `validate` has the same answers.
#[test]
fn a_misspelled_key_and_a_list_without_stories_are_refused_everywhere() {
    let mut misspelled = story("US-001");
    misspelled["depends_on"] = json!([]);
    let unknown = "unknown key \"depends_on\": did you mean \"dependsOn\"?";
    let none = "expected at least one story, found none";
    for (project, why) in [(Project::new([misspelled]), unknown), (Project::new([]), none)] {
        let agent = ["--agent-program", "sh"];
        for args in [&["run"][..], &["run", "--dry-run"]] {
            let output = project.call(&[args, &agent[..]].concat());
            let printed = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?}: {printed}");
            assert!(printed.contains(why), "{args:?}: {printed}");
        }
        assert_eq!(project.call(&["validate"]).status.code(), Some(2));
        let report = project.call(&["report"]);
        assert_ne!(report.status.code(), Some(0), "no run is recorded");
    }
}

#[test]
fn keys_that_nothing_reads_and_missing_checks_are_reported() {
    let mut own = story("US-001");
    own["estimate"] = json!(3);
    let project = Project::new([own]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    run.assert_event("unknown keys: story US-001: estimate");
    assert_text(
        &run.stderr,
        contains("no checks are configured: only reviews decide what is done"),
    );
    let report = String::from_utf8(project.call(&["report"]).stdout).unwrap();
    assert!(report.contains("**Warning**: no checks are configured"), "{report}");
    let page = String::from_utf8(project.call(&["report", "--format", "html"]).stdout).unwrap();
    assert!(page.contains("no checks are configured"), "{page}");

    let project = Project::with_checks([story("US-001")], ["true"]);
    let checked = project.run([]);
    assert!(!checked.stderr.contains("no checks are configured"), "{}", checked.stderr);
}

#[test]
fn invalid_git_or_list_states_are_refused_before_any_change() {
    let dirty = Project::new([story("US-001")]);
    dirty.write("mine.txt", "not committed");
    let run = dirty.run([]);
    run.assert_exit(2);
    assert!(run.stderr.contains("mine.txt") && run.stderr.contains("--allow-dirty"));

    let mut broken = story("US-001");
    broken["acceptanceCriteria"] = json!([]);
    broken["priority"] = json!("high");
    let run = Project::new([broken]);
    let run = run.run([]);
    run.assert_exit(2);
    assert!(run.stderr.contains("acceptanceCriteria") && run.stderr.contains("priority"));

    let bare = Project::empty();
    bare.write("ralph/tasks.json", list([story("US-001")]).to_string());
    let run = bare.run([]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("not in a git repository"));
}

#[test]
fn a_list_that_is_complete_needs_no_agent() {
    let project = Project::new([crate::stories::story_at("US-001", "approved", 1)]);
    let run = project.run([]);
    run.assert_exit(0).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert!(run.events.is_empty(), "{:?}", run.events);
    assert_text(&run.stderr, contains("the only story is done: nothing to do\n"));
}
