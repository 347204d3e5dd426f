//! What every agent's decoder can do: lines in, events out.

use crate::{AgentEvent, json_line};

pub trait Decode {
    /// Takes one line of the standard output, with or without its line break, whatever it holds.
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> Heard;

    /// The process is gone, by itself or not. Agents without a last word in their stream have their
    /// result told here.
    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let (_, _) = (exit, emit);
    }
}

/// One whose lines are JSON, each with its type.
pub(crate) trait JsonDecoder {
    /// Takes a line of this kind; an error says that it cannot be read.
    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()>;

    /// As of `Decode`.
    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let (_, _) = (exit, emit);
    }
}

impl<D: JsonDecoder> Decode for D {
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> Heard {
        json_line::hear(bytes, |kind, line| self.decode(kind, line, emit))
    }

    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        JsonDecoder::ended(self, exit, emit);
    }
}

/// Whether a line was part of the agent's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    Stream,
    /// No JSON, or cut off: it may explain a crash.
    Noise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    Code(i32),
    /// A signal ended it, or nobody knows.
    Cut,
}
