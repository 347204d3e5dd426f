//! Which stories need tests that another session wrote, and how those run.

use run_options::ProofUse;

#[derive(Debug, Clone, Default)]
pub struct ProofOptions {
    /// For stories that do not say it themselves.
    pub stories: ProofUse,
    /// Patterns of test files, besides the conventions of the languages.
    pub test_paths: Vec<String>,
    /// The command for tests of no known framework.
    pub run: Option<String>,
}
