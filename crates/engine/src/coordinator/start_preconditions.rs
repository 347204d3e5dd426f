//! Preconditions of a run, checked without writing: by the run itself, its dry run and `doctor`.

use project::{Layout, StoredMarker};
use run_options::{ProofUse, Word};
use tasks::{ReviewPolicy, Story, TaskList};
use vcs::{TreeState, VcsError};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::state::SavedRun;
use crate::options::{AtReviewCap, Guardrail, StartMode, StoryOptions, list_rules};
use crate::workspace::Baseline;

/// Most dirty files that an error names.
const NAMED: usize = 10;

/// The run that would start now.
#[derive(Debug)]
pub struct StartPreconditions<'l> {
    layout: &'l Layout,
    start: StartMode,
    /// The run that it would resume.
    last: Option<SavedRun>,
}

impl<'l> StartPreconditions<'l> {
    /// An error if the state of the last run is invalid.
    pub fn of(layout: &'l Layout, start: StartMode) -> Result<Self, RunError> {
        let last = match start {
            StartMode::Fresh => None,
            StartMode::Auto => SavedRun::load(layout)?.filter(SavedRun::resumes_automatically),
            StartMode::Resume => SavedRun::load(layout)?,
        };
        Ok(Self { layout, start, last })
    }

    pub(crate) fn into_last(self) -> Option<SavedRun> {
        self.last
    }

    pub fn refuse_tree(&self, now: &TreeState) -> Result<(), RunError> {
        if self.settles_first() { Ok(()) } else { refuse_tree(now) }
    }

    /// Uncommitted paths, without those from before the run that would be resumed.
    pub fn uncommitted(&self, now: &TreeState) -> Vec<String> {
        if self.settles_first() {
            return Vec::new();
        }
        uncommitted(now, self.layout, self.last.as_ref().map(|last| &last.baseline))
    }

    pub fn refuse_marker(&self) -> Result<(), RunError> {
        refuse_marker(
            self.layout,
            self.start,
            self.last.as_ref().map(|last| last.run.run_id.as_str()),
        )
    }

    pub fn refuse_branch(&self, list: &TaskList) -> Result<(), RunError> {
        let own = self.last.as_ref().map(|last| last.baseline.branch.as_str());
        let branch = own.filter(|own| !own.is_empty()).unwrap_or(&list.branch_name);
        vcs::refuse_invalid_branch(branch).map_err(branch_error)
    }

    pub fn refuse_contradictions(
        &self,
        list: &TaskList,
        review: ReviewPolicy,
        at_cap: AtReviewCap,
    ) -> Result<(), RunError> {
        if self.settles_first() {
            return Ok(());
        }
        refuse_contradictions(list, list_rules(review, at_cap))
    }

    /// Whether the last run must be judged or repaired before the work tree is checked.
    fn settles_first(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.lane.is_unfinished())
    }
}

/// Requires a commit and no unfinished git operation.
pub(crate) fn refuse_tree(now: &TreeState) -> Result<(), RunError> {
    if now.head.is_none() {
        return Err(RunError::precondition(
            "the repository has no commit yet",
            "commit your files: `git add -A && git commit -m start`",
        ));
    }
    match now.operation {
        None => Ok(()),
        Some(operation) => Err(RunError::precondition(
            format!("a {operation} is in progress"),
            "finish or abort it first",
        )),
    }
}

pub(crate) fn uncommitted(
    now: &TreeState,
    layout: &Layout,
    baseline: Option<&Baseline>,
) -> Vec<String> {
    let is_known = |path: &str| baseline.is_some_and(|baseline| baseline.is_excluded(path));
    let paths = now.dirty.iter().map(|dirty| dirty.path.as_str());
    let new_paths = paths.filter(|path| !layout.is_runtime(path) && !is_known(path));
    new_paths.map(str::to_owned).collect()
}

pub fn refuse_uncommitted(paths: &[String]) -> Result<(), RunError> {
    if paths.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> =
        paths.iter().take(NAMED).map(|path| format!("  {}", sanitize::plain(path))).collect();
    if paths.len() > NAMED {
        names.push(format!("  … and {} more", paths.len() - NAMED));
    }
    Err(RunError::precondition(
        format!("there are uncommitted changes:\n{}", names.join("\n")),
        "commit them (`git add -A && git commit`), stash them, or allow them with --allow-dirty",
    ))
}

/// The marker of an unknown run means that an iteration was never judged.
pub(crate) fn refuse_marker(
    layout: &Layout,
    start: StartMode,
    own: Option<&str>,
) -> Result<(), RunError> {
    let stored = StoredMarker::load(layout);
    if matches!(stored, Ok(None)) || start == StartMode::Fresh {
        return Ok(());
    }
    let owner = stored.ok().flatten().and_then(|stored| stored.parse().ok());
    let run = owner.and_then(|marker| marker.run_id);
    if run.is_some() && run.as_deref() == own {
        return Ok(());
    }
    Err(RunError::precondition(
        "a run was interrupted here (.ralph-active exists), and its state.json is missing or belongs to \
         another run: its last iteration was not judged",
        "check with `git log` that the task list is correct, then start again with --fresh",
    ))
}

