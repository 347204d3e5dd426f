//! Judges what a specify session left: the proof file, and tests that fail because the work is missing.

use std::collections::BTreeMap;

use events::{LoopEvent, ProofPhase, ProofRun};
use proof::{LARGEST_PROOF_FILE, MappedTests, ProofFile, TestRef};
use tasks::{Sha256Digest, Story};
use vcs::CommitId;

use crate::RunError;
use crate::checks::FailedGuardrail;
use crate::control::{RunControl, Step};
use crate::lane::checks::ChecksResult;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::proof::complaints;
use crate::lane::proof::story_proof::StoryProof;
use crate::lane::proof::test_runs::{TestFiles, TestedWork};
use crate::lane::settlement::{SessionEnd, SettledStep, Settlement};
use crate::lane::story_context::StoryContext;
use crate::lane::story_record::IterationFailure;
use crate::lane::task_text::TaskText;
use crate::run_files::{deadline, no_commit};

const LARGEST_LOG: u64 = 64 * 1024 * 1024;

const PASSES_ALREADY: &str = "passes without the work on the story. Either the criterion is met already (then map it to \
                              \"manual\" and say so), or the test does not show it";

impl Lane<'_> {
    pub(crate) fn specify_step(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
        after: TaskText,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Settlement, RunError> {
        let story = after.list.story(&iteration.assignment.story).cloned();
        let Some(story) = story else {
            return Ok(refused(after, vec!["the story is not in the task list".into()]));
        };
        if !end.outcome.is_answer() || self.wrote_nothing(iteration)? {
            return Ok(Settlement::accepted(Step::None, after));
        }
        let proof = match self.written_proof(iteration, &story, context)? {
            Ok(proof) => proof,
            Err(problems) => {
                self.report_proof_file(iteration, problems.clone())?;
                return Ok(refused(after, problems));
            }
        };
        let base = match CommitId::new(&proof.base) {
            Ok(base) => base,
            Err(_) => iteration.checkpoint.clone(),
        };
        let text = after.text.clone();
        let plan = self.check_plan(&after.list, None, context.known_failures(Some(&story)));
        let checked =
            self.run_checks(control, Some(story.id.clone()), &plan, &text, &iteration.folder)?;
        let mut problems = match checked.result {
            ChecksResult::Interrupted => return Ok(Settlement::of(SettledStep::Unfinished)),
            ChecksResult::Passed => Vec::new(),
            ChecksResult::ForbiddenChanges(found) => found,
            ChecksResult::Failed(failed) => self.unexplained(&failed, &proof),
        };
        let (tests, work) = (proof.tests(), TestedWork::of(iteration, &text));
        let mut runs = Vec::new();
        for name in ["red", "red-again"] {
            let files = if context.record.proof.is_some() {
                self.without_work(&base)?
            } else {
                TestFiles::default()
            };
            match self.run_tests(work, control, &tests, files, name)? {
                Some(run) => {
                    problems.extend(run.forbidden.iter().cloned());
                    runs.push(run);
                }
                None => return Ok(Settlement::of(SettledStep::Unfinished)),
            }
        }
        let [first, second] = &runs[..] else { return Ok(Settlement::of(SettledStep::Unfinished)) };
        let elapsed = checked.elapsed + first.elapsed + second.elapsed;
        let run = self.report_proof(work, (ProofPhase::Red, &proof), [first, second], problems)?;
        let settlement = match run.accepted {
            true => Settlement {
                proof: Some(Box::new(proof)),
                ..Settlement::accepted(Step::Accepted, after)
            },
            false => {
                let problems = complaints(&run).into_iter();
                let passed = events::ProofResult::Passed.to_string();
                let explained = problems.map(|problem| match problem.strip_suffix(&passed) {
                    Some(test) => format!("{test}{PASSES_ALREADY}"),
                    None => problem,
                });
                refused(after, explained.collect())
            }
        };
        Ok(Settlement { check_time: elapsed, ..settlement })
    }

    /// Without changes, the files of an earlier session are judged again.
    fn wrote_nothing(&self, iteration: &Iteration) -> Result<bool, RunError> {
        let proof = self.layout.proof_name(&iteration.assignment.story);
        if self.layout.root().join(&proof).exists() {
            return Ok(false);
        }
        let (tests, head) =
            (self.test_paths()?, self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?);
        let changes =
            self.workspace.tree.changes_between(&iteration.checkpoint, &head, deadline())?;
        Ok(!changes.iter().any(|changed| tests.matches(&changed.path)))
    }

    /// The proof file on disk, with the files that belong to it. An error lists its problems.
    fn written_proof(
        &self,
        iteration: &Iteration,
        story: &Story,
        context: &StoryContext,
    ) -> Result<Result<StoryProof, Vec<String>>, RunError> {
        let name = self.layout.proof_name(&story.id);
        let bytes =
            match bounded_read::read_file(&self.layout.root().join(&name), LARGEST_PROOF_FILE) {
                Ok(bytes) => bytes,
                Err(error) => return Ok(Err(vec![format!("cannot read {name}: {error}")])),
            };
        let tests = self.test_paths()?;
        let file = ProofFile::parse(&bytes);
        let criteria = match file.and_then(|file| file.check(story, &tests)) {
            Ok(criteria) => criteria,
            Err(problems) => {
                return Ok(Err(problems.iter().map(|it| format!("{name}: {it}")).collect()));
            }
        };
        let earlier = context.record.proof.as_ref();
        let base = earlier.map_or_else(|| iteration.checkpoint.to_string(), |it| it.base.clone());
        let undeclared = self.undeclared(&criteria);
        if !undeclared.is_empty() {
            return Ok(Err(undeclared));
        }
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let changes =
            self.workspace.tree.changes_between(&iteration.checkpoint, &head, deadline())?;
        let changed = changes.into_iter().map(|changed| changed.path);
        let earlier_files = earlier.into_iter().flat_map(|earlier| earlier.files.keys().cloned());
        let mapped = criteria.files();
        let paths = changed.chain(earlier_files).filter(|path| tests.matches(path));
        let mut files = BTreeMap::new();
        for path in paths.chain(mapped.iter().map(|&path| path.to_owned())).chain([name]) {
            let bytes =
                bounded_read::read_file(&self.layout.root().join(&path), LARGEST_PROOF_FILE);
            match bytes {
                Ok(bytes) => drop(files.insert(path, Some(Sha256Digest::of(bytes)))),
                // A deleted test, which stays deleted.
                Err(bounded_read::FileError::Absent) if !mapped.contains(&*path) => {
                    files.insert(path, None);
                }
                Err(error) => return Ok(Err(vec![format!("cannot read {path}: {error}")])),
            }
        }
        Ok(Ok(StoryProof {
            base,
            red_at: head.to_string(),
            files,
            criteria,
            green_at: None,
            proves_nothing: Vec::new(),
            names_tests: Vec::new(),
            disputes: earlier.map_or(0, |earlier| earlier.disputes),
            reopened: None,
        }))
    }

    /// No test ran, because the proof file is wrong.
    fn report_proof_file(
        &self,
        iteration: &Iteration,
        problems: Vec<String>,
    ) -> Result<(), RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        self.sink.emit(LoopEvent::ProofRan(ProofRun {
            story: iteration.assignment.story.clone(),
            iteration: iteration.assignment.iteration,
            phase: ProofPhase::Red,
            commit: head.to_string(),
            accepted: false,
            problems,
            criteria: Vec::new(),
            seconds: 0.0,
        }));
        Ok(())
    }

    fn undeclared(&self, criteria: &MappedTests) -> Vec<String> {
        let is_missing = |test: &&TestRef| {
            let path = self.layout.root().join(&test.file);
            let source = bounded_read::read_file(&path, LARGEST_LOG).unwrap_or_default();
            !test.can_be_in(&String::from_utf8_lossy(&source))
        };
        let missing = criteria.tests().into_iter().filter(is_missing);
        missing.map(|test| format!("{} has no test {}", test.file, test.name)).collect()
    }

    /// Checks that fail although no new test explains it.
    fn unexplained(&self, failed: &[FailedGuardrail], proof: &StoryProof) -> Vec<String> {
        let tests = proof.tests();
        // A short part of a name is in any output.
        let is_in = |part: &str, log: &str| part.len() >= 5 && log.contains(part);
        let is_named = |log: &str| {
            tests.iter().any(|test| {
                let leaf = test.name.rsplit([':', '.', '/', ' ', '>']).next().unwrap_or_default();
                let file = test.file.rsplit('/').next().unwrap_or_default();
                is_in(leaf, log) || is_in(file, log)
            })
        };
        let unexplained = failed.iter().filter(|failed| {
            let log = self.layout.project_root().join(&failed.log);
            let text = bounded_read::read_file(&log, LARGEST_LOG).unwrap_or_default();
            !is_named(&String::from_utf8_lossy(&text))
        });
        let sentence = |failed: &FailedGuardrail| {
            format!(
                "the check `{}` {}, and its output names none of the new tests: {}",
                failed.command,
                failed.how,
                failed.error()
            )
        };
        unexplained.map(sentence).collect()
    }
}

fn refused(after: TaskText, problems: Vec<String>) -> Settlement {
    let lines: Vec<String> = problems.into_iter().map(|problem| format!("- {problem}")).collect();
    let other = format!("The proof of the story is not accepted:\n{}", lines.join("\n"));
    let failure = IterationFailure { other: Some(other), ..Default::default() };
    Settlement { failure: Some(failure), ..Settlement::accepted(Step::ChecksFailed, after) }
}
