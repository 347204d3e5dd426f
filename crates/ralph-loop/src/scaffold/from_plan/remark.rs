//! Remarks for the user about values of a plan that were changed or dropped.

use std::fmt;

use serde::ser::{Serialize, Serializer};
use serde_json::Number;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// With 0 tasks the key is at the top level.
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
    /// It depended on a skipped task.
    DependencyDropped {
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
    InvalidSkill {
        story: String,
        skill: String,
    },
    /// `--name` overrides the branch of the plan.
    OtherBranch {
        branch: String,
    },
    /// The existing task list was kept.
    ListKept,
    /// The existing settings were kept and have another value.
    SettingKept {
        key: &'static str,
        value: String,
    },
}

impl Remark {
    /// The machine-readable kind.
    fn kind(&self) -> &'static str {
        match self {
            Self::UnknownKey { .. } => "unknownKey",
            Self::RetryCount => "retryCount",
            Self::Renamed { .. } => "renamed",
            Self::Skipped { .. } => "skipped",
            Self::DependencyDropped { .. } => "dependencyDropped",
            Self::Failed { .. } => "failed",
            Self::InProgress { .. } => "inProgress",
            Self::NoOrder { .. } => "noOrder",
            Self::NoCriteria { .. } => "noCriteria",
            Self::InvalidSkill { .. } => "skillDropped",
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
            Self::DependencyDropped { story, .. }
            | Self::Failed { story }
            | Self::InProgress { story }
            | Self::NoOrder { story, .. }
            | Self::NoCriteria { story, .. }
            | Self::InvalidSkill { story, .. } => Some(story),
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
            Self::RetryCount => f.write_str("retry_count has no counterpart: attempts start at 0"),
            Self::Renamed { from, to } => write!(f, "task {from:?} becomes story {to}"),
            Self::Skipped { task } => write!(f, "task {task:?} was skipped and is not imported"),
            Self::DependencyDropped { story, from } => {
                write!(f, "story {story} does not depend on {from:?}, which was skipped")
            }
            Self::Failed { story } => write!(f, "story {story} had failed; it starts again"),
            Self::InProgress { story } => {
                write!(f, "story {story} was in progress; it starts again")
            }
            Self::NoOrder { story, priority } => {
                write!(f, "story {story} had no order; it comes last, with priority {priority}")
            }
            Self::NoCriteria { story, from } => write!(
                f,
                "story {story} had no acceptance criteria; its {from} becomes the criterion"
            ),
            Self::InvalidSkill { story, skill } => {
                write!(f, "story {story}: {skill:?} is not a valid skill name and is dropped")
            }
            Self::OtherBranch { branch } => {
                write!(f, "the plan's branch {branch:?} is not used, because --name overrides it")
            }
            Self::ListKept => {
                f.write_str("the existing task list is kept; use --force to replace it")
            }
            Self::SettingKept { key, value } => {
                write!(f, "the existing settings are kept; the plan has {key} {value}")
            }
        }
    }
}
