//! The life of a session: start, acts, stop, and again if a hook blocks the stop.
//!
//! What each act does is in `perform`, which hooks run in `hooks`, what a line looks like in `stream`.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::Act;
use super::act::Lingering;
use super::answer::{Answer, Answers, Given, Reminded};
use super::arguments::Arguments;
use super::assignment::Assignment;
use super::command::RunningCommand;
use super::ending::Ending;
use super::handoff::FilesTouched;
use super::hook_run::HookAnswer;
use super::places::Places;
use super::plugin::Plugin;
use super::said::Said;
use super::signals::Attention;
use super::stream::{Stream, uuid};
use super::verdict::Verdicts;

/// After how many blocked stops in a row Claude Code ends the session regardless.
const DEFAULT_BLOCK_CAP: u64 = 8;

#[derive(Debug)]
pub(super) struct Session {
    pub(super) args: Arguments,
    pub(super) cwd: PathBuf,
    pub(super) assignment: Assignment,
    pub(super) plugins: Vec<Plugin>,
    pub(super) stream: Arc<Mutex<Stream>>,
    pub(super) running: RunningCommand,
    pub(super) attention: Attention,
    pub(super) lingering: Option<Lingering>,
    pub(super) answers: Answers,
    pub(super) files_touched: FilesTouched,
    pub(super) verdicts: Verdicts,
    pub(super) places: Places,
    pub(super) transcript: PathBuf,
    pub(super) prompt_id: String,
    /// After each line, for those who watch.
    pause: Duration,
    block_cap: u64,
    /// Stops blocked in a row, with no tool used in between.
    blocks_in_a_row: u64,
}

/// Why a session does not go on to its regular stop.
#[derive(Debug)]
pub(super) enum Halt {
    Ended(Ending),
    /// Whoever reads the stream is gone, or the disk fails.
    Broken(io::Error),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Allowed,
    Blocked,
}

