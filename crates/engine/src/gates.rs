//! Hard gates: the project's own checks, run here and not by the agent, on what was committed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use supervise::{Ended, Exit, How, Launch, Limits, Line, PoliteSignal, Seen};

use crate::run::Run;
use crate::settle::{deadline, no_commit};
use crate::state::{FailedGate, PassedGates};
use crate::{GateOutcome, GatesOutcome, LoopEvent, RunError};

/// Lines of a failure that are kept, told and given to the next iteration.
const TAIL: usize = 100;
const LONGEST_TAIL_LINE: usize = 2000;

const LONGEST_LINE: usize = 64 * 1024;

/// A check that prints more than this is not read to its end by anybody.
const LARGEST_LOG: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gates {
    Passed,
    Failed(FailedGate),
    /// They changed what they may not; in words.
    Meddled(Vec<String>),
    /// The user stopped the run: nobody knows yet.
    Interrupted,
}

impl Run<'_> {
    /// The verdict on the tree of the commit that stands, which it is bound to: another tree needs
    /// another verdict.
    pub(crate) fn gates(
        &mut self,
        commands: &[String],
        task_list: &str,
        folder: &Path,
    ) -> Result<Gates, RunError> {
        let (head, tree) = self.tree.head_and_tree(deadline())?.ok_or_else(no_commit)?;
        let tree = tree.as_str().to_owned();
        let judged = |outcome| LoopEvent::GatesJudged { tree: tree.clone(), outcome };
        if commands.is_empty() {
            self.teller.tell(judged(GatesOutcome::None));
            return Ok(Gates::Passed);
        }
        let passed = PassedGates { tree: tree.clone(), commands: commands.to_vec() };
        if self.state.gates_passed.as_ref() == Some(&passed) {
            self.teller.tell(judged(GatesOutcome::PassedBefore));
            return Ok(Gates::Passed);
        }
        let scene = self.scene(head, task_list);
        let mut verdict = self.run_gates(commands, folder)?;
        let now = self.tree.state(deadline())?;
        let meddling = self.restore_scene(&scene, &now)?;
        let now = if meddling.is_empty() { now } else { self.tree.state(deadline())? };
        self.clean_up_after_gates(now)?;
        if !meddling.is_empty() {
            verdict = Gates::Meddled(meddling);
        }
        match verdict {
            Gates::Passed => {
                self.state.gates_passed = Some(passed);
                self.teller.tell(judged(GatesOutcome::Passed));
            }
            Gates::Failed(_) | Gates::Meddled(_) => self.teller.tell(judged(GatesOutcome::Failed)),
            Gates::Interrupted => {}
        }
        Ok(verdict)
    }

    fn run_gates(&mut self, commands: &[String], folder: &Path) -> Result<Gates, RunError> {
        for (index, command) in commands.iter().enumerate() {
            let log = folder.join(format!("guardrail_{}.log", slug(command, index)));
            let started = LoopEvent::GateStarted {
                command: command.clone(),
                number: index as u64 + 1,
                of: commands.len() as u64,
            };
            self.teller.tell(started);
            let gate = self.run_gate(command, &log)?;
            let Some(outcome) = gate.outcome else { return Ok(Gates::Interrupted) };
            self.gate_time += gate.elapsed;
            let log = self.layout.name_of(&log);
            let failed = outcome != GateOutcome::Passed;
            self.teller.tell(LoopEvent::GateEnded {
                command: command.clone(),
                outcome,
                seconds: gate.elapsed.as_secs_f64(),
                log: log.clone(),
                tail: if failed { gate.tail.clone() } else { Vec::new() },
            });
            if failed {
                let (command, how) = (command.clone(), in_words(outcome));
                return Ok(Gates::Failed(FailedGate { command, how, tail: gate.tail, log }));
            }
        }
        Ok(Gates::Passed)
    }

    fn run_gate(&mut self, command: &str, log: &Path) -> Result<FinishedGate, RunError> {
        let disk = |error| RunError::Disk { path: log.display().to_string(), error };
        let mut output = Output::create(log).map_err(disk)?;
        let shell = Shell::of_this_system();
        let launch = Launch {
            keeper: self.options.keeper.clone(),
            program: shell.program.into(),
            args: vec![shell.flag.into(), command.into()],
            environment: Vec::new(),
            folder: self.layout.root().to_path_buf(),
            input: Vec::new(),
            limits: Limits {
                wall: self.options.limits.gate,
                idle: None,
                grace: self.options.limits.grace,
                linger: Duration::MAX,
                drain: Duration::from_secs(2),
                longest_line: LONGEST_LINE,
            },
            polite: PoliteSignal::Terminate,
        };
        let ended = supervise::run(launch, self.switch.requests(), &mut |line| {
            output.line(line);
            Seen::Nothing
        });
        let tail = output.finish().map_err(disk)?;
        Ok(match ended {
            Ok(ended) => FinishedGate {
                outcome: (ended.how != How::Stopped).then(|| outcome(&ended)),
                elapsed: ended.elapsed,
                tail,
            },
            Err(error) => FinishedGate {
                outcome: Some(GateOutcome::NotStarted),
                elapsed: Duration::ZERO,
                tail: vec![error.to_string()],
            },
        })
    }
}