pub(crate) fn branch_error(error: VcsError) -> RunError {
    match error {
        VcsError::InvalidBranch { name } => RunError::precondition(
            format!("branchName {name:?} is not a valid branch name"),
            "set another branchName in the task list",
        ),
        other => RunError::Git(other),
    }
}

/// The list of a run without reviews would fail every iteration of a run with them.
pub(crate) fn refuse_contradictions(list: &TaskList, rules: ReviewPolicy) -> Result<(), RunError> {
    let ReviewPolicy::Required { cap } = rules else { return refuse_proofs(list) };
    let snapshot = tasks::Snapshot::of(list);
    let broken = tasks::check_invariants(list, cap, Some(&snapshot));
    if broken.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = broken.iter().map(|broken| format!("  {broken}")).collect();
    Err(RunError::precondition(
        format!("the review state of some stories is contradictory:\n{}", lines.join("\n")),
        "after a run with --skip-review, set passes to false to have a story reviewed, or \
         reviewStatus to \"approved\" to accept it without a review",
    ))
}

/// Without reviews, sessions may change the tests of a proof.
fn refuse_proofs(list: &TaskList) -> Result<(), RunError> {
    let needs = |story: &&Story| !story.passes && story.proof == Some(ProofUse::Require);
    let Some(story) = list.stories.iter().find(needs) else { return Ok(()) };
    Err(RunError::precondition(
        format!("story {} requires a proof, and a proof needs reviews", story.id),
        "leave out --skip-review and review.skip, or set proof of the story to \"off\"",
    ))
}

impl Coordinator<'_> {
    /// Refuses a strategy under which no configured check counts.
    pub(crate) fn refuse_no_checks(&self, list: &TaskList) -> Result<(), RunError> {
        let StoryOptions { run, validation, .. } = self.options;
        let counts = |guardrail: &Guardrail| validation.is_rejected_by(guardrail.kind);
        if !list.verify_commands.is_empty()
            || run.guardrails.is_empty()
            || run.guardrails.iter().any(counts)
        {
            return Ok(());
        }
        let name = validation.name();
        Err(RunError::precondition(
            format!("with validation \"{name}\" no guardrail counts, so nothing is checked"),
            "add a test to verifyCommands of the task list, or make every guardrail count with \
             --validation strict",
        ))
    }
}

#[cfg(test)]
mod tests {
    use vcs::{DirtyKind, DirtyPath, Operation};

    use super::*;

    fn clean() -> TreeState {
        let head = vcs::CommitId::new(&"a".repeat(40)).ok();
        TreeState { head, branch: Some("main".into()), ..TreeState::default() }
    }

    fn dirty(paths: &[&str]) -> TreeState {
        let dirty = paths.iter().map(|path| (*path).to_owned());
        let dirty = dirty.map(|path| DirtyPath { path, kind: DirtyKind::Untracked }).collect();
        TreeState { dirty, ..clean() }
    }

    #[test]
    fn an_unfinished_git_operation_is_refused() {
        assert!(refuse_tree(&clean()).is_ok());
        assert!(refuse_tree(&TreeState { head: None, ..clean() }).is_err());
        for operation in [Operation::Merge, Operation::Rebase, Operation::Bisect] {
            let now = TreeState { operation: Some(operation), ..clean() };
            let refused = refuse_tree(&now).unwrap_err().to_string();
            assert_eq!(refused, format!("a {operation} is in progress"));
        }
    }

    #[test]
    fn only_new_files_of_the_user_count_as_uncommitted() {
        let layout = Layout::new("/p");
        let baseline = Baseline { dirty_before: vec!["known.txt".into()], ..Baseline::default() };
        let now = dirty(&[".ralph-active", "known.txt", "new.txt"]);
        assert_eq!(uncommitted(&now, &layout, Some(&baseline)), ["new.txt"]);
        assert_eq!(uncommitted(&now, &layout, None), ["known.txt", "new.txt"]);
    }

    #[test]
    fn a_marker_is_refused_unless_its_run_is_resumed() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let refused =
            |start| StartPreconditions::of(&layout, start).unwrap().refuse_marker().is_err();
        assert!(!refused(StartMode::Auto));
        std::fs::write(layout.marker(), r#"{"runId": "r1"}"#).unwrap();
        assert!(refused(StartMode::Auto));
        assert!(!refused(StartMode::Fresh));
        std::fs::create_dir(layout.data_dir()).unwrap();
        SavedRun::new("r1".into(), events::now()).save(&layout).unwrap();
        assert!(!refused(StartMode::Auto));
        std::fs::write(layout.marker(), "nonsense").unwrap();
        assert!(refused(StartMode::Auto));
        std::fs::write(layout.state(), "{").unwrap();
        assert!(StartPreconditions::of(&layout, StartMode::Auto).is_err());
    }
}
