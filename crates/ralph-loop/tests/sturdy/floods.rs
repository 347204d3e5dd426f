//! An agent with endless output. The memory of the runner stays small.

use events::{AgentOutcome, LoopEvent};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;

const MEGABYTE: u64 = 1024 * 1024;

/// How much it prints, in megabytes, if not a gigabyte.
const SIZE_VARIABLE: &str = "RALPH_FLOOD_MB";

const LARGEST_MEMORY_KB: u64 = 64 * 1024;

fn flood(line_bytes: usize) -> (u64, u64) {
    let megabytes: Option<u64> =
        std::env::var(SIZE_VARIABLE).ok().and_then(|text| text.parse().ok());
    let bytes = megabytes.unwrap_or(1024) * MEGABYTE;
    let project = Project::new(1, &[]);
    let acts = [
        Act::Flood { bytes, line_bytes },
        Act::write("work/US-1.txt", "x\n"),
        Act::submit("n"),
        Act::commit("w"),
        Act::finish("ok"),
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement), acts));
    let mut runner = project.start(&["--no-stream-agent-output"]);
    let ended = runner.wait_for("the end", |event| matches!(event, LoopEvent::AgentEnded { .. }));
    // It is still there: a review follows.
    let memory = peak_memory_kb(runner.pid());
    assert!(
        matches!(
            ended,
            LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::Answered, .. })
        ),
        "{ended:?}"
    );
    runner.finish().assert_exit(0);
    project.assert_complete();
    (memory, bytes)
}

fn peak_memory_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn many_lines_are_read_in_little_memory() {
    let (memory, bytes) = flood(4096);
    eprintln!("{bytes} bytes in short lines: {memory} kB at most");
    assert!(memory < LARGEST_MEMORY_KB, "{memory} kB");
}

#[test]
fn lines_longer_than_memory_should_hold_are_cut() {
    let (memory, bytes) = flood(50 * MEGABYTE as usize);
    eprintln!("{bytes} bytes in very long lines: {memory} kB at most");
    assert!(memory < LARGEST_MEMORY_KB, "{memory} kB");
}