struct FinishedGate {
    /// None if the user stopped the run.
    outcome: Option<GateOutcome>,
    elapsed: Duration,
    tail: Vec<String>,
}

/// The user wrote a line of shell, so a shell reads it.
struct Shell {
    program: &'static str,
    flag: &'static str,
}

impl Shell {
    fn of_this_system() -> Self {
        if cfg!(windows) {
            Self { program: "cmd", flag: "/C" }
        } else {
            Self { program: "/bin/sh", flag: "-c" }
        }
    }
}

fn outcome(ended: &Ended) -> GateOutcome {
    match (ended.how, ended.exit) {
        (How::WallLimit | How::IdleLimit, _) => GateOutcome::TimedOut,
        (_, Some(Exit::Code(0))) => GateOutcome::Passed,
        (_, Some(Exit::Code(code))) => GateOutcome::Failed(Some(code)),
        (_, Some(Exit::Signal(_)) | None) => GateOutcome::Failed(None),
    }
}

fn in_words(outcome: GateOutcome) -> String {
    match outcome {
        GateOutcome::Passed => "passed".into(),
        GateOutcome::Failed(Some(code)) => format!("failed with exit code {code}"),
        GateOutcome::Failed(None) => "was ended by a signal".into(),
        GateOutcome::TimedOut => "took longer than it may".into(),
        GateOutcome::NotStarted => "could not be started".into(),
    }
}

/// `cargo test --all` → `1-cargo-test-all`.
fn slug(command: &str, index: usize) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let plain: String = command.chars().map(word).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name: String = words.join("-").chars().take(40).collect();
    format!("{}-{}", index + 1, name.trim_end_matches('-'))
}

/// Everything into the log, and the last lines by themselves.
struct Output {
    log: BufWriter<File>,
    written: u64,
    failure: Option<std::io::Error>,
    tail: VecDeque<String>,
    lines: u64,
}

impl Output {
    fn create(path: &Path) -> std::io::Result<Self> {
        let log = BufWriter::new(File::create(path)?);
        Ok(Self { log, written: 0, failure: None, tail: VecDeque::new(), lines: 0 })
    }

    fn line(&mut self, line: Line<'_>) {
        if self.written < LARGEST_LOG && self.failure.is_none() {
            self.written += line.bytes.len() as u64 + 1;
            let written = self.log.write_all(line.bytes).and_then(|()| self.log.write_all(b"\n"));
            self.failure = written.err();
        }
        self.lines += 1;
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        let start = &line.bytes[..line.bytes.len().min(LONGEST_TAIL_LINE)];
        self.tail.push_back(String::from_utf8_lossy(start).into_owned());
    }

    fn finish(mut self) -> std::io::Result<Vec<String>> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.log.flush()?;
        let mut tail: Vec<String> = self.tail.into();
        let left_out = self.lines.saturating_sub(tail.len() as u64);
        if left_out > 0 {
            tail.insert(0, format!("[... {left_out} lines truncated ...]"));
        }
        Ok(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use supervise::Source;

    #[test]
    fn logs_are_named_after_their_commands() {
        assert_eq!(slug("cargo test --all", 0), "1-cargo-test-all");
        assert_eq!(slug("../../etc; rm -rf /", 1), "2-etc-rm-rf");
        assert_eq!(slug("✓", 2), "3-");
    }

    #[test]
    fn the_tail_says_how_much_it_leaves_out() {
        let dir = assert_fs::TempDir::new().unwrap();
        let mut output = Output::create(&dir.path().join("log")).unwrap();
        for number in 0..150 {
            let text = format!("line {number}");
            output.line(Line { source: Source::Stdout, bytes: text.as_bytes(), cut: 0 });
        }
        let tail = output.finish().unwrap();
        assert_eq!(tail.len(), 101);
        assert_eq!(tail[0], "[... 50 lines truncated ...]");
        assert_eq!((&*tail[1], &*tail[100]), ("line 50", "line 149"));
        let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
        assert_eq!(log.lines().count(), 150);
    }

    #[test]
    fn only_exit_code_zero_passes() {
        let ended = |how, exit| Ended { how, exit, leftovers: vec![], elapsed: Duration::ZERO };
        let by_itself = |exit| outcome(&ended(How::ByItself, exit));
        assert_eq!(by_itself(Some(Exit::Code(0))), GateOutcome::Passed);
        assert_eq!(by_itself(Some(Exit::Code(2))), GateOutcome::Failed(Some(2)));
        assert_eq!(by_itself(Some(Exit::Signal(9))), GateOutcome::Failed(None));
        assert_eq!(by_itself(None), GateOutcome::Failed(None));
        let late = outcome(&ended(How::WallLimit, Some(Exit::Code(0))));
        assert_eq!(late, GateOutcome::TimedOut);
    }
}
