//! Decides when to compact handoffs.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionLimits {
    /// Bytes of handoffs since the last compaction; more than this triggers one.
    pub bytes: u64,
    /// In coding iterations.
    pub interval: u64,
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

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Trigger {
    #[display("{}", needed(libraries))]
    Docs { libraries: Vec<String> },
    #[display("{bytes} bytes of handoffs, more than {limit}")]
    Bytes { bytes: u64, limit: u64 },
    #[display("{iterations} iteration{} since the last", if *iterations == 1 { "" } else { "s" })]
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

fn needed(libraries: &[String]) -> String {
    match libraries {
        [] => "the next story needs documentation".into(),
        _ => {
            let names = sanitize::plain(&libraries.join(", "));
            format!("the next story needs documentation of {names}")
        }
    }
}
