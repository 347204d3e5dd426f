//! A machine whose clock is before 1970.

use std::path::PathBuf;

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

/// For programs that ask the C library for the time. git asks otherwise, and keeps the right one.
const PAST: &str = "
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec -= 3000000000;
    return result;
}
";

fn library_of_the_past(project: &Project) -> PathBuf {
    let (source, library) = (project.bin().join("past.c"), project.bin().join("past.so"));
    std::fs::write(&source, PAST).unwrap();
    let mut compiler = assert_cmd::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).assert().success();
    library
}

#[test]
fn a_run_works_by_a_clock_before_1970() {
    let project = Project::with_checks([story("US-001")], ["true"]);
    let library = library_of_the_past(&project);
    let call = |args: &[&str]| {
        let mut command = project.command(&program("ralph-loop"));
        let output = command.env("LD_PRELOAD", &library).args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !stderr.contains("panicked"), "{args:?}: {stderr}");
        output
    };
    let agent = program("simulated-agent");
    let agent = agent.to_str().unwrap();
    let run = ["run", "--output", "json", "--sandbox=guard", "--agent-program", agent];
    let output = call(&run);
    let run = Outcome::of_run(&project, &output);
    run.assert_end(events::RunEnd::Complete);
    let first = output.stdout.split(|byte| *byte == b'\n').next().unwrap();
    let first = events::Stamped::from_line(first).unwrap();
    assert!(first.at.timestamp() < 0, "{}", first.at);
    call(&["status"]);
    call(&["status", "--json"]);
    call(&["report"]);
    call(&["report", "--format", "html"]);
    call(&["validate"]);
    call(&["archive"]);
}
