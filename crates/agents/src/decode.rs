//! The decoder interface: stream lines in, events out.

use crate::{AgentEvent, json_line};

pub trait Decode {
    /// Decodes one line of standard output, with or without its line break.
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> LineKind;

    /// Called when the process has ended. Agents without a result line emit their result here.
    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let (_, _) = (exit, emit);
    }
}

/// A decoder for JSON lines with a type.
pub(crate) trait JsonDecoder {
    /// Decodes a line of this type; an error means that the line is invalid.
    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()>;

    /// As in `Decode`.
    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let (_, _) = (exit, emit);
    }
}

impl<D: JsonDecoder> Decode for D {
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> LineKind {
        json_line::decode(bytes, |kind, line| self.decode(kind, line, emit))
    }

    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        JsonDecoder::ended(self, exit, emit);
    }
}

/// Whether a line was part of the agent's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Stream,
    /// Not JSON, or cut off: it may explain a crash.
    Noise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    Code(i32),
    /// Ended by a signal, or unknown.
    Cut,
}
