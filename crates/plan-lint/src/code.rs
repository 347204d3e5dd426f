//! Stable codes and severities of the findings.

use std::fmt;

use serde::{Serialize, Serializer};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Schema,
    MisspelledKey,
    UnknownDependency,
    DependencyCycle,
    ContradictoryProgress,
    NoStories,
    UntouchedTemplate,
    IllegalBranch,
    ListTooLarge,
    UnknownKey,
    ManyStories,
    EmptyPrd,
    UnreadablePrd,
    NoVerifyCommands,
    CheckThatCannotFail,
    DuplicateCheck,
    PriorityAgainstDependency,
    DuplicateTitle,
    EmptyTitle,
    CompoundStory,
    OversizedStory,
    TooManyCriteria,
    ManyLayers,
    VagueCriterion,
    CriterionWithoutClaim,
    DuplicateCriterion,
    Placeholder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A run does not start, or cannot finish.
    Error,
    /// A run starts, but is likely to fail there.
    Warning,
}

impl Code {
    pub const ALL: [Self; 27] = [
        Self::Schema,
        Self::MisspelledKey,
        Self::UnknownDependency,
        Self::DependencyCycle,
        Self::ContradictoryProgress,
        Self::NoStories,
        Self::UntouchedTemplate,
        Self::IllegalBranch,
        Self::ListTooLarge,
        Self::UnknownKey,
        Self::ManyStories,
        Self::EmptyPrd,
        Self::UnreadablePrd,
        Self::NoVerifyCommands,
        Self::CheckThatCannotFail,
        Self::DuplicateCheck,
        Self::PriorityAgainstDependency,
        Self::DuplicateTitle,
        Self::EmptyTitle,
        Self::CompoundStory,
        Self::OversizedStory,
        Self::TooManyCriteria,
        Self::ManyLayers,
        Self::VagueCriterion,
        Self::CriterionWithoutClaim,
        Self::DuplicateCriterion,
        Self::Placeholder,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::MisspelledKey => "misspelled-key",
            Self::UnknownDependency => "unknown-dependency",
            Self::DependencyCycle => "dependency-cycle",
            Self::ContradictoryProgress => "contradictory-progress",
            Self::NoStories => "no-stories",
            Self::UntouchedTemplate => "untouched-template",
            Self::IllegalBranch => "illegal-branch",
            Self::ListTooLarge => "list-too-large",
            Self::UnknownKey => "unknown-key",
            Self::ManyStories => "many-stories",
            Self::EmptyPrd => "empty-prd",
            Self::UnreadablePrd => "unreadable-prd",
            Self::NoVerifyCommands => "no-verify-commands",
            Self::CheckThatCannotFail => "check-that-cannot-fail",
            Self::DuplicateCheck => "duplicate-check",
            Self::PriorityAgainstDependency => "priority-against-dependency",
            Self::DuplicateTitle => "duplicate-title",
            Self::EmptyTitle => "empty-title",
            Self::CompoundStory => "compound-story",
            Self::OversizedStory => "oversized-story",
            Self::TooManyCriteria => "too-many-criteria",
            Self::ManyLayers => "many-layers",
            Self::VagueCriterion => "vague-criterion",
            Self::CriterionWithoutClaim => "criterion-without-claim",
            Self::DuplicateCriterion => "duplicate-criterion",
            Self::Placeholder => "placeholder",
        }
    }

    pub fn severity(self) -> Severity {
        match self {
            Self::Schema
            | Self::MisspelledKey
            | Self::UnknownDependency
            | Self::DependencyCycle
            | Self::ContradictoryProgress
            | Self::NoStories
            | Self::UntouchedTemplate
            | Self::IllegalBranch
            | Self::ListTooLarge => Severity::Error,
            Self::UnknownKey
            | Self::ManyStories
            | Self::EmptyPrd
            | Self::UnreadablePrd
            | Self::NoVerifyCommands
            | Self::CheckThatCannotFail
            | Self::DuplicateCheck
            | Self::PriorityAgainstDependency
            | Self::DuplicateTitle
            | Self::EmptyTitle
            | Self::CompoundStory
            | Self::OversizedStory
            | Self::TooManyCriteria
            | Self::ManyLayers
            | Self::VagueCriterion
            | Self::CriterionWithoutClaim
            | Self::DuplicateCriterion
            | Self::Placeholder => Severity::Warning,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the page has a row per code: code, severity, meaning, fix.
    #[test]
    fn the_docs_table_lists_exactly_these_codes() {
        let page = include_str!("../../../docs/validate.md");
        let explained: Vec<(&str, &str, usize)> = page
            .lines()
            .filter_map(|line| {
                let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
                let code = cells.first()?.strip_prefix('`')?.strip_suffix('`')?;
                let severity = cells.get(1)?;
                ["error", "warning"].contains(severity).then_some((code, *severity, cells.len()))
            })
            .collect();
        let expected: Vec<(&str, String)> =
            Code::ALL.iter().map(|code| (code.name(), code.severity().to_string())).collect();
        let found: Vec<(&str, String)> =
            explained.iter().map(|(code, severity, _)| (*code, (*severity).to_owned())).collect();
        assert_eq!(found, expected);
        assert!(explained.iter().all(|(.., cells)| *cells == 4), "{explained:?}");
    }
}
