//! What follows an accepted step: the quality check and the tasks of version control.

use events::{LoopEvent, QualityOutcome, RunEnd};
use serde_json::json;

use crate::in_process::agent;
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{Project, id};
use crate::options::{AgentOptions, QualityOptions, ScmOptions, ScmTask};

const QUALITY: &str = "# Quality check of";

fn with_quality() -> Project {
    let mut project = Project::new(&["pass"]);
    let agent = project.options.run.agent.clone();
    project.options.quality = Some(QualityOptions { agent, prompt: None });
    project
}

fn checked(project: &Project) -> Vec<(QualityOutcome, Vec<String>)> {
    let checked = |event| match event {
        LoopEvent::QualityChecked { story, outcome, warnings, .. } => {
            assert_eq!(story, id("US-1"));
            Some((outcome, warnings))
        }
        _ => None,
    };
    project.events.all().into_iter().filter_map(checked).collect()
}

#[test]
fn the_quality_check_of_a_finished_story_warns_and_changes_nothing() {
    let project = with_quality();
    let mut asked = 0;
    let finished = project.finished(|prompt| {
        if !prompt.contains(QUALITY) {
            return agent::work(&project, true);
        }
        asked += 1;
        assert!(prompt.contains("US-1"), "{prompt}");
        project.write("src/lib.rs", "better");
        project.set("US-1", &[("passes", json!(false))]);
        "WARNING: src/US-1.rs has no test".to_owned()
    });
    assert_eq!((finished.end, asked), (RunEnd::Complete, 1));
    let expected = vec!["src/US-1.rs has no test".to_owned()];
    assert_eq!(checked(&project), [(QualityOutcome::Checked, expected)]);
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    assert_eq!(project.story("US-1")["passes"], true);
    assert!(project.warnings().iter().any(|text| text.ends_with("; restored")));
    assert!(project.saved().lane.settings_before.is_none());
}

#[test]
fn an_answer_without_warnings_or_their_absence_is_a_failed_check() {
    for (answer, expected) in
        [("NO WARNINGS", QualityOutcome::Checked), ("looks good", QualityOutcome::Failed)]
    {
        let project = with_quality();
        let finished = project.finished(|prompt| match prompt.contains(QUALITY) {
            true => answer.to_owned(),
            false => agent::work(&project, true),
        });
        assert_eq!(finished.end, RunEnd::Complete);
        assert_eq!(checked(&project), [(expected, Vec::new())], "{answer}");
    }
}

#[test]
fn the_quality_prompt_can_be_the_users_own_and_a_missing_one_only_warns() {
    let mut project = with_quality();
    project.write(".ralph/quality.md", "Look at ${STORY_ID} on ${BRANCH}.");
    project.options.quality.as_mut().unwrap().prompt =
        Some(project.root().join(".ralph/quality.md"));
    let mut seen = Vec::new();
    project.finished(|prompt| match prompt.starts_with("Look at US-1 on ralph/x.") {
        true => {
            seen.push(prompt.to_owned());
            "no warnings".to_owned()
        }
        false => agent::work(&project, true),
    });
    assert_eq!(seen.len(), 1);

    let mut project = with_quality();
    project.options.quality.as_mut().unwrap().prompt = Some("no such file".into());
    let finished = project.finished(|_| agent::work(&project, true));
    assert_eq!(finished.end, RunEnd::Complete);
    let skipped = "quality check skipped: cannot read no such file";
    assert!(project.warnings().iter().any(|text| text.starts_with(skipped)));
    assert_eq!(checked(&project), []);
}

fn with_remote(tasks: &[ScmTask]) -> (Project, assert_fs::TempDir) {
    let mut project = Project::new(&["pass"]);
    let remote = assert_fs::TempDir::new().unwrap();
    test_repo::git(remote.path(), &["init", "-q", "--bare"]);
    project.git(&["remote", "add", "origin", remote.path().to_str().unwrap()]);
    let program = std::path::PathBuf::from("git");
    project.options.run.scm = Some(ScmOptions { program, tasks: tasks.to_vec() });
    (project, remote)
}

#[test]
fn accepted_steps_are_pushed() {
    let (project, remote) = with_remote(&[ScmTask::Push]);
    let finished = project.finished(|_| agent::work(&project, true));
    assert_eq!(finished.end, RunEnd::Complete);
    assert!(finished.error.is_none());
    let pushed = test_repo::git(remote.path(), &["rev-parse", "ralph/x"]);
    assert_eq!(pushed.trim(), project.git(&["rev-parse", "ralph/x"]));
}

#[test]
fn the_branch_of_a_given_up_story_is_pushed_too() {
    let (mut project, remote) = with_remote(&[ScmTask::Push]);
    let list = project.read("ralph/tasks.json").replace("\"pass\"", "\"fail\"");
    project.commit("ralph/tasks.json", &list);
    project.options.attempts.most = 1;
    let finished = project.finished(|_| agent::work(&project, true));
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    let branch = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap().branch.unwrap();
    let pushed = test_repo::git(remote.path(), &["rev-parse", &branch]);
    assert_eq!(pushed.trim(), project.git(&["rev-parse", &branch]));
}

#[test]
fn without_a_remote_the_branch_of_a_given_up_story_stays_local_with_a_warning() {
    let (mut project, _remote) = with_remote(&[ScmTask::Push]);
    project.git(&["remote", "remove", "origin"]);
    let list = project.read("ralph/tasks.json").replace("\"pass\"", "\"fail\"");
    project.commit("ralph/tasks.json", &list);
    project.options.attempts.most = 1;
    let finished = project.finished(|_| agent::work(&project, true));
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    assert!(project.warnings().iter().any(|text| text.contains("it exists only locally")));
}

#[test]
fn the_session_of_the_quality_check_gets_the_options_of_its_own_agent() {
    let mut project = with_quality();
    project.write(".ralph/mcp/coding.json", r#"{"mcpServers": {}}"#);
    project.options.quality.as_mut().unwrap().agent = AgentOptions {
        agent: agents::Agent::Claude,
        program: "claude/agent".into(),
        model: Some("large".into()),
        fallback_model: Some("small".into()),
        max_turns: Some(7),
        extra_args: vec!["--of-mine".into()],
        ..project.options.run.agent.clone()
    };
    let processes = PlayedProcesses::new(
        |prompt| match prompt.contains(QUALITY) {
            true => "no answer of Claude Code".to_owned(),
            false => agent::work(&project, true),
        },
        || {},
    );
    project.run_by(&processes).unwrap();
    let sessions = processes.sessions.lock().unwrap();
    let args = sessions.iter().find(|args| args.contains(&"--of-mine".to_owned())).unwrap();
    let after = |flag: &str| {
        let at = args.iter().position(|arg| arg == flag);
        at.and_then(|at| args.get(at + 1)).map_or("", String::as_str)
    };
    assert_eq!((after("--model"), after("--fallback-model")), ("large", "small"));
    assert_eq!(after("--max-turns"), "7");
    assert_eq!(after("--session-id").len(), 36);
    assert!(after("--mcp-config").ends_with("coding.json"), "{args:?}");
    assert_eq!(checked(&project), [(QualityOutcome::Failed, Vec::new())]);
}
