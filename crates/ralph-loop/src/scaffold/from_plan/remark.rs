//! What of a plan has no counterpart, or became something else: everything that its owner should know.

use std::fmt;

use serde::ser::{Serialize, Serializer};
use serde_json::Number;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// In no task: at the top of the plan.
    UnknownKey {
        key: String,
        tasks: usize,
    },
    RetryCount,
    Renamed {
        from: String,
        to: String,
    },
    Skipped {
        task: String,
    },
    /// It waited for a task that was skipped.
    Freed {
        story: String,
        from: String,
    },
    Failed {
        story: String,
    },
    InProgress {
        story: String,
    },
    NoOrder {
        story: String,
        priority: Number,
    },
    NoCriteria {
        story: String,
        from: &'static str,
    },
    NoSkill {
        story: String,
        skill: String,
    },
    /// A branch was named by hand.
    OtherBranch {
        branch: String,
    },
    /// The task list that is here was kept.
    ListKept,
    /// The settings that are here were kept, and do not say this.
    SettingKept {
        key: &'static str,
        value: String,
    },
}

impl Remark {
    /// For whoever sorts them by machine.
    fn kind(&self) -> &'static str {
        match self {
            Self::UnknownKey { .. } => "unknownKey",
            Self::RetryCount => "retryCount",
            Self::Renamed { .. } => "renamed",
            Self::Skipped { .. } => "skipped",
            Self::Freed { .. } => "dependencyDropped",
            Self::Failed { .. } => "failed",
            Self::InProgress { .. } => "inProgress",
            Self::NoOrder { .. } => "noOrder",
            Self::NoCriteria { .. } => "noCriteria",
            Self::NoSkill { .. } => "skillDropped",
            Self::OtherBranch { .. } => "otherBranch",
            Self::ListKept => "listKept",
            Self::SettingKept { .. } => "settingKept",
        }
    }

    /// The story, task or key that it is about.
    fn about(&self) -> Option<&str> {
        match self {
            Self::UnknownKey { key, .. } => Some(key),
            Self::Renamed { from, .. } => Some(from),
            Self::Skipped { task } => Some(task),
            Self::Freed { story, .. }
            | Self::Failed { story }
            | Self::InProgress { story }
            | Self::NoOrder { story, .. }
            | Self::NoCriteria { story, .. }
            | Self::NoSkill { story, .. } => Some(story),
            Self::OtherBranch { branch } => Some(branch),
            Self::SettingKept { key, .. } => Some(key),
            Self::RetryCount => Some("retry_count"),
            Self::ListKept => None,
        }
    }
}

impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Wire<'r> {
            kind: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            about: Option<&'r str>,
            message: String,
        }
        let message = self.to_string();
        Wire { kind: self.kind(), about: self.about(), message }.serialize(serializer)
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { key, tasks: 0 } => write!(f, "{key:?} has no counterpart"),
            Self::UnknownKey { key, tasks } => {
                let s = if *tasks == 1 { "" } else { "s" };
                write!(f, "{key:?} of {tasks} task{s} has no counterpart")
            }
            Self::RetryCount => {
                f.write_str("retry_count has no counterpart: attempts are counted anew")
            }
            Self::Renamed { from, to } => write!(f, "task {from:?} is story {to} here"),
            Self::Skipped { task } => write!(f, "task {task:?} was skipped, and is left out"),
            Self::Freed { story, from } => {
                write!(f, "story {story} no longer waits for {from:?}, which was skipped")
            }
            Self::Failed { story } => write!(f, "story {story} had failed; it starts afresh"),
            Self::InProgress { story } => {
                write!(f, "story {story} was in progress; it starts afresh")
            }
            Self::NoOrder { story, priority } => {
                write!(f, "story {story} had no order; it comes last, with priority {priority}")
            }
            Self::NoCriteria { story, from } => write!(
                f,
                "story {story} had no acceptance criteria; its {from} is the one it has now"
            ),
            Self::NoSkill { story, skill } => {
                write!(f, "story {story}: {skill:?} cannot be the name of a skill; it is left out")
            }
            Self::OtherBranch { branch } => {
                write!(f, "the plan's branch {branch:?} is not used, because --name says another")
            }
            Self::ListKept => {
                f.write_str("the task list stays as it is; --force replaces it by the plan's")
            }
            Self::SettingKept { key, value } => {
                write!(f, "your settings stay as they are; the plan has {key} {value}")
            }
        }
    }
}
