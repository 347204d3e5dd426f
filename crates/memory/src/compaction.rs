//! Decides when to compact handoffs.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionLimits {
    /// Bytes of handoffs since the last compaction; more than this triggers one.
    pub bytes: u64,
    /// In coding iterations.
    pub interval: u64,
}

impl Default for CompactionLimits {
    fn default() -> Self {
        CompactionLimits { bytes: 32_000, interval: 5 }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SinceCompaction {
    pub coding_iterations: u64,
    pub handoff_bytes: u64,
    /// Failed compactions in a row.
    pub failed_tries: u64,
    pub iterations_since_failed_try: u64,
}

/// The library documentation that the next story needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Docs<'a> {
    /// Whether the story asks for documentation, with or without naming libraries.
    pub needed: bool,
    pub libraries: &'a [String],
    /// Whether this story's documentation was already looked up.
    pub looked_up: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    Docs { libraries: Vec<String> },
    Bytes { bytes: u64, limit: u64 },
    Interval { iterations: u64 },
}

/// The reason to compact before the next coding iteration, if any. After failed tries it waits for as many
/// iterations as there were tries, so that a broken server costs fewer and fewer sessions.
pub fn trigger(
    since: &SinceCompaction,
    docs: &Docs<'_>,
    limits: &CompactionLimits,
) -> Option<Trigger> {
    if since.iterations_since_failed_try < since.failed_tries {
        return None;
    }
    let wanted = docs.needed || !docs.libraries.is_empty();
    if wanted && !docs.looked_up {
        return Some(Trigger::Docs { libraries: docs.libraries.to_vec() });
    }
    let (iterations, bytes) = (since.coding_iterations, since.handoff_bytes);
    if iterations == 0 {
        None
    } else if bytes > limits.bytes {
        Some(Trigger::Bytes { bytes, limit: limits.bytes })
    } else if iterations >= limits.interval {
        Some(Trigger::Interval { iterations })
    } else {
        None
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trigger::Docs { libraries } if libraries.is_empty() => {
                f.write_str("the next story needs documentation")
            }
            Trigger::Docs { libraries } => {
                let names = sanitize::plain(&libraries.join(", "));
                write!(f, "the next story needs documentation of {names}")
            }
            Trigger::Bytes { bytes, limit } => {
                write!(f, "{bytes} bytes of handoffs, more than {limit}")
            }
            Trigger::Interval { iterations: 1 } => f.write_str("1 iteration since the last"),
            Trigger::Interval { iterations } => write!(f, "{iterations} iterations since the last"),
        }
    }
}
