//! The decoder interface: stream lines in, events out.

use crate::AgentEvent;
use crate::raw::{Object, lossy};

/// Receives the events of a line.
pub(crate) type Emit<'e> = &'e mut dyn FnMut(AgentEvent);

pub trait Decode {
    /// Decodes one line of standard output, with or without its line break.
    fn line(&mut self, bytes: &[u8], emit: Emit<'_>) -> LineKind;

    /// Called when the process has ended. Agents without a result line emit their result here.
    fn ended(&mut self, _exit: ProcessExit, _emit: Emit<'_>) {}
}

/// A decoder for JSON lines with a type.
pub(crate) trait JsonDecoder {
    /// Decodes a line of this type; an error means that the line is invalid.
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()>;

    /// As in `Decode`.
    fn ended(&mut self, _exit: ProcessExit, _emit: Emit<'_>) {}
}

/// An invalid line is noise, an empty one is not.
impl<D: JsonDecoder> Decode for D {
    fn line(&mut self, bytes: &[u8], emit: Emit<'_>) -> LineKind {
        let text = lossy(bytes);
        // A power cut leaves zeros around the last line of a file.
        let is_blank = |c: char| c == '\0' || c.is_ascii_whitespace();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim_matches(is_blank);
        if text.is_empty() {
            return LineKind::Stream;
        }
        let decoded = serde_json::from_str::<Object<'_>>(text)
            .and_then(|line| self.decode(&line["type"].text().unwrap_or_default(), &line, emit));
        if decoded.is_ok() { LineKind::Stream } else { LineKind::Noise }
    }

    fn ended(&mut self, exit: ProcessExit, emit: Emit<'_>) {
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
