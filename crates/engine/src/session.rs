//! One session of the agent: started, followed, recorded, and what it cost booked.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use agents::CommandLine;
use agents::claude::{self, Decoder, Request};
use project::env;
use supervise::{Ended, How, Launch, Limits, PoliteSignal, Source, orphans};

use crate::iteration::Iteration;
use crate::run::Run;
use crate::watch::{Conclusion, Watch};
use crate::{LoopEvent, RunError, TokenCount, guard_plugin};

/// Longer than any line that matters; tool output with pictures in it can be larger.
const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// For what is left in the pipes.
const DRAIN: Duration = Duration::from_secs(2);

/// Nobody reads a longer recording, and a flood must not fill the disk.
const LARGEST_RECORDING: u64 = 256 * 1024 * 1024;

/// Lines come in bursts of a pipe's size, and each write of them has its price.
const RECORDING_BUFFER: usize = 256 * 1024;

/// How a session ended, and how long it took.
pub(crate) struct Session {
    pub(crate) conclusion: Conclusion,
    pub(crate) elapsed: Duration,
}

impl Run<'_> {
    pub(crate) fn session(&mut self, iteration: &Iteration) -> Result<Session, RunError> {
        let prompt = self.prompt(&iteration.assignment, &iteration.before.list)?.text;
        let path = iteration.folder.join("prompt.md");
        std::fs::write(&path, &prompt)
            .map_err(|error| RunError::Disk { path: path.display().to_string(), error })?;
        guard_plugin::provide(&self.options.guard, &self.layout.run_dir(&self.state.run_id))?;
        let command = self.command(iteration, prompt)?;
        let mut recording = Recording::create(&iteration.folder.join("stream.jsonl"));
        let mut watch = Watch::new(self.layout.root(), self.state.context_window);
        let mut decoder = Decoder::default();
        let teller = &mut self.teller;
        let launch = launch(command, self.options, self.layout.root());
        let ended = supervise::run(launch, self.switch.requests(), &mut |line| {
            match line.source {
                Source::Stderr => watch.complaint(line.bytes),
                Source::Stdout => {
                    recording.line(line.bytes);
                    let unreadable = decoder.unreadable();
                    decoder.line(line.bytes, &mut |event| {
                        if let Some(event) = watch.event(event) {
                            teller.tell(event);
                        }
                    });
                    if decoder.unreadable() > unreadable {
                        watch.complaint(line.bytes);
                    }
                }
            }
            watch.seen()
        });
        if let Some(trouble) = recording.finish() {
            self.teller.warn(format!("the recording of the session is not complete: {trouble}"));
        }
        let ended = ended.unwrap_or_else(|error| {
            watch.complaint(error.to_string().as_bytes());
            let (how, elapsed) = (How::ByItself, Duration::ZERO);
            // An agent that killed its keeper would work on while its work is judged.
            let (run_id, grace) = (&self.state.run_id, self.options.limits.grace);
            let leftovers = orphans::end(env::RALPH_RUN_ID, run_id, grace);
            Ended { how, exit: None, leftovers, elapsed }
        });
        let conclusion = watch.conclude(&ended);
        self.book(iteration, &conclusion, &ended);
        Ok(Session { conclusion, elapsed: ended.elapsed })
    }

    /// The command line of an iteration, with everything the hooks need to know in its environment.
    pub(crate) fn command(
        &self,
        iteration: &Iteration,
        prompt: String,
    ) -> Result<CommandLine, RunError> {
        let story = iteration.story();
        let run_dir = self.layout.run_dir(&self.state.run_id);
        let request = Request {
            prompt,
            session_id: iteration.session.clone(),
            model: self.model(story),
            max_turns: story.and_then(|story| story.max_turns).or(self.options.agent.max_turns),
            max_budget_usd: self.budget_left(),
            plugin_dir: Some(guard_plugin::folder(&self.options.guard, &run_dir)),
            extra_args: self.options.agent.extra_args.clone(),
        };
        let mut command = claude::command(&self.options.agent.program, &request)
            .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })?;
        let own = self.options.agent.environment.iter();
        command.environment.extend(own.map(|(name, value)| (name.clone(), Some(value.clone()))));
        command.environment.extend(self.environment(iteration));
        Ok(command)
    }

    fn environment(&self, iteration: &Iteration) -> Vec<(OsString, Option<OsString>)> {
        let window = self.state.context_window.map(|tokens| tokens.to_string());
        let mut variables = vec![
            (env::RALPH_RUN_ID, Some(self.state.run_id.clone().into())),
            (env::RALPH_ITERATION, Some(iteration.assignment.iteration.to_string().into())),
            (
                env::RALPH_MAX_ITERATIONS,
                Some(self.options.policy.max_iterations.to_string().into()),
            ),
            (
                env::RALPH_MARKER_SHA256,
                iteration.marker_sha256.map(|written| written.to_string().into()),
            ),
            (env::RALPH_PROJECT_DIR, Some(self.layout.root().as_os_str().to_owned())),
        ];
        // What the user set for all sessions counts as long as nobody knows better.
        if let Some(window) = window {
            variables.push((env::CLAUDE_CONTEXT_WINDOW, Some(window.into())));
        }
        variables.into_iter().map(|(name, value)| (name.into(), value)).collect()
    }

    /// What is left of the ceiling on the cost, for the agent to keep to.
    fn budget_left(&self) -> Option<f64> {
        let most = self.options.policy.max_cost_usd?;
        Some((most - self.state.counters.cost_usd).max(0.01))
    }

    fn book(&mut self, iteration: &Iteration, conclusion: &Conclusion, ended: &Ended) {
        let result = conclusion.result.as_ref();
        let cost = result.and_then(|result| result.cost_usd).filter(is_plausible);
        let tokens = result.map(|result| TokenCount::from(result.tokens)).unwrap_or_default();
        let window = result.and_then(|result| result.context_window);
        self.teller.tell(LoopEvent::AgentEnded {
            outcome: conclusion.outcome,
            detail: conclusion.detail.clone(),
            cost_usd: cost,
            tokens,
            turns: result.and_then(|result| result.turns),
            seconds: ended.elapsed.as_secs_f64(),
            context_window: window,
            leftovers: ended.leftovers.iter().map(|left| left.name.clone()).collect(),
        });
        if let Some(why) = &conclusion.guard_missing {
            self.teller.tell(LoopEvent::GuardMissing { why: why.clone() });
        }
        self.trouble = conclusion.detail.clone();
        let state = &mut self.state;
        state.counters.cost_usd += cost.unwrap_or_default();
        state.counters.quota = conclusion.quota.or(state.counters.quota);
        state.tokens.add(tokens);
        state.context_window = window.or(state.context_window);
        state.story(&iteration.assignment.story).cost_usd += cost.unwrap_or_default();
        if let Some(running) = &mut state.running {
            running.outcome = Some(conclusion.outcome);
        }
        // Whatever is wrong with the disk, what the agent left is judged first.
        if let Err(error) = state.save(self.layout) {
            self.teller.warn(error.to_string());
        }
    }
}

