//! One session: start, acts, stop, and again if a hook blocks the stop.
//!
//! `perform` performs acts, `hooks` runs hooks, `stream` prints lines.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use project::env::CLAUDE_CODE_STOP_HOOK_BLOCK_CAP;
use serde_json::json;

use super::act::Lingering;
use super::answer::FinalAnswer;
use super::arguments::Arguments;
use super::assignment::Assignment;
use super::command::RunningCommand;
use super::config_paths::ConfigPaths;
use super::ending::Ending;
use super::handoff::FilesTouched;
use super::hook_run::HookAnswer;
use super::message::Message;
use super::plugin::Plugin;
use super::stream::{Stream, uuid};
use super::verdict::Verdicts;
use super::{Act, PAUSE_VARIABLE, number_from_env};

/// Blocked stops in a row after which Claude Code ends the session.
const DEFAULT_BLOCK_CAP: u64 = 8;

#[derive(Debug)]
pub(super) struct Session {
    pub(super) args: Arguments,
    pub(super) cwd: PathBuf,
    pub(super) assignment: Assignment,
    pub(super) plugins: Vec<Plugin>,
    pub(super) stream: Arc<Mutex<Stream>>,
    pub(super) running: RunningCommand,
    /// `Hang` can switch signals off.
    pub(super) signals_ignored: Arc<AtomicBool>,
    pub(super) lingering: Option<Lingering>,
    /// Structured answers that a hook denied.
    pub(super) answers_denied: u64,
    /// That a structured answer is expected.
    pub(super) reminded: bool,
    pub(super) files_touched: FilesTouched,
    pub(super) verdicts: Verdicts,
    pub(super) config_paths: ConfigPaths,
    pub(super) transcript: PathBuf,
    pub(super) prompt_id: String,
    /// Pause after each line, for spectators.
    pause: Duration,
    block_cap: u64,
    /// Blocked stops in a row, without a tool call in between.
    blocks_in_a_row: u64,
}

/// Why a session ends before its regular stop.
#[derive(Debug)]
pub(super) enum Halt {
    Ended(Ending),
    /// The reader closed the stream, or the disk failed.
    Broken(io::Error),
}

