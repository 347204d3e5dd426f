//! What a run does in cases that users decide, and when its output has colours.

use crate::word::words;

words! {
    /// What to do when the agent's usage limit is reached: sleep until the stated reset, or end the run.
    #[derive(Default)]
    pub enum OnUsageLimit {
        #[default]
        Wait = "wait",
        Stop = "stop",
    }
}

words! {
    /// What happens at the last review of a story: it must approve the story, or the story fails unless it does.
    #[derive(Default)]
    pub enum AtReviewCap {
        #[default]
        Approve = "approve",
        Fail = "fail",
    }
}

words! {
    /// Whether a story needs a test for each criterion, written before the story and seen to fail.
    #[derive(Default)]
    pub enum ProofUse {
        #[default]
        Off = "off",
        Require = "require",
    }
}

words! {
    /// What happens to the findings of a review of all work, after the stories are done.
    #[derive(Default)]
    pub enum FinalReviewUse {
        /// There is no such review.
        #[default]
        Off = "off",
        /// They are only reported.
        Report = "report",
        /// They become stories, at most two times.
        On = "on",
    }
}

words! {
    /// What a review of a range of commits looks for.
    pub enum ReviewLens {
        Correctness = "correctness",
        Security = "security",
        Tests = "tests",
        Performance = "performance",
        Design = "design",
    }
}

words! {
    /// The MCP servers of sessions, for agents that can be configured: those of the project's files, or the user's own.
    #[derive(Default)]
    pub enum McpServers {
        #[default]
        Isolated = "isolated",
        Inherited = "inherited",
    }
}

words! {
    /// How a prompt is passed to a program.
    #[derive(Default)]
    pub enum PromptVia {
        /// On its standard input.
        #[default]
        Stdin = "stdin",
        /// As its last argument.
        Argument = "argument",
        /// As the path of a file, its last argument.
        File = "file",
    }
}

words! {
    /// A version control task.
    pub enum ScmTask {
        /// Commit everything that changed.
        Commit = "commit",
        /// Push the branch.
        Push = "push",
    }
}

words! {
    /// When colours are used.
    #[derive(Default)]
    pub enum ColorWhen {
        #[default]
        Auto = "auto",
        Always = "always",
        Never = "never",
    }
}
