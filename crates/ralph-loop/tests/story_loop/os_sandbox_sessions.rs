//! Sessions in the sandbox of the operating system: what an agent can reach, whichever it is.

use engine::{LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, SCENARIO_VARIABLE, Scenario, UNHEEDING_VARIABLE, When};

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

/// A project whose agent runs this in its first session and then does its work.
pub(crate) fn project(attack: &str) -> Project {
    project_with(attack, json!({}))
}

/// With more settings of the isolation.
pub(crate) fn project_with(attack: &str, more: Value) -> Project {
    let acts = [Act::bash(attack), Act::submit("done"), Act::commit("done")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let mut isolation = json!({
        "environment": [SCENARIO_VARIABLE, UNHEEDING_VARIABLE],
        "readablePaths": ["../scenario.json"],
    });
    isolation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let project = Project::with_checks([story("US-001")], ["true"])
        .scenario(scenario)
        .settings(&json!({ "isolation": isolation }));
    project.write("../beside", "secret");
    project.write("../home/.netrc", "secret");
    project.write("../home/.bashrc", "as it was");
    project
}

pub(crate) fn isolation(run: &Outcome<'_>) -> Vec<String> {
    let chosen = run.events.iter().filter_map(|event| match event {
        LoopEvent::WallChosen { agent, wall, network, .. } => {
            Some(format!("{agent} {wall} {}", network.map_or("-", network_name)))
        }
        _ => None,
    });
    chosen.collect()
}

fn network_name(network: engine::isolation::NetworkKind) -> &'static str {
    history::words::network_words(network)
}

/// Each line is something that no session may do. What succeeds is written into the project.
pub(crate) const ESCAPES: &str = r#"
try() { if sh -c "$2" >/dev/null 2>&1; then echo "$1" >>escaped; fi; }
try "reads a login" 'grep -q secret "$HOME/.netrc"'
try "reads beside the project" 'test -e ../beside'
try "writes the state of the run" 'echo x >>.ralph/state.json'
try "writes the marker" 'echo x >>.ralph-active'
try "writes the settings" 'echo "{}" >.ralph/settings.json'
try "writes a hook of git" 'echo x >.git/hooks/pre-commit'
try "writes settings of git" 'git config core.hooksPath /x'
try "renames the repository" 'mv .git away'
try "sees the runner" 'grep -qs [r]alph-loop /proc/[0-9]*/comm'
try "signals its parent" 'kill -0 $PPID && test $PPID -gt 20000'
try "mounts" 'mount -t tmpfs x /mnt'
try "makes a namespace" 'unshare --user true'
try "gets a secret variable" 'test -n "$A_SECRET_TOKEN"'
try "writes the system" 'touch /usr/local/bin/x'
try "talks to the network" 'curl -s --noproxy "*" --max-time 5 http://192.0.2.1/'
echo x >>"$HOME/.bashrc"
(setsid sh -c 'sleep 2; touch late' >/dev/null 2>&1 &)
"#;

#[test]
fn a_session_of_claude_escapes_by_none_of_these_ways() {
    no_way_out("os", &project(ESCAPES));
}

pub(crate) fn no_way_out(kind: &str, project: &Project) {
    let agent = program("simulated-agent");
    let mut command = project.command(&program("ralph-loop"));
    let sandbox = format!("--sandbox={kind}");
    command.args(["run", "--output", "json", &sandbox, "--agent-program"]).arg(agent);
    let output = command.env("A_SECRET_TOKEN", "secret").output().unwrap();
    let run = Outcome::of_run(project, &output);
    run.assert_end(RunEnd::Complete);
    let limited = "network limited to package registries and allowed hosts";
    let expected = [format!("claude {kind} {limited}"), format!("checks {kind} network open")];
    assert_eq!(isolation(&run), expected);
    assert_eq!(run.guards_missing(), 0);
    assert!(!project.has("escaped"), "{}", project.read("escaped"));
    assert_eq!(project.read("../home/.bashrc"), "as it was");
    assert!(!project.has("late"));
}

#[test]
fn a_session_of_codex_is_confined_by_itself_and_so_is_a_program_of_the_users_own() {
    for name in ["codex", "my-agent"] {
        let project = project(ESCAPES).installed(name);
        let agent = ["run", "--output", "json", "--agent", name];
        let output = project.command(&program("ralph-loop")).args(agent).output().unwrap();
        let run = Outcome::of_run(&project, &output);
        run.assert_exit(0);
        assert!(isolation(&run)[0].starts_with(&format!("{} os ", expected_name(name))), "{name}");
        let escaped = if project.has("escaped") { project.read("escaped") } else { String::new() };
        // A program that Ralph does not know has an open network.
        let open = if name == "codex" { "" } else { "talks to the network\n" };
        assert!(escaped.is_empty() || escaped == open, "{name}: {escaped}");
        assert_eq!(project.read("../home/.bashrc"), "as it was");
    }
}

fn expected_name(program: &str) -> &str {
    if program == "codex" { "codex" } else { "text" }
}

#[test]
fn a_session_whose_sandbox_is_required_does_not_begin_without_one() {
    let project = project("true").installed("codex");
    let nothing = assert_fs::TempDir::new().unwrap();
    let mut command = project.command(&program("ralph-loop"));
    let path = std::env::join_paths([project.bin(), nothing.path().to_path_buf()]).unwrap();
    command.args(["run", "--agent", "codex", "--sandbox"]).env("PATH", path);
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("os: bwrap is not in PATH"), "{stderr}");
}
