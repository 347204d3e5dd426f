//! One session through the adapter: runs its command line and decodes its output.

use std::fmt;

use agents::{Agent, AgentEvent, AgentResult, LineKind, ProcessExit, Request};
use real_agents::{Codex, CommandOutcome};

pub(crate) struct CodexSession {
    pub(crate) events: Vec<AgentEvent>,
    /// Lines that are not part of the stream.
    pub(crate) noise: Vec<String>,
    pub(crate) outcome: CommandOutcome,
}

pub(crate) fn ask(codex: &Codex, prompt: &str) -> CodexSession {
    let request =
        Request { prompt: prompt.to_owned(), folder: codex.project(), ..Request::default() };
    let line = Agent::Codex.command(codex.program(), &request).unwrap();
    let variables = line.environment.into_iter();
    let variables = variables.filter_map(|(name, value)| Some((name, value.into_inner()?)));
    let outcome = codex.run(line.args, variables, line.stdin).unwrap();
    let mut asked = CodexSession { events: Vec::new(), noise: Vec::new(), outcome };
    asked.decode(prompt);
    asked
}

impl CodexSession {
    fn decode(&mut self, prompt: &str) {
        let mut decoder = Agent::Codex.decoder(prompt);
        let mut emit = |event| self.events.push(event);
        for line in self.outcome.stdout.lines() {
            if decoder.line(line.as_bytes(), &mut emit) == LineKind::Noise {
                self.noise.push(line.to_owned());
            }
        }
        let exit = self.outcome.exit_code.map_or(ProcessExit::Cut, ProcessExit::Code);
        decoder.ended(exit, &mut emit);
    }

    /// The agent's text, in order.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let texts = self.events.iter().filter_map(|event| match event {
            AgentEvent::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    pub(crate) fn result(&self) -> &AgentResult {
        let result = self.events.iter().rev().find_map(|event| match event {
            AgentEvent::Result(result) => Some(result),
            _ => None,
        });
        result.unwrap_or_else(|| panic!("no result: {self}"))
    }
}

/// For assertion messages.
impl fmt::Display for CodexSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:#?}", self.events)?;
        write!(f, "{}", self.outcome)
    }
}
