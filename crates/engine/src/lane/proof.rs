//! The proof of a story: tests that a specify session writes. The runner sees them fail before the work on the story,
//! pass with it, and fail again without it.

mod configuration;
mod green;
mod red;
mod story_proof;
mod test_results;
mod test_runs;

pub(crate) use story_proof::{MOST_DISPUTES, StoryProof};
pub(crate) use test_runs::TestedWork;

pub(super) use green::GreenResult;

use events::{LoopEvent, ProofPhase, ProofRun};
use proof::{PathPatterns, test_path_patterns};
use vcs::CommitId;

use crate::RunError;
use crate::lane::core::Lane;
use crate::lane::proof::test_runs::{TestFiles, TestRun};
use crate::run_files::{deadline, no_commit};

impl Lane<'_> {
    /// What a test file is, by its path.
    fn test_paths(&self) -> Result<PathPatterns, RunError> {
        PathPatterns::new(&test_path_patterns(&self.options.proof.test_paths))
            .map_err(|error| RunError::precondition(error.to_string(), "fix proof.testPaths"))
    }

    /// Paths that differ between the two commits, without tests and the runner's own files.
    fn work_between(&self, base: &CommitId, head: &CommitId) -> Result<Vec<String>, RunError> {
        let (tests, own) = (self.test_paths()?, self.layout.review_scope());
        let is_work = |path: &String| !tests.matches(path) && !own.contains(path);
        let changes = self.workspace.tree.changes_between(base, head, deadline())?;
        let paths = changes.into_iter().flat_map(|it| [Some(it.path), it.old_path]);
        Ok(paths.flatten().filter(is_work).collect())
    }

    /// The files of the commit without the work since `base`.
    fn without_work(&self, base: &CommitId) -> Result<TestFiles, RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        Ok(TestFiles {
            base: Some(base.to_string()),
            taken_away: self.work_between(base, &head)?,
            ..TestFiles::default()
        })
    }

    fn report_proof(
        &self,
        work: TestedWork<'_>,
        (phase, proof): (ProofPhase, &StoryProof),
        runs: [&TestRun; 2],
        problems: Vec<String>,
    ) -> Result<ProofRun, RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let [first, second] = runs;
        let result_of = |test: &proof::TestRef| match phase {
            ProofPhase::Green => {
                test_results::both(first.results.of(test), second.results.of(test))
            }
            ProofPhase::Red | ProofPhase::WithoutWork => {
                test_results::both(first.results.red(test), second.results.red(test))
            }
        };
        let mut run = ProofRun {
            story: work.story.clone(),
            iteration: work.iteration,
            phase,
            commit: head.to_string(),
            accepted: true,
            problems,
            criteria: story_proof::with_results(&proof.criteria.criteria, result_of),
            seconds: (first.elapsed + second.elapsed).as_secs_f64(),
        };
        run.accepted = run.problems.is_empty() && run.unexpected().next().is_none();
        self.sink.emit(LoopEvent::ProofRan(run.clone()));
        Ok(run)
    }
}

/// What is wrong, one sentence each, for the next session.
pub(crate) fn complaints(run: &ProofRun) -> Vec<String> {
    let of_tests = run.unexpected().map(|test| {
        let message = test.message.trim();
        let colon = if message.is_empty() { "" } else { ": " };
        format!("{} {}{colon}{message}", test.place(), test.result)
    });
    run.problems.iter().cloned().chain(of_tests).collect()
}
