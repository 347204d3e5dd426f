//! What is worth a word, and the three classes that users choose from.

use std::fmt;

use serde::Serialize;

/// At most one notice a minute is sent of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The run is over, and everything is done.
    Finished,
    /// The run is over, something is left, and it was not the user who stopped it.
    Failed,
    /// A story was given up.
    StoryFailed,
    /// The Stop guard did not do its work in a session.
    GuardMissing,
    /// A ceiling, a usage limit or the time limit of the run: it rests, or it is over.
    LimitReached,
    /// A story fails in the same way again and again, and is tried another way.
    Stuck,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Finished,
    Failed,
    NeedsAttention,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::Finished,
        Self::Failed,
        Self::StoryFailed,
        Self::GuardMissing,
        Self::LimitReached,
        Self::Stuck,
    ];

    /// As it is called everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::StoryFailed => "story-failed",
            Self::GuardMissing => "hook-missing",
            Self::LimitReached => "limit-reached",
            Self::Stuck => "stuck",
        }
    }

    pub fn class(self) -> Class {
        match self {
            Self::Finished => Class::Finished,
            Self::Failed => Class::Failed,
            Self::StoryFailed | Self::GuardMissing | Self::LimitReached | Self::Stuck => {
                Class::NeedsAttention
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::NeedsAttention => "needs-attention",
        })
    }
}
