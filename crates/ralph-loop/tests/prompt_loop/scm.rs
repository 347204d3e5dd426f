//! Version control after the guardrails: the agent gives the message, the loop commits and pushes.

use events::{IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use test_repo::assert_text;

use crate::harness::{PROMISE, Project};
use crate::outcome::Outcome;

fn project(tasks: &[&str]) -> Project {
    let project = Project::new().settings(&settings(tasks));
    project.agent([&format!("echo new >new.txt; echo more >>task.md; {PROMISE}")])
}

fn settings(tasks: &[&str]) -> Value {
    json!({"scm": {"command": "git", "tasks": tasks}})
}

/// `commit: Done`
fn scm_events(run: &Outcome) -> Vec<String> {
    let events = run.events.iter().filter_map(|event| match event {
        LoopEvent::ScmEnded { task, outcome, .. } => Some(format!("{task}: {outcome:?}")),
        _ => None,
    });
    events.collect()
}

fn head(project: &Project) -> (String, String) {
    let files = project.git(&["show", "--name-only", "--format=", "HEAD"]);
    (project.git(&["log", "-1", "--format=%B"]), files)
}

#[test]
fn only_changes_of_the_agent_are_committed_with_its_message() {
    let project =
        project(&["commit"]).message("echo; echo 'Add things'; echo 'I hope you like it.'");
    project.write("mine.txt", "the user's own\n");
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(head(&project), ("Add things".into(), "new.txt\ntask.md".into()));
    assert_eq!(scm_events(&run), ["commit: Done"]);
    assert_eq!(
        project.git(&["status", "--porcelain"]),
        "?? .ralph/\n?? mine.txt",
        "settings and the user's own file are theirs to commit"
    );
    let asked = "Provide a short imperative commit message for the changes. Output only the \
                 message, no explanation.";
    assert_eq!(project.message_prompts(), [asked]);
}

#[test]
fn new_files_are_committed_whatever_they_are_called() {
    let make = "mkdir -p a/deep; for name in 'a/deep/x' 'two words' 'ü.txt' '*.txt' ':(top)y' '-z'; \
                do echo x >\"./$name\"; done; echo x >\"$(printf 'caf\\351')\"";
    let project = project(&["commit"]).agent([&format!("{make}; {PROMISE}")]);
    project.write("mine.txt", "the user's own, and none of *.txt\n");
    project.run(&["prompt", "task.md"]).assert_end(RunEnd::Complete);
    let files = project.git(&["-c", "core.quotePath=false", "ls-files"]);
    for name in ["a/deep/x", "two words", "ü.txt", "*.txt", ":(top)y", "-z", "caf\u{fffd}"] {
        assert!(files.lines().any(|file| file == name), "{name} is not in {files}");
    }
    assert!(!files.contains("mine.txt"), "{files}");
}

#[test]
fn a_project_below_the_repository_is_committed_too() {
    let project = Project::without_git();
    project.git(&["init", "-q", "-b", "main", ".."]);
    // The agent's own notes lie there too.
    std::fs::write(project.beside(".git/info/exclude"), "/agent/\n").unwrap();
    project.git(&["config", "user.name", "a"]);
    project.git(&["config", "user.email", "a@localhost"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "start"]);
    let project = project
        .settings(&settings(&["commit"]))
        .agent([&format!("mkdir src; echo x >src/new.txt; {PROMISE}")]);
    project.run(&["prompt", "task.md"]).assert_end(RunEnd::Complete);
    assert_eq!(head(&project), ("Add things".into(), "project/src/new.txt".into()));
}

#[test]
fn an_agent_that_commits_everything_does_not_commit_what_is_the_runners() {
    let commit = format!("echo x >new.txt; git add -A; git commit -qm all; {PROMISE}");
    for acts in [[&commit, ""], ["rm -r .ralph; echo one", &commit]] {
        let project = Project::new().agent(acts);
        std::fs::remove_file(project.path().join(".gitignore")).unwrap();
        project.run(&["prompt", "task.md"]).assert_end(RunEnd::Complete);
        assert_eq!(project.git(&["ls-files"]), "new.txt\ntask.md");
        assert_eq!(project.git(&["status", "--porcelain"]), "", "nothing of it is in the way");
    }
}

#[test]
fn a_message_out_of_an_agents_stream() {
    let project = project(&["commit"]).replaying("codex", "completed");
    let stream = std::fs::read_to_string(project.beside("agent/work.sh")).unwrap();
    let tag = "All finished. <promise>COMPLETE<.promise>";
    let project = project
        .agent([&format!("echo x >new.txt; {stream}")])
        .message(&format!("{stream} | sed 's|{tag}|Add a parser|'"));
    let run = project.run_as_it_is(&["prompt", "task.md", "--agent", "codex"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(head(&project), ("Add a parser".into(), "new.txt".into()));
}

#[test]
fn the_cost_of_a_commit_message_is_counted() {
    let project = project(&["commit"]).replaying("claude", "completed");
    let stream = std::fs::read_to_string(project.beside("agent/work.sh")).unwrap();
    let project = project.agent([&format!("echo x >new.txt; {stream}")]).message(&stream);
    let run = project.run_as_it_is(&["prompt", "task.md", "--agent", "claude"]);
    run.assert_end(RunEnd::Complete);
    let costs = run.events.iter().find_map(|event| match event {
        LoopEvent::IterationEnded(events::IterationEnded { cost_usd, total_cost_usd, .. }) => {
            Some((*cost_usd, *total_cost_usd))
        }
        _ => None,
    });
    let (iteration, total) = costs.unwrap();
    let twice = 2.0 * 0.0165;
    assert!((iteration - twice).abs() < 1e-9 && (total - twice).abs() < 1e-9, "{costs:?}");
}

#[test]
fn a_message_in_its_tag_is_taken_whole() {
    let message = "echo 'Sure:'; echo '<response>Add a parser'; echo; echo 'It reads.</response>'";
    let project = project(&["commit"]).message(message);
    project.run(&["prompt", "task.md"]).assert_end(RunEnd::Complete);
    assert_eq!(head(&project).0, "Add a parser\n\nIt reads.");
}

#[test]
fn without_changes_no_commit_message_is_requested() {
    let project = Project::new().settings(&settings(&["commit"]));
    let before = project.git(&["rev-parse", "HEAD"]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(scm_events(&run), ["commit: NothingToDo"]);
    assert_eq!(project.message_prompts(), Vec::<String>::new());
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn commits_are_pushed() {
    let project = project(&["commit", "push"]);
    let remote = project.beside("remote.git");
    project.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    project.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    project.git(&["checkout", "-q", "-b", "new"]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(scm_events(&run), ["commit: Done", "push: Done"]);
    assert_eq!(project.git(&["rev-parse", "origin/new"]), project.git(&["rev-parse", "HEAD"]));
    assert_eq!(test_repo::git(&remote, &["log", "-1", "--format=%s", "new"]), "Add things");
}

#[test]
fn a_failed_push_ends_the_run_and_the_next_run_resumes() {
    let project = project(&["commit", "push"]);
    let run = project.run(&["prompt", "task.md"]);
    run.assert_end(RunEnd::GitFailed);
    assert_eq!(scm_events(&run), ["commit: Done", "push: Failed"]);
    assert_text(&run.stderr, contains("git push` failed: "));
    assert_text(&run.stderr, contains("hint: "));
    assert_eq!(run.statuses(), [IterationStatus::Failed], "the iteration has its last word");
    let project = project.settings(&settings(&["commit"]));
    let next = project.run(&["prompt", "task.md"]);
    next.assert_end(RunEnd::Complete);
    assert_eq!(next.resumed_after(), Some(0));
}

#[test]
fn no_message_no_commit() {
    for act in ["true", "exit 1", "echo 'API Error: 500'; exit 1", "echo '<response> </response>'"]
    {
        let project = project(&["commit", "push"]).message(act);
        let before = project.git(&["rev-parse", "HEAD"]);
        let run = project.run(&["prompt", "task.md", "--retries", "1", "--retry-wait", "1ms"]);
        run.assert_end(RunEnd::AgentFailed);
        assert_eq!(project.message_prompts().len(), 2, "it is asked again, and not for ever");
        assert_text(&run.stderr, contains("the agent gave no commit message"));
        assert_eq!(project.git(&["rev-parse", "HEAD"]), before, "{act}");
        assert!(project.has("new.txt"), "the work is still there");
        assert_eq!(run.statuses(), [IterationStatus::Failed]);
    }
}

#[test]
fn an_error_of_the_agent_is_no_commit_message() {
    let streams = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/tests/streams/claude");
    let project = project(&["commit"]);
    let work = format!("echo x >new.txt; cat '{streams}/completed.jsonl'");
    let project = project.replaying("claude", "completed").agent([&work]);
    let project = project.message(&format!("cat '{streams}/api-error-after-retries.jsonl'"));
    let before = project.git(&["rev-parse", "HEAD"]);
    let run = project.run_as_it_is(&["prompt", "task.md", "--agent", "claude", "--retries", "0"]);
    run.assert_end(RunEnd::AgentFailed);
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before, "{:#?}", run.events);
}

#[test]
fn files_that_change_while_the_message_is_asked_for_are_guarded_again() {
    let mut settings = settings(&["commit"]);
    settings["guardrails"] = json!([{"command": "! grep -q bad new.txt"}]);
    let project =
        project(&["commit"]).settings(&settings).message("echo bad >new.txt; echo 'Add things'");
    let before = project.git(&["rev-parse", "HEAD"]);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed]);
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
    assert!(run.warnings().contains("changed files while it wrote"), "{}", run.warnings());

    let project = project.message("echo good >new.txt; echo 'Add things'");
    project.run(&["prompt", "task.md", "2", "--resume"]).assert_end(RunEnd::Complete);
    assert_eq!(project.git(&["show", "HEAD:new.txt"]), "good");
}

#[test]
fn guardrails_that_fail_commit_nothing() {
    let mut settings = settings(&["commit"]);
    settings["guardrails"] = json!([{"command": "false"}]);
    let project = project(&["commit"]).settings(&settings);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!((scm_events(&run).len(), project.message_prompts().len()), (0, 0));
}

/// The user's own: one that a session installs is removed.
fn install_hook(project: &Project, script: &str) {
    let hook = project.path().join(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn changes_of_a_commit_hook_are_checked() {
    let guardrails = json!([{"command": "grep -q good f.txt"}]);
    let settings = json!({"scm": {"tasks": ["commit", "push"]}, "guardrails": guardrails});
    let project =
        Project::new().settings(&settings).agent([&format!("echo good >f.txt; {PROMISE}")]);
    install_hook(&project, "echo bad >f.txt; git add f.txt");
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed]);
    assert_eq!(scm_events(&run), ["commit: Done"], "and it is not pushed");
}

#[test]
fn nothing_is_committed_from_another_folder() {
    let project = project(&["commit"]);
    std::fs::create_dir(project.beside("private")).unwrap();
    std::fs::write(project.beside("private/key"), "secret").unwrap();
    let private = project.beside("private");
    let act = format!("git config core.worktree {}; echo x >new.txt; {PROMISE}", private.display());
    let project = project.agent([&act]);
    project.run(&["prompt", "task.md", "1"]).assert_end(RunEnd::Complete);
    let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files, ".gitignore\nnew.txt\ntask.md");
}

#[test]
fn a_commit_hook_that_changes_only_the_commit_ends_the_run() {
    let project = project(&["commit"]).agent([&format!("echo good >f.txt; {PROMISE}")]);
    let script =
        "git update-index --cacheinfo 100644,$(echo bad | git hash-object -w --stdin),f.txt";
    install_hook(&project, script);
    let run = project.run(&["prompt", "task.md", "1"]);
    run.assert_end(RunEnd::GitFailed);
    assert_text(&run.stderr, contains("the commit differs from the work tree"));
}
