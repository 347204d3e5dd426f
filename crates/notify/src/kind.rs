//! The kinds of notifications, and the three classes that users choose from.

use run_options::NoticeClass;
use serde::Serialize;
use strum::VariantArray;

/// At most one notice a minute is sent of each kind.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    strum::Display,
    strum::IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum NoticeKind {
    /// The run ended, and all work is done.
    Finished,
    /// The run ended with work left, and the user did not stop it.
    Failed,
    /// A story was given up.
    StoryFailed,
    /// The Stop hook did not run in a session.
    HookMissing,
    /// A cost, usage or time limit of the run: it waits, or it ended.
    LimitReached,
    /// A story repeats the same failure, and the next attempt uses another strategy.
    Stuck,
    /// A story waits for an answer of the user, or the run ended because stories do.
    Question,
}

impl NoticeKind {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in JSON, in `--kind` and in the docs.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its former name, which the command line still accepts.
    pub fn former_name(self) -> Option<&'static str> {
        (self == Self::HookMissing).then_some("guard-missing")
    }

    pub fn class(self) -> NoticeClass {
        match self {
            Self::Finished => NoticeClass::Finished,
            Self::Failed => NoticeClass::Failed,
            Self::StoryFailed
            | Self::HookMissing
            | Self::LimitReached
            | Self::Stuck
            | Self::Question => NoticeClass::NeedsAttention,
        }
    }
}
