//! What every agent's decoder can do: lines in, events out.

use crate::AgentEvent;

pub trait Decode {
    /// Takes one line of the standard output, with or without its line break, whatever it holds.
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> Heard;

    /// The process is gone, by itself or not. Agents without a last word in their stream have their
    /// result told here.
    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let (_, _) = (exit, emit);
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