/// The result of an attempt to end.
#[derive(Debug)]
enum Attempt {
    Ended(Ending),
    Blocked,
    Denied,
    /// A structured answer is required.
    Reminded,
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl Session {
    pub(super) fn new(
        args: Arguments,
        assignment: Assignment,
        config_paths: ConfigPaths,
    ) -> io::Result<Self> {
        let cwd = std::env::current_dir()?;
        let transcript = config_paths.transcript(&cwd, &args.session_id);
        let stream = Arc::new(Mutex::new(Stream::new(args.dialect(&transcript)?)));
        let plugins = args.plugin_dirs.iter().map(|root| Plugin::load(root)).collect();
        Ok(Self {
            args,
            cwd,
            verdicts: Verdicts::at_start(&assignment),
            assignment,
            plugins,
            stream,
            running: RunningCommand::default(),
            signals_ignored: Arc::default(),
            lingering: None,
            answers_denied: 0,
            reminded: false,
            files_touched: FilesTouched::default(),
            config_paths,
            transcript,
            prompt_id: uuid(),
            pause: Duration::from_millis(number_from_env(PAUSE_VARIABLE, 0)),
            block_cap: number_from_env(CLAUDE_CODE_STOP_HOOK_BLOCK_CAP, DEFAULT_BLOCK_CAP),
            blocks_in_a_row: 0,
        })
    }

    /// Runs it to its end, including the result line.
    pub(super) fn run(&mut self, acts: &[Act], when_blocked: &[Vec<Act>]) -> io::Result<Ending> {
        let ending = match self.until_stopped(acts, when_blocked) {
            Ok(ending) | Err(Halt::Ended(ending)) => ending,
            Err(Halt::Broken(error)) => return Err(error),
        };
        match self.print(&Message::Ended(&ending)) {
            Err(Halt::Broken(error)) => Err(error),
            _ => Ok(ending),
        }
    }

    pub(super) fn print(&self, message: &Message<'_>) -> Result<(), Halt> {
        self.write_to_stream(|stream| stream.print(message))
    }

    /// Writes to the stream and pauses for spectators.
    pub(super) fn write_to_stream(
        &self,
        write: impl FnOnce(&mut Stream) -> io::Result<()>,
    ) -> Result<(), Halt> {
        write(&mut self.stream())?;
        std::thread::sleep(self.pause);
        Ok(())
    }

    /// The stream and its tally. A signal handler waits for this lock.
    pub(super) fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cost grows with each answer of the model.
    pub(super) fn check_budget(&self) -> Result<(), Halt> {
        let spent = self.stream().tally.usd();
        match self.args.max_budget_usd {
            Some(usd) if spent > usd => Err(Halt::Ended(Ending::BudgetExhausted(usd))),
            _ => Ok(()),
        }
    }

    /// A tool call resets the count of blocked stops.
    pub(super) fn tool_used(&mut self) {
        self.blocks_in_a_row = 0;
    }

    fn until_stopped(&mut self, acts: &[Act], when_blocked: &[Vec<Act>]) -> Result<Ending, Halt> {
        self.start()?;
        let mut answer = self.perform(acts)?.unwrap_or_else(finished);
        let mut tries = when_blocked.iter();
        let mut stop_hook_active = false;
        loop {
            let with_verdict = self.verdicts.in_answer(answer.clone(), &self.assignment);
            match self.end(&with_verdict, stop_hook_active)? {
                Attempt::Ended(ending) => return Ok(ending),
                Attempt::Blocked => stop_hook_active = true,
                // Hooks see this as a blocked stop.
                Attempt::Reminded => {
                    stop_hook_active = true;
                    continue;
                }
                Attempt::Denied => {}
            }
            let next = self.perform(tries.next().map_or(&[][..], Vec::as_slice))?;
            answer = match (next, answer) {
                (Some(next), _) => next,
                (None, again @ FinalAnswer::Structured(_)) => again,
                (None, FinalAnswer::Text(_) | FinalAnswer::Empty) => finished(),
            };
        }
    }

    /// Tries to end with this answer.
    fn end(&mut self, answer: &FinalAnswer, stop_hook_active: bool) -> Result<Attempt, Halt> {
        let text = match answer {
            FinalAnswer::Structured(answer) => {
                if !self.give_structured(answer)? {
                    return Ok(Attempt::Denied);
                }
                // The session ends regardless of the hooks.
                self.fire_stop(None, stop_hook_active)?;
                return Ok(Attempt::Ended(Ending::Answered(answer.clone())));
            }
            FinalAnswer::Text(text) => {
                self.say(text)?;
                text.clone()
            }
            FinalAnswer::Empty => {
                self.print_empty_answer()?;
                String::new()
            }
        };
        let reminded = self.remind()?;
        Ok(match (self.stop(&text, stop_hook_active)?, reminded) {
            (false, _) => Attempt::Blocked,
            (true, true) => Attempt::Reminded,
            (true, false) => Attempt::Ended(Ending::Completed(text)),
        })
    }

    fn start(&self) -> Result<(), Halt> {
        self.fire("SessionStart", "startup", json!({"source": "startup"}))?;
        self.print(&Message::Started { cwd: &self.cwd, plugins: &self.plugins })
    }

    pub(super) fn say(&self, text: &str) -> Result<(), Halt> {
        self.print(&Message::Text(text))?;
        self.check_budget()
    }

    fn print_empty_answer(&self) -> Result<(), Halt> {
        let request = "[Your previous response had no visible output. Please continue and produce \
                       a user-visible response.]";
        self.write_to_stream(|stream| {
            // The agent is asked again and gives another empty answer.
            stream.tally.count_turn();
            stream.tally.count_turn();
            stream.print(&Message::Synthetic(request))
        })
    }

    fn fire_stop(
        &self,
        text: Option<&str>,
        stop_hook_active: bool,
    ) -> Result<Vec<HookAnswer>, Halt> {
        let mut input = json!({
            "stop_hook_active": stop_hook_active, "background_tasks": [],
            "session_crons": [],
        });
        if let Some(text) = text {
            input["last_assistant_message"] = json!(text);
        }
        self.fire("Stop", "", input)
    }

    /// Whether the hooks allow the end.
    fn stop(&mut self, text: &str, stop_hook_active: bool) -> Result<bool, Halt> {
        let answers = self.fire_stop(Some(text), stop_hook_active)?;
        let reasons: Vec<_> = answers.iter().filter_map(HookAnswer::block).collect();
        if reasons.is_empty() {
            return Ok(true);
        }
        for reason in &reasons {
            let feedback = format!("Stop hook feedback:\n{reason}");
            self.print(&Message::Synthetic(&feedback))?;
        }
        self.blocks_in_a_row += 1;
        if self.block_cap > 0 && self.blocks_in_a_row > self.block_cap {
            self.override_hook()?;
            return Ok(true);
        }
        if !stop_hook_active {
            self.print(&Message::System(json!({
                "subtype": "notification", "key": "stop-hook-error", "priority": "immediate",
                "text": "Stop hook error occurred · ctrl+o to see",
            })))?;
        }
        Ok(false)
    }

    fn override_hook(&self) -> Result<(), Halt> {
        let text = format!(
            "A hook blocked the turn from ending {} consecutive times — overriding and ending \
             turn.",
            self.blocks_in_a_row
        );
        let notice = json!({"subtype": "informational", "level": "warning", "content": text});
        self.print(&Message::System(notice))?;
        self.print(&Message::System(json!({
            "subtype": "notification", "key": "stop-hook-block-cap", "priority": "high",
            "color": "warning", "text": text,
        })))
    }
}

fn finished() -> FinalAnswer {
    FinalAnswer::Text("Finished.".to_owned())
}
