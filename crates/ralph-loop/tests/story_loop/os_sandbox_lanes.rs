//! Several lanes, each in a sandbox: sessions and checks reach neither the project nor another clone.

use std::path::{Path, PathBuf};

use events::RunEnd;
use serde_json::{Value, json};
use simulator::{Act, IGNORE_DENIALS_VARIABLE, Mode, SCENARIO_VARIABLE, Scenario, When};

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

/// Each line leaves a file or a setting outside the clone in which it runs.
const ATTACK: &str = r#"
touch "$P/evil"
git -C "$P" update-ref refs/heads/evil mine
git config --file "$P/.git/config" evil.x 1
touch "$P/.git/objects/evil"
touch "$P/.ralph/evil" "$P/.ralph/runs/evil"
for n in 1 2 verification; do [ "../$n" -ef . ] || touch "../$n/.git/evil"; done
"#;

/// Waits until both lanes work. The folder of the runs is readable.
const BOTH_WORK: &str = r#"
for i in $(seq 600); do
    ls "$P"/.ralph/runs/*/*-implement-US-001 "$P"/.ralph/runs/*/*-implement-US-002 && break; sleep 0.1
done
"#;

/// In Claude Code's folder for transcripts of the clone.
const TRANSCRIPT: &str = r#"touch "$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')/kept""#;

/// Two stories. Sessions and checks run the attack; the first check of US-001 fails.
pub(crate) fn project(more: Value) -> Project {
    let check = "sh attack.sh; git cat-file -e HEAD:attack.sh || exit 1; test ! -f broken || { echo the reason is 42; exit 1; }";
    let project = Project::with_checks([story("US-001"), story("US-002")], [check]);
    let path = project.path();
    project.write("attack.sh", format!("P='{}'\n{ATTACK}", path.display()));
    let begin = format!(
        "P='{}'\n{BOTH_WORK}\nsh attack.sh; touch tried-$RALPH_LANE; {TRANSCRIPT}",
        path.display()
    );
    let read = format!(
        "grep -q 'the reason is 42' '{}'/.ralph/runs/*/*-implement-US-001/*.log && touch read-it; rm broken",
        path.display()
    );
    let done = || [Act::submit("done"), Act::commit("done")];
    let work = |command: &str| std::iter::once(Act::bash(command)).chain(done());
    let scenario = Scenario::new()
        .rule(
            When::mode(Mode::Implement).story("US-001").visit(1),
            work(&format!("{begin}; touch broken")),
        )
        .rule(When::mode(Mode::Implement).story("US-002").visit(1), work(&begin))
        .rule(When::mode(Mode::Implement).story("US-001").visit(2), work(&read));
    let mut isolation = json!({
        "environment": [SCENARIO_VARIABLE, IGNORE_DENIALS_VARIABLE],
        "readablePaths": ["../scenario.json"],
        "writablePaths": ["../scenario.memory"],
    });
    isolation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let project = project.scenario(scenario).settings(&json!({ "isolation": isolation }));
    std::fs::create_dir(project.path().with_file_name("scenario.memory")).unwrap();
    project.git(&["switch", "-q", "-c", "mine"]);
    project
}

/// What the attack changed outside the clones of the sessions.
fn damage(project: &Project, clones: &[PathBuf]) -> Vec<String> {
    let mut found = Vec::new();
    for file in
        ["evil", ".git/refs/heads/evil", ".git/objects/evil", ".ralph/evil", ".ralph/runs/evil"]
    {
        found.extend(project.has(file).then(|| file.to_owned()));
    }
    let settings = project.read(".git/config").contains("evil");
    found.extend(settings.then(|| "settings".to_owned()));
    let of_clones = clones.iter().filter(|clone| clone.join(".git/evil").exists());
    found.extend(of_clones.map(|clone| clone.file_name().unwrap().to_string_lossy().into_owned()));
    found
}

pub(crate) fn confines(kind: &str, project: &Project) {
    let before = (project.head(), project.git(&["status", "--porcelain"]));
    let agent = program("simulated-agent");
    let mut command = project.command(&program("ralph-loop"));
    let sandbox = format!("--sandbox={kind}");
    command.args(["run", "-j", "2", "--output", "json", &sandbox, "--agent-program"]).arg(agent);
    let run = Outcome::of_run(project, &command.output().unwrap());
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.guards_missing(), 0);
    assert_eq!((project.head(), project.git(&["status", "--porcelain"])), before);
    let merged = project.git(&["ls-tree", "-r", "--name-only", "ralph/demo"]);
    for file in ["tried-1", "tried-2", "read-it"] {
        assert!(merged.contains(file), "{file}: {merged}");
    }
    assert!(!merged.contains("evil") && !merged.contains("broken"), "{merged}");
    let clones = clones(project);
    assert_eq!(damage(project, &clones), [""; 0]);
    for clone in &clones[..2] {
        let name = clone.canonicalize().unwrap().display().to_string();
        let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let folder = format!("../home/.claude/projects/{name}");
        assert!(project.has(&format!("{folder}/kept")), "{name}: {}", project.has(&folder));
    }
    assert!(is_named(project), "the prompt names no output of a check");

    // The same outside of a sandbox.
    let mut attack = assert_cmd::Command::new("sh");
    attack.arg("attack.sh").current_dir(&clones[0]).assert().success();
    assert_eq!(damage(project, &clones).len(), 8, "{:?}", damage(project, &clones));
}

/// Lane 1, lane 2, the verification.
fn clones(project: &Project) -> Vec<PathBuf> {
    let listed = project.call(&["lanes", "--json"]).stdout;
    let listed: Value = serde_json::from_slice(&listed).unwrap();
    let folders = listed.as_array().unwrap().iter().map(|lane| lane["folder"].as_str().unwrap());
    folders.map(PathBuf::from).collect()
}

/// Whether the prompt after the failed check names its output, which is in the project.
fn is_named(project: &Project) -> bool {
    let runs = std::fs::read_dir(project.path().join(".ralph/runs")).unwrap().flatten();
    let sessions = runs.filter_map(|run| std::fs::read_dir(run.path()).ok()).flatten().flatten();
    let prompts =
        sessions.filter_map(|it| std::fs::read_to_string(it.path().join("prompt.md")).ok());
    let runs = project.path().canonicalize().unwrap().join(".ralph/runs");
    let is_output = |word: &str| {
        let path = Path::new(word);
        path.starts_with(&runs)
            && std::fs::read_to_string(path).is_ok_and(|text| text.contains("42"))
    };
    let separators = |c: char| c.is_whitespace() || "`'\"(),;".contains(c);
    prompts.collect::<String>().split(separators).any(is_output)
}

#[test]
fn sessions_and_checks_of_lanes_are_confined_to_their_clone() {
    confines("os", &project(json!({})));
}
