//! Checks of a run in the OS sandbox: what they can access, and the events about it.

use std::os::unix::fs::PermissionsExt;

use events::LoopEvent;
use predicates::str::contains;
use serde_json::json;
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::os_sandbox_sessions::is_running;
use crate::outcome::Outcome;
use crate::stories::story;

fn isolation_of_checks(run: &Outcome<'_>) -> String {
    let chosen = run.events.iter().find_map(|event| match event {
        LoopEvent::IsolationChosen { agent, isolation, network, .. } if agent == "checks" => {
            Some(format!("{isolation} {network:?}"))
        }
        _ => None,
    });
    chosen.unwrap()
}

#[test]
fn a_check_reaches_the_project_and_neither_the_home_nor_the_runner() {
    let check = "test ! -e \"$HOME/.netrc\" && test ! -e ../beside && ! touch .ralph/x 2>/dev/null \
                 && test -z \"$A_SECRET_TOKEN\" && ! grep -qs ralph-loop /proc/[0-9]*/comm && touch made";
    let project = Project::with_checks([story("US-001")], [check]);
    project.write("../home/.netrc", "secret");
    project.write("../beside", "secret");
    let agent = program("simulated-agent");
    let mut command = project.command(&program("ralph-loop"));
    command.args(["run", "--output", "json", "--agent-program", agent.to_str().unwrap()]);
    let output = command.env("A_SECRET_TOKEN", "secret").output().unwrap();
    let run = Outcome::of_run(&project, &output);
    run.assert_exit(0);
    assert_eq!(isolation_of_checks(&run), "os Some(Open)");
}

#[test]
fn a_check_that_needs_a_file_outside_names_the_setting_and_works_with_it() {
    let make = || {
        let project = Project::with_checks([story("US-001")], ["cat ../fixture"]);
        project.write("../fixture", "fixture");
        project
    };
    let project = make();
    let run = project.run(["-n", "1"]);
    let printed = run.warnings();
    assert_text(&printed, contains("check `cat ../fixture`: the output names "));
    assert_text(&printed, contains("add it to isolation.readablePaths"));
    let project = make().settings(&json!({ "isolation": { "readablePaths": ["../fixture"] } }));
    project.run([]).assert_exit(0);
    let project = make().settings(&json!({ "isolation": { "checks": "none" } }));
    let run = project.run([]);
    run.assert_exit(0);
    assert_eq!(isolation_of_checks(&run), "none None");
}

#[test]
fn a_process_that_a_check_leaves_behind_ends_with_its_sandbox() {
    let check = "(setsid sh -c \"sleep 31003; touch $PWD/late\" >/dev/null 2>&1 &) ; true";
    let project = Project::with_checks([story("US-001")], [check]);
    let run = project.run(["-n", "2"]);
    assert_eq!(isolation_of_checks(&run), "os Some(Open)");
    assert!(!is_running(&project.path().join("late")));
}

#[test]
fn commits_have_their_author_though_settings_with_a_token_are_hidden() {
    let check = "test ! -e \"$HOME/.gitconfig\" && test \"$GIT_AUTHOR_NAME $GIT_COMMITTER_EMAIL\" = 'a a@localhost'";
    let project = Project::with_checks([story("US-001")], [check]);
    project.write("../home/.gitconfig", "[github]\n\ttoken = 1234\n");
    project.run([]).assert_exit(0);
}

/// Another program can unmount something while bubblewrap mounts it again.
#[test]
fn a_check_runs_again_if_its_sandbox_could_not_be_set_up() {
    let project = Project::with_checks([story("US-001")], ["true the-check"]);
    let failing = "#!/bin/sh\n\
        case \"$*\" in *the-check*)\n\
            echo x >>\"$(dirname \"$0\")/calls\"\n\
            if [ \"$(wc -l <\"$(dirname \"$0\")/calls\")\" = 1 ]; then\n\
                echo \"bwrap: Can't bind mount /oldroot/ on /newroot/: No such file or directory\" >&2\n\
                exit 1\n\
            fi ;;\n\
        esac\n\
        PATH=${PATH#*:} exec bwrap \"$@\"\n";
    let bwrap = project.bin().join("bwrap");
    std::fs::write(&bwrap, failing).unwrap();
    std::fs::set_permissions(&bwrap, PermissionsExt::from_mode(0o755)).unwrap();
    let run = project.run([]);
    run.assert_exit(0);
    assert_eq!(run.summary("US-001").failed_attempts, 0);
    let calls = std::fs::read_to_string(project.bin().join("calls")).unwrap();
    assert!(calls.lines().count() > 1, "{calls}");
    let note = "check `true the-check`: its sandbox could not be set up; running it again";
    assert_text(&run.warnings(), contains(note));
}
