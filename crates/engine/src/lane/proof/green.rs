//! The tests of a proof with the work on the story: all pass, and they fail again once the work is taken away.

use std::time::Duration;

use events::{ProofPhase, ProofResult, ProofRun};
use proof::{Canary, TestRef, TestResult};
use tasks::Mode;
use vcs::CommitId;

use crate::RunError;
use crate::control::RunControl;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::proof::complaints;
use crate::lane::proof::story_proof::StoryProof;
use crate::lane::proof::test_runs::{TestFiles, TestRun, TestedWork};
use crate::lane::story_context::StoryContext;
use crate::run_id::random;

const LARGEST_SOURCE: u64 = 2 * 1024 * 1024;

/// What the tests of the story's proof say about the work.
pub(in crate::lane) enum GreenResult {
    /// The story needs no proof.
    NoProof,
    Passed(Box<StoryProof>, Duration),
    Failed(Vec<String>, Duration),
    /// The user stops the run or skips the story.
    Interrupted,
}

impl Lane<'_> {
    pub(in crate::lane) fn green_step(
        &mut self,
        iteration: &Iteration,
        task_list: &str,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<GreenResult, RunError> {
        let Some(proof) = context.record.proof.clone() else { return Ok(GreenResult::NoProof) };
        let problems = self.changed_configuration(&proof)?;
        let work = TestedWork::of(iteration, task_list);
        let Some(run) = self.green_runs(work, &proof, problems, control)? else {
            return Ok(GreenResult::Interrupted);
        };
        let elapsed = Duration::from_secs_f64(run.seconds);
        if !run.accepted {
            return Ok(GreenResult::Failed(complaints(&run), elapsed));
        }
        if iteration.assignment.mode == Mode::Review {
            return Ok(GreenResult::Passed(Box::new(proof), elapsed));
        }
        let proof = StoryProof { green_at: Some(run.commit), ..proof };
        match self.take_work_away(work, proof, control)? {
            Some((proof, taken)) => Ok(GreenResult::Passed(Box::new(proof), elapsed + taken)),
            None => Ok(GreenResult::Interrupted),
        }
    }

    /// Runs the tests twice, the second time in copies with canaries. `None` if the user stops the run or skips the story.
    pub(crate) fn green_runs(
        &mut self,
        work: TestedWork<'_>,
        proof: &StoryProof,
        mut problems: Vec<String>,
        control: &mut RunControl<'_>,
    ) -> Result<Option<ProofRun>, RunError> {
        let (tests, none) = (proof.tests(), TestFiles::default());
        let Some(first) = self.run_tests(work, control, &tests, none, "green")? else {
            return Ok(None);
        };
        let canaries = self.canaries(&tests);
        let files = TestFiles { canaries: canaries.clone(), ..TestFiles::default() };
        let copies = with_canaries(&tests, &canaries);
        let Some(mut second) = self.run_tests(work, control, &copies, files, "green-again")? else {
            return Ok(None);
        };
        problems.extend(first.forbidden.iter().chain(&second.forbidden).cloned());
        problems.extend(forged(&canaries, &second));
        as_originals(&tests, &canaries, &mut second);
        let phase = (ProofPhase::Green, proof);
        self.report_proof(work, phase, [&first, &second], problems).map(Some)
    }

    /// Finds the tests that pass without the work too. The review decides what they are worth.
    fn take_work_away(
        &mut self,
        work: TestedWork<'_>,
        proof: StoryProof,
        control: &mut RunControl<'_>,
    ) -> Result<Option<(StoryProof, Duration)>, RunError> {
        let Ok(base) = CommitId::new(&proof.base) else { return Ok(Some((proof, Duration::ZERO))) };
        let (files, tests) = (self.without_work(&base)?, proof.tests());
        let names_tests = |path: &&String| {
            let source = self.source(path).unwrap_or_default();
            proof::names_tests(&source, &tests)
        };
        let names_tests = files.taken_away.iter().filter(names_tests).cloned().collect();
        let Some(run) = self.run_tests(work, control, &tests, files, "without-work")? else {
            return Ok(None);
        };
        let passes = |test: &TestRef| run.results.of(test).0 == ProofResult::Passed;
        let proves_nothing = tests.into_iter().filter(passes).collect();
        let proof = StoryProof { proves_nothing, names_tests, ..proof };
        self.report_proof(work, (ProofPhase::WithoutWork, &proof), [&run, &run], Vec::new())?;
        Ok(Some((proof, run.elapsed)))
    }

    fn source(&self, path: &str) -> Option<String> {
        let source =
            bounded_read::read_file(&self.layout.root().join(path), LARGEST_SOURCE).ok()?;
        Some(String::from_utf8_lossy(&source).into_owned())
    }

    /// One for each file of tests whose language can switch assertions off.
    fn canaries(&self, tests: &[TestRef]) -> Vec<(TestRef, Canary)> {
        let mut files: Vec<&TestRef> = tests.iter().collect();
        files.dedup_by_key(|test| (test.framework, &test.file));
        let canary = |test: &TestRef| {
            let source = self.source(&test.file)?;
            proof::canary(test.framework, &test.file, &source, &random(6))
        };
        files.into_iter().filter_map(|test| Some((test.clone(), canary(test)?))).collect()
    }
}

fn is_of(test: &TestRef, of_file: &TestRef) -> bool {
    (test.framework, &test.file) == (of_file.framework, &of_file.file)
}

/// The tests in the copies with a canary, each followed by its canary, and the tests without a copy.
fn with_canaries(tests: &[TestRef], canaries: &[(TestRef, Canary)]) -> Vec<TestRef> {
    let of = |(of_file, canary): &(TestRef, Canary)| {
        let own: Vec<TestRef> = tests.iter().filter(|it| is_of(it, of_file)).cloned().collect();
        canary.tests(&own)
    };
    let has_copy = |test: &TestRef| canaries.iter().any(|(of_file, _)| is_of(test, of_file));
    let others = tests.iter().filter(|test| !has_copy(test)).cloned();
    others.chain(canaries.iter().flat_map(of)).collect()
}

/// Names the results of copies as those of the tests that were copied.
fn as_originals(tests: &[TestRef], canaries: &[(TestRef, Canary)], run: &mut TestRun) {
    for test in tests {
        let Some((_, canary)) = canaries.iter().find(|(of_file, _)| is_of(test, of_file)) else {
            continue;
        };
        let copy = TestRef { file: canary.file.clone(), ..test.clone() };
        if let Some(result) = run.results.0.remove(&copy) {
            run.results.0.insert(test.clone(), result);
        }
    }
}

/// A test that must fail does not: the project changes how tests report failures.
fn forged(canaries: &[(TestRef, Canary)], run: &TestRun) -> Vec<String> {
    let results: Vec<(TestRef, TestResult)> = run.results.0.clone().into_iter().collect();
    let forged = canaries.iter().filter(|(_, canary)| !canary.failed_as_it_must(&results));
    let sentence = |(of_file, canary): &(TestRef, Canary)| {
        let (found, message) = run.results.of(&canary.test);
        let message = message.lines().next().unwrap_or_default();
        format!(
            "the runner added a test that must fail to a copy of {}, and it {found} ({message}): the project \
             changes how tests fail or which of them run",
            of_file.file
        )
    };
    forged.map(sentence).collect()
}
