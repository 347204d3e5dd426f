//! The closed set of prompt variables that the runner fills in.

/// Reserved names: a variable of the user must not use one of them.
pub const BUILT_IN_VARIABLES: &[&str] = <BuiltIn as strum::VariantNames>::VARIANTS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum BuiltIn {
    Iteration,
    MaxIterations,
    Remaining,
    Mode,
    StoryId,
    StoryTitle,
    Story,
    Feedback,
    LastFailure,
    PreviousAttempts,
    WeakenedTests,
    Memory,
    Skills,
    Handoff,
    Handoffs,
    Libraries,
    CompactedTokens,
    Instructions,
    VerifyCommands,
    ReviewCap,
    ReviewCount,
    CheckpointRange,
    Guardrails,
    SpecsDir,
    PlanFile,
    Branch,
    RalphDir,
    CompletionTag,
}

impl BuiltIn {
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}
