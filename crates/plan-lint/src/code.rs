//! Stable codes and severities of the findings.

use serde::Serialize;

/// Errors come first, from `Schema` to `ListTooLarge`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
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
    CriterionWithoutTest,
    CriterionWithoutClaim,
    DuplicateCriterion,
    Placeholder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Severity {
    /// A run does not start, or cannot finish.
    Error,
    /// A run starts, but is likely to fail there.
    Warning,
}

impl Code {
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn severity(self) -> Severity {
        if self <= Self::ListTooLarge { Severity::Error } else { Severity::Warning }
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

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
            Code::VARIANTS.iter().map(|code| (code.name(), code.severity().to_string())).collect();
        let found: Vec<(&str, String)> =
            explained.iter().map(|(code, severity, _)| (*code, (*severity).to_owned())).collect();
        assert_eq!(found, expected);
        assert!(explained.iter().all(|(.., cells)| *cells == 4), "{explained:?}");
    }
}