fn launch(command: CommandLine, options: &crate::RunOptions, folder: &Path) -> Launch {
    Launch {
        keeper: options.keeper.clone(),
        program: command.program,
        args: command.args,
        environment: command.environment,
        folder: folder.to_path_buf(),
        input: command.stdin.into_bytes(),
        limits: Limits {
            wall: options.limits.iteration,
            idle: options.limits.idle,
            grace: options.limits.grace,
            linger: options.limits.linger,
            drain: DRAIN,
            longest_line: LONGEST_LINE,
        },
        // It prints a result line with the cost on an interrupt, and none on a termination.
        polite: PoliteSignal::Interrupt,
    }
}

/// No session costs a fortune, and none pays.
fn is_plausible(cost_usd: &f64) -> bool {
    (0.0..100_000.0).contains(cost_usd)
}

/// The agent's stream as it came, for whoever wants to look closer.
struct Recording {
    file: Option<BufWriter<File>>,
    written: u64,
    trouble: Option<String>,
}

impl Recording {
    fn create(path: &Path) -> Self {
        match File::create(path) {
            Ok(file) => {
                let file = Some(BufWriter::with_capacity(RECORDING_BUFFER, file));
                Self { file, written: 0, trouble: None }
            }
            Err(error) => Self { file: None, written: 0, trouble: Some(error.to_string()) },
        }
    }

    fn line(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        self.written += bytes.len() as u64 + 1;
        let written = if self.written > LARGEST_RECORDING {
            Err(io::Error::other(format!("it is larger than {LARGEST_RECORDING} bytes")))
        } else {
            file.write_all(bytes).and_then(|()| file.write_all(b"\n"))
        };
        if let Err(error) = written {
            self.trouble = Some(error.to_string());
            self.file = None;
        }
    }

    fn finish(mut self) -> Option<String> {
        let flushed = self.file.as_mut().map_or(Ok(()), Write::flush);
        self.trouble.or(flushed.err().map(|error| error.to_string()))
    }
}

impl From<agents::Tokens> for TokenCount {
    fn from(tokens: agents::Tokens) -> Self {
        Self {
            input: tokens.input,
            output: tokens.output,
            cache_read: tokens.cache_read,
            cache_creation: tokens.cache_creation,
        }
    }
}
