//! Performs acts. Tools are in `tool_calls`, failures in `failures`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;

use super::Act;
use super::answer::FinalAnswer;
use super::handoff::handoff;
use super::noise::{flood, flood_line, garbage};
use super::session::{Halt, Session};
use super::task_edit::TaskEdit;

pub(super) const PROMISE: &str = "<promise>COMPLETE</promise>";

impl Session {
    /// Performs the acts in order, up to the final answer if they have one.
    pub(super) fn perform(&mut self, acts: &[Act]) -> Result<Option<FinalAnswer>, Halt> {
        if acts.contains(&Act::Hang { ignores_signals: true }) {
            self.signals_ignored.store(true, Ordering::Relaxed);
        }
        for act in acts {
            if let Some(answer) = self.act(act)? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    fn act(&mut self, act: &Act) -> Result<Option<FinalAnswer>, Halt> {
        match act {
            Act::Finish { text, promise } => {
                let text = text.as_deref().unwrap_or("Finished.");
                let text = if *promise { format!("{text}\n{PROMISE}") } else { text.to_owned() };
                return Ok(Some(FinalAnswer::Text(text)));
            }
            Act::Structured(answer) => return Ok(Some(self.structured(answer.clone()))),
            Act::Handoff(fields) => {
                let handoff = handoff(&self.assignment, &self.files_touched, fields);
                return Ok(Some(self.structured(handoff)));
            }
            Act::Empty => return Ok(Some(FinalAnswer::Empty)),
            Act::Verdict(verdict) => self.verdicts.from_scenario = Some(*verdict),
            Act::Say { text } => self.say(text)?,
            Act::Read { path } => self.read(path)?,
            Act::Bash { command } => self.bash(command)?,
            Act::EchoPromise => self.bash(&format!("echo '{PROMISE}'"))?,
            Act::Commit { message } => self.commit(message)?,
            Act::Specify { files, tests } => self.specify(files, tests)?,
            Act::Daemon { command, pid_file } => self.daemon(command, pid_file)?,
            Act::Write { path, contents } => self.write(path, contents)?,
            Act::Append { path, contents } => self.append(path, contents)?,
            Act::Todo { items } => self.todo(items)?,
            Act::Cost { usd } => self.stream().tally.claimed_usd = Some(*usd),
            Act::Context { tokens, window } => self.stream().tally.claim_context(*tokens, *window),
            Act::Linger(lingering) => self.lingering = Some(*lingering),
            // Already applied before the first act.
            Act::NotReading => {}
            Act::Pause { ms } => std::thread::sleep(Duration::from_millis(*ms)),
            Act::Flood { bytes, line_bytes } => {
                let line = flood_line(&self.stream(), *line_bytes);
                // In pieces, so that an interrupt can stop it.
                for piece in flood(&line, *bytes) {
                    self.write_to_stream(|stream| stream.raw(piece.as_bytes()))?;
                }
            }
            Act::Garbage { lines } => {
                self.write_to_stream(|stream| stream.raw(&garbage(*lines)))?
            }
            other => match TaskEdit::of(other, self.assignment.story_id()) {
                Some(edit) => self.edit_tasks(edit)?,
                None => self.fail_with(other)?,
            },
        }
        Ok(None)
    }

    fn structured(&self, answer: Value) -> FinalAnswer {
        if self.args.structured_answer {
            FinalAnswer::Structured(answer)
        } else {
            FinalAnswer::Text(answer.to_string())
        }
    }
}
