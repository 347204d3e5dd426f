//! The report that a run leaves, and `ralph-loop report` about this run and others.

use std::process::Output;

use events::RunEnd;

use crate::harness::Project;
use crate::stories::story;

fn report(project: &Project, args: &[&str]) -> Output {
    project.call(&[&["report"], args].concat())
}

fn code_stdout_stderr(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn the_run(project: &Project) -> String {
    project.state()["runId"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_writes_its_report_and_the_command_prints_the_same() {
    let project = Project::new([story("US-001")]);
    project.run([]).assert_end(RunEnd::Complete);
    let run = the_run(&project);
    let left = project.read(&format!(".ralph/runs/{run}/report.md"));
    assert!(left.contains("**complete** (exit code 0). **The one story is done.**\n"), "{left}");
    assert!(left.contains("\n## Completed: 1/1 stories\n"), "{left}");
    assert_eq!(code_stdout_stderr(&report(&project, &[])), (Some(0), left.clone(), String::new()));
    assert_eq!(code_stdout_stderr(&report(&project, &[&run[..10]])).1, left);
    let (code, json, _) = code_stdout_stderr(&report(&project, &["--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["run"], &json["state"]), (Some(0), &run.into(), &"ended".into()));
}

#[test]
fn with_nothing_to_do_no_run_is_recorded() {
    let project = Project::new([story("US-001")]);
    let runs = || {
        let (code, json, _) = code_stdout_stderr(&project.call(&["runs", "--json"]));
        assert_eq!(code, Some(0));
        serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap()
    };
    assert!(runs().is_empty());
    project.run([]).assert_end(RunEnd::Complete);
    let (run, state) = (the_run(&project), project.read(".ralph/state.json"));
    // On the branch of the run, and where the list does not know of it.
    for branch in ["ralph/demo", "main"] {
        project.git(&["switch", "-q", branch]);
        for args in [&[][..], &["--fresh"]] {
            let again = project
                .call(&[&["run", "--agent-program", "sh", "--sandbox=guard"], args].concat());
            let (code, out, errors) = code_stdout_stderr(&again);
            assert_eq!(code, Some(0), "{out}{errors}");
            assert!(out.starts_with("the only story is done: nothing to do\nhint: "), "{out}");
        }
        assert_eq!(project.read(".ralph/state.json"), state);
        let listed = runs();
        assert_eq!((listed.len(), &listed[0]["run"]), (1, &run.clone().into()));
        assert_eq!((&listed[0]["end"], &listed[0]["done"]), (&"complete".into(), &1.into()));
        assert_eq!(std::fs::read_dir(project.path().join(".ralph/runs")).unwrap().count(), 1);
    }
    let (_, json, _) = code_stdout_stderr(&report(&project, &["--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["run"], &json["base"]), (&run.into(), &"main".into()));
}

#[test]
fn the_report_of_a_resumed_run_is_replaced() {
    let project = Project::new([story("US-001")]);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let file = format!(".ralph/runs/{}/report.md", the_run(&project));
    let first = project.read(&file);
    assert!(first.contains("ralph-loop --resume -n 2\n"), "{first}");
    project.run(["--resume", "-n", "9"]).assert_end(RunEnd::Complete);
    let second = project.read(&file);
    assert!(second.contains(" in 2 starts\n") && second.contains("1/1 stories"), "{second}");
    assert_eq!(second.matches("# Ralph Loop Execution Summary").count(), 1);
}

#[test]
fn a_report_that_cannot_be_written_is_a_warning() {
    let project = Project::new([story("US-001")]);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let file = project.path().join(format!(".ralph/runs/{}/report.md", the_run(&project)));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir_all(file.join("in-the-way")).unwrap();
    let run = project.run(["--resume", "-n", "9"]);
    let warning = "warning: cannot write the report of the run: ";
    assert!(run.assert_end(RunEnd::Complete).stderr.contains(warning), "{}", run.stderr);
}

#[test]
fn an_unknown_run_is_an_error_that_lists_the_runs() {
    let project = Project::new([story("US-001")]);
    let (code, out, errors) = code_stdout_stderr(&report(&project, &[]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(errors.starts_with("error: no run to report on\nhint: "), "{errors}");
    project.run([]).assert_end(RunEnd::Complete);
    let (code, _, errors) = code_stdout_stderr(&report(&project, &["1999"]));
    assert_eq!(code, Some(2));
    let hint = format!("hint: the newest runs are {}\n", the_run(&project));
    assert!(errors.ends_with(&hint), "{errors}");
}
