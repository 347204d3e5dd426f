//! The closed set of prompt variables that the runner fills in.

/// Defines the enum with its names and the list of all.
macro_rules! built_in {
    ($($variant:ident = $name:literal,)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum BuiltIn {
            $($variant,)+
        }

        impl BuiltIn {
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        /// Reserved names: a variable of the user must not use one of them.
        pub const BUILT_IN_VARIABLES: &[&str] = &[$($name,)+];
    };
}

built_in! {
    Iteration = "ITERATION",
    MaxIterations = "MAX_ITERATIONS",
    Remaining = "REMAINING",
    Mode = "MODE",
    StoryId = "STORY_ID",
    StoryTitle = "STORY_TITLE",
    Story = "STORY",
    Feedback = "FEEDBACK",
    LastFailure = "LAST_FAILURE",
    PreviousAttempts = "PREVIOUS_ATTEMPTS",
    WeakenedTests = "WEAKENED_TESTS",
    Memory = "MEMORY",
    Skills = "SKILLS",
    Handoff = "HANDOFF",
    Handoffs = "HANDOFFS",
    Libraries = "LIBRARIES",
    CompactedTokens = "COMPACTED_TOKENS",
    Instructions = "INSTRUCTIONS",
    VerifyCommands = "VERIFY_COMMANDS",
    ReviewCap = "REVIEW_CAP",
    ReviewCount = "REVIEW_COUNT",
    CheckpointRange = "CHECKPOINT_RANGE",
    Guardrails = "GUARDRAILS",
    SpecsDir = "SPECS_DIR",
    PlanFile = "PLAN_FILE",
    Branch = "BRANCH",
    RalphDir = "RALPH_DIR",
    CompletionTag = "COMPLETION_TAG",
}