/// What came of trying to end.
#[derive(Debug)]
enum Attempt {
    Ended(Ending),
    Blocked,
    Denied,
    /// A structured answer was expected.
    Reminded,
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl Session {
    pub(super) fn new(args: Arguments, assignment: Assignment, places: Places) -> io::Result<Self> {
        let cwd = std::env::current_dir()?;
        let transcript = places.transcript(&cwd, &args.session_id);
        let stream = Arc::new(Mutex::new(Stream::new(args.dialect(&transcript)?)));
        let plugins = args.plugin_dirs.iter().map(|root| Plugin::load(root)).collect();
        let cap = project::env::variable(project::env::CLAUDE_CODE_STOP_HOOK_BLOCK_CAP);
        let pause = project::env::variable(super::PAUSE_VARIABLE);
        Ok(Self {
            args,
            cwd,
            verdicts: Verdicts::at_start(&assignment),
            assignment,
            plugins,
            stream,
            running: RunningCommand::default(),
            attention: Attention::default(),
            lingering: None,
            answers: Answers::default(),
            files_touched: FilesTouched::default(),
            places,
            transcript,
            prompt_id: uuid(),
            pause: Duration::from_millis(pause.and_then(|ms| ms.parse().ok()).unwrap_or(0)),
            block_cap: cap.and_then(|cap| cap.parse().ok()).unwrap_or(DEFAULT_BLOCK_CAP),
            blocks_in_a_row: 0,
        })
    }

    /// Lives it to its end, the result line included.
    pub(super) fn live(&mut self, acts: &[Act], when_blocked: &[Vec<Act>]) -> io::Result<Ending> {
        let ending = match self.until_stopped(acts, when_blocked) {
            Ok(ending) | Err(Halt::Ended(ending)) => ending,
            Err(Halt::Broken(error)) => return Err(error),
        };
        match self.say(&Said::Ended(&ending)) {
            Err(Halt::Broken(error)) => Err(error),
            _ => Ok(ending),
        }
    }

    pub(super) fn say(&self, said: &Said<'_>) -> Result<(), Halt> {
        self.print(|stream| stream.say(said))
    }

    /// Prints something and gives those who watch the time to read it.
    pub(super) fn print(
        &self,
        write: impl FnOnce(&mut Stream) -> io::Result<()>,
    ) -> Result<(), Halt> {
        write(&mut self.stream())?;
        std::thread::sleep(self.pause);
        Ok(())
    }

    /// The stream and its tally. Whoever interrupts waits until it is given back.
    pub(super) fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The money is counted with each answer of the model.
    pub(super) fn check_budget(&self) -> Result<(), Halt> {
        let spent = self.stream().tally.usd();
        match self.args.max_budget_usd {
            Some(usd) if spent > usd => Err(Halt::Ended(Ending::BudgetExhausted { usd })),
            _ => Ok(()),
        }
    }

    /// A tool was used: blocked stops are not in a row any more.
    pub(super) fn tool_used(&mut self) {
        self.blocks_in_a_row = 0;
    }

    fn until_stopped(&mut self, acts: &[Act], when_blocked: &[Vec<Act>]) -> Result<Ending, Halt> {
        self.start()?;
        let mut answer = self.perform(acts)?.unwrap_or_else(finished);
        let mut tries = when_blocked.iter();
        let mut before = Stop::Allowed;
        loop {
            let said = self.verdicts.in_answer(answer.clone(), &self.assignment);
            match self.end(&said, before)? {
                Attempt::Ended(ending) => return Ok(ending),
                Attempt::Blocked => before = Stop::Blocked,
                // To hooks it looks as if one of them had blocked.
                Attempt::Reminded => {
                    before = Stop::Blocked;
                    continue;
                }
                Attempt::Denied => {}
            }
            let next = self.perform(tries.next().map_or(&[][..], Vec::as_slice))?;
            answer = match (next, answer) {
                (Some(next), _) => next,
                (None, again @ Answer::Structured(_)) => again,
                (None, Answer::Text(_) | Answer::Empty) => finished(),
            };
        }
    }

    /// Tries to end with this answer.
    fn end(&mut self, answer: &Answer, before: Stop) -> Result<Attempt, Halt> {
        let text = match answer {
            Answer::Structured(answer) => {
                if self.give(answer)? == Given::Denied {
                    return Ok(Attempt::Denied);
                }
                // It is over, whatever they say.
                self.fire_stop(None, before)?;
                return Ok(Attempt::Ended(Ending::Answered { answer: answer.clone() }));
            }
            Answer::Text(text) => {
                self.last_words(text)?;
                text.clone()
            }
            Answer::Empty => {
                self.silence()?;
                String::new()
            }
        };
        let reminded = self.remind()?;
        Ok(match (self.stop(&text, before)?, reminded) {
            (Stop::Blocked, _) => Attempt::Blocked,
            (Stop::Allowed, Reminded::Now) => Attempt::Reminded,
            (Stop::Allowed, Reminded::No) => Attempt::Ended(Ending::Completed { text }),
        })
    }

    fn start(&self) -> Result<(), Halt> {
        self.fire("SessionStart", "startup", json!({"source": "startup"}))?;
        self.say(&Said::Started { cwd: &self.cwd, plugins: &self.plugins })
    }

    fn last_words(&self, text: &str) -> Result<(), Halt> {
        self.say(&Said::Text(text))?;
        self.check_budget()
    }

    fn silence(&self) -> Result<(), Halt> {
        let request = "[Your previous response had no visible output. Please continue and produce \
                       a user-visible response.]";
        self.print(|stream| {
            // It is asked once more and is as silent as before.
            stream.tally.count_turn();
            stream.tally.count_turn();
            stream.say(&Said::Synthetic(request))
        })
    }

    fn fire_stop(&self, text: Option<&str>, before: Stop) -> Result<Vec<HookAnswer>, Halt> {
        let mut input = json!({
            "stop_hook_active": before == Stop::Blocked, "background_tasks": [],
            "session_crons": [],
        });
        if let Some(text) = text {
            input["last_assistant_message"] = json!(text);
        }
        self.fire("Stop", "", input)
    }

    fn stop(&mut self, text: &str, before: Stop) -> Result<Stop, Halt> {
        let answers = self.fire_stop(Some(text), before)?;
        let reasons: Vec<_> = answers.iter().filter_map(HookAnswer::block).collect();
        if reasons.is_empty() {
            return Ok(Stop::Allowed);
        }
        for reason in &reasons {
            let feedback = format!("Stop hook feedback:\n{reason}");
            self.say(&Said::Synthetic(&feedback))?;
        }
        self.blocks_in_a_row += 1;
        if self.block_cap > 0 && self.blocks_in_a_row > self.block_cap {
            self.override_hook()?;
            return Ok(Stop::Allowed);
        }
        if before == Stop::Allowed {
            self.say(&Said::System(json!({
                "subtype": "notification", "key": "stop-hook-error", "priority": "immediate",
                "text": "Stop hook error occurred · ctrl+o to see",
            })))?;
        }
        Ok(Stop::Blocked)
    }

    fn override_hook(&self) -> Result<(), Halt> {
        let text = format!(
            "A hook blocked the turn from ending {} consecutive times — overriding and ending \
             turn.",
            self.blocks_in_a_row
        );
        let told = json!({"subtype": "informational", "level": "warning", "content": text});
        self.say(&Said::System(told))?;
        self.say(&Said::System(json!({
            "subtype": "notification", "key": "stop-hook-block-cap", "priority": "high",
            "color": "warning", "text": text,
        })))
    }
}

fn finished() -> Answer {
    Answer::Text("Finished.".to_owned())
}
