//! Detects changes to the repository itself by a session or a check: control files, objects, and files on disk that
//! differ from the commit. All are reverted and reported. Those that decide what is committed or checked are
//! findings.

use std::collections::BTreeSet;
use std::path::Path;

use sanitize::plain;
use vcs::{
    BadObject, ChangeOutcome, CommitId, ControlChange, ControlRecord, DirtyKind, DirtyPath, Effect,
    ObjectFault, Proofs, TreeState, Unproven, VcsError,
};
use verify::RepositoryChange;

use crate::run_files::{deadline, no_commit};
use crate::workspace::core::Workspace;
use crate::workspace::notice::{Actor, NoticeOrigin, listed};
use crate::workspace::session_work::SessionWork;
use crate::workspace::{fingerprints, instruction_files};
use crate::{RunError, own_file};

/// The work tree as git reports it and as the runner compared it.
pub(crate) struct InspectedTree {
    pub(crate) now: TreeState,
    pub(crate) compared: Option<ComparedTree>,
}

/// The comparison of all tracked files with this commit, in a work tree in which git reports no change.
pub(crate) struct ComparedTree {
    head: CommitId,
    found: Unproven,
}

impl Workspace<'_> {
    /// Records the control files, which are restored before every later git call. Files that a session of a killed
    /// runner added are removed first. Files that it changed are an error, for the user to decide.
    ///
    /// `unsettled` is the record from before a session that no runner has judged, `is_resumed` whether this run
    /// judges it.
    pub(crate) fn guard_repository(
        &mut self,
        unsettled: Option<&ControlRecord>,
        is_resumed: bool,
    ) -> Result<(), RunError> {
        if let Some(record) = unsettled {
            let removed =
                self.tree.remove_unrecorded_control_files(record).map_err(changed_since)?;
            if !removed.is_empty() {
                let names: Vec<&str> = removed.iter().map(|change| change.name.as_str()).collect();
                self.sink.warn(format!(
                    "removed git control files that a session of a killed runner added: {}",
                    listed(&names)
                ));
            }
            // They are no finding against another session than their own.
            if is_resumed {
                let decide = removed.into_iter().filter(|it| it.effect == Effect::DecidesContent);
                self.known.found_earlier =
                    decide.map(|it| RepositoryChange::ControlFile { name: it.name }).collect();
            }
        }
        crate::run_files::hide_from_git(&self.tree, self.layout)?;
        self.tree.guard_control_files(self.allowed.clone())?;
        Ok(())
    }

    /// Records the user's files that differ from the commit and that git does not report.
    pub(crate) fn record_users_files(&mut self) -> Result<(), RunError> {
        self.refuse_symbolic_branch()?;
        // Reading all files takes as long as git's own work.
        let state = self.tree.start_state()?;
        if let Some(head) = self.tree.head(deadline())? {
            let proofs = &mut self.known.proofs;
            let found = self.tree.users_unproven_files(proofs, &head, deadline())?;
            let users = found.in_submodules.into_iter().chain(found.attributes);
            self.known.users = users.chain(found.repositories).collect();
        }
        let now = state.finish(deadline())?;
        self.baseline.instructions = Some(self.ignored_instructions(now.ignored.iter()));
        self.known.instructions_outside = Some(instruction_files::outside(self.layout.root()));
        self.known.ignored = now.ignored.into_iter().collect();
        self.known.refs = Some(self.tree.branches_and_tags(deadline())?);
        self.known.uncommitted =
            fingerprints::of_files(self.layout.root(), &self.baseline.dirty_before);
        Ok(())
    }

    /// Called right after a session, before git reads its files.
    pub(crate) fn restore_repository(
        &mut self,
        work: &SessionWork<'_>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let mut found = std::mem::take(&mut self.known.found_earlier);
        found.extend(self.restore_control_files(&work.origin())?);
        found.extend(self.restore_own_branch(&work.origin(), work.checkpoint)?);
        found.extend(self.abandon_bad_objects(work)?);
        Ok(found)
    }

    /// Returns the changes that decide what is committed or checked.
    pub(crate) fn restore_control_files(
        &mut self,
        origin: &NoticeOrigin<'_>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let changes = self.tree.restore_control_files()?;
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        save_copies(origin.folder, &changes);
        let with_outcome = |outcome: ChangeOutcome| -> Vec<&str> {
            let with_outcome = changes.iter().filter(|change| change.outcome == outcome);
            with_outcome.map(|change| change.name.as_str()).collect()
        };
        let folder = self.layout.name_of(&origin.folder.join("git"));
        let what = format!("changed git control files; restored (a copy is in {folder})");
        self.notice(origin, &what, &with_outcome(ChangeOutcome::Restored));
        let what = "changed git settings outside the repository that name programs; not restored";
        self.notice(origin, what, &with_outcome(ChangeOutcome::Kept));
        // The user allowed it, but the reviewer must know.
        let allowed = with_outcome(ChangeOutcome::Allowed);
        self.notice_for_review(origin, "changed control files that git.allow names", &allowed);
        let decides = |change: &ControlChange| {
            change.effect == Effect::DecidesContent && change.outcome == ChangeOutcome::Restored
        };
        let decisive = changes.into_iter().filter(decides);
        Ok(decisive.map(|change| RepositoryChange::ControlFile { name: change.name }).collect())
    }

    /// Removes commits with objects whose content does not match their names. The files on disk stay.
    fn abandon_bad_objects(
        &mut self,
        work: &SessionWork<'_>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let Some(head) = self.tree.head(deadline())? else { return Ok(Vec::new()) };
        let proofs = &mut self.known.proofs;
        let bad = self.tree.prove_objects(proofs, work.checkpoint, &head, deadline())?;
        if bad.is_empty() {
            return Ok(Vec::new());
        }
        for forged in bad.iter().filter(|bad| bad.fault == ObjectFault::Forged) {
            self.tree.remove_loose_object(forged)?;
        }
        let branch = self.baseline.branch.clone();
        self.tree.abandon_commits(&branch, work.checkpoint, deadline())?;
        let what = format!(
            "committed git objects that are missing, do not match their names or have too many paths; \
             its commits are removed from {branch}, the files on disk are kept"
        );
        let names: Vec<&str> = bad.iter().map(|bad| bad.name.as_str()).collect();
        self.notice(&work.origin(), &what, &names);
        let change = |bad: BadObject| RepositoryChange::BadObject { name: bad.name };
        Ok(bad.into_iter().map(change).collect())
    }

    /// A check may have forged an object after the session that created it was judged.
    pub(crate) fn refuse_forged_objects(
        &self,
        story: impl std::fmt::Display,
        began: &CommitId,
        head: &CommitId,
    ) -> Result<(), RunError> {
        let mut proofs = Proofs::default();
        let bad = self.tree.prove_objects(&mut proofs, began, head, deadline())?;
        bad.first().map_or(Ok(()), |bad| {
            Err(RunError::precondition(
                format!("git object {} does not match its name", bad.name),
                format!(
                    "it was changed after {story} was checked, so it cannot be reviewed: run `git fsck` to \
                     list all such objects, then restore them or reset the branch to {began}"
                ),
            ))
        })
    }

    /// Compares while git reads. If the comparison fails, `prove_files` reports why.
    pub(crate) fn inspect(&mut self, head: Option<CommitId>) -> Result<InspectedTree, RunError> {
        let git = self.tree.start_state()?;
        let compared = head.and_then(|head| {
            let found = self.unproven(&head).ok()?;
            Some(ComparedTree { head, found })
        });
        let now = git.finish(deadline())?;
        let is_clean = now.dirty.is_empty() && !now.has_unreadable_folders;
        Ok(InspectedTree { now, compared: compared.filter(|_| is_clean) })
    }

    /// Finds changes that git does not report, once everything else is committed.
    pub(crate) fn prove_work(
        &mut self,
        work: &SessionWork<'_>,
        compared: Option<ComparedTree>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let head = self.tree.head(deadline())?.ok_or_else(no_commit)?;
        let proofs = &mut self.known.proofs;
        let conversions =
            self.tree.changed_conversions(proofs, work.checkpoint, &head, deadline())?;
        let allowed = &self.allowed;
        let conversions = conversions.into_iter().filter(|path| !allowed.allows(path));
        let mut found: Vec<RepositoryChange> =
            conversions.map(|path| RepositoryChange::Conversion { path }).collect();
        found.extend(self.prove_files(Actor::Session, &head, work.folder, compared)?);
        self.report_branches(&work.origin())?;
        self.report_files(work, &head)?;
        Ok(found)
    }

    /// Makes every tracked file on disk match `head`, or fails. Returns what cannot be restored here.
    pub(crate) fn prove_files(
        &mut self,
        actor: Actor,
        head: &CommitId,
        folder: &Path,
        compared: Option<ComparedTree>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let known = compared.filter(|compared| compared.head == *head);
        let found = known.map_or_else(|| self.unproven(head), |known| Ok(known.found))?;
        let Unproven { files, in_submodules, attributes, repositories } = found;
        let mut found = Vec::new();
        for path in repositories {
            self.move_nested_repository(&path)?;
            found.push(RepositoryChange::HiddenFile { path, flag: "a repository of its own" });
        }
        for path in attributes {
            self.move_away(&path, folder)?;
            found.push(RepositoryChange::Conversion { path });
        }
        if !files.is_empty() {
            let dirty = |path: &String| DirtyPath { path: path.clone(), kind: DirtyKind::Modified };
            let dirty: Vec<DirtyPath> = files.iter().map(dirty).collect();
            let branch = Some(self.baseline.branch.clone());
            let now = TreeState { head: Some(head.clone()), branch, dirty, ..TreeState::default() };
            let kept = self.stash_changes(actor, &now)?;
            self.clean_up(actor, now, kept, folder)?;
        }
        if !found.is_empty() || !files.is_empty() {
            let left = self.unproven(head)?;
            // Cause: an object that was forged before its commit, or a disk that loses files.
            let left = left.files.iter().chain(&left.attributes).chain(&left.repositories);
            if let Some(path) = left.into_iter().next() {
                return Err(RunError::precondition(
                    format!("cannot restore {} to its content in {head}", plain(path)),
                    "run `git fsck`: an object of the repository may be damaged; then start the run again",
                ));
            }
        }
        found
            .extend(in_submodules.into_iter().map(|path| RepositoryChange::SubmoduleFile { path }));
        Ok(found)
    }

    fn unproven(&mut self, head: &CommitId) -> Result<Unproven, RunError> {
        let (baseline, users) = (&self.baseline, &self.known.users);
        let unwatched = baseline.unwatched_before.iter().map(|path| self.tree.in_project(path));
        let unwatched: BTreeSet<String> = unwatched.collect();
        let known = |path: &str| baseline.is_dirty_before(path) || unwatched.contains(path);
        let proofs = &mut self.known.proofs;
        let mut found = self.tree.unproven_files(proofs, head, &known, deadline())?;
        found.in_submodules.retain(|path| !users.contains(path));
        found.attributes.retain(|path| !users.contains(path));
        found.repositories.retain(|path| !users.contains(path));
        Ok(found)
    }

    /// Moves away the `.git` that makes a folder a nested repository. If the folder replaced a committed file, the
    /// whole folder is moved.
    pub(crate) fn move_nested_repository(&mut self, path: &str) -> Result<(), RunError> {
        let root = self.layout.root().to_path_buf();
        let place = vcs::on_disk(&root, path.trim_end_matches('/'));
        let is_in_place_of_file = !path.ends_with('/') && place.join(".git").exists();
        let mut folders = place.ancestors().take_while(|folder| *folder != root);
        let folder = folders.find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let what = match folder {
            _ if is_in_place_of_file => place.clone(),
            Some(folder) => folder.join(".git"),
            None => {
                let what = format!("{path} belongs to a nested repository that cannot be found");
                return Err(RunError::precondition(
                    what,
                    "look for a `.git` in its parent folders",
                ));
            }
        };
        let moved = self.layout.run_dir(&self.run_id).join("moved-repositories");
        let name = uuid::Uuid::new_v4().to_string();
        let to = moved.join(name);
        let done = std::fs::create_dir_all(&moved).and_then(|()| std::fs::rename(&what, &to));
        done.map_err(RunError::disk(path))?;
        let (from, to) = (self.layout.name_of(&what), self.layout.name_of(&to));
        self.sink.warn(format!(
            "{from} hid committed files from git as a nested repository; moved to {to}"
        ));
        Ok(())
    }
}

/// Copies the agent's versions for the user. Errors are ignored.
fn save_copies(folder: &Path, changes: &[ControlChange]) {
    let folder = folder.join("git");
    let mut settings = String::new();
    for change in changes {
        let Some(found) = &change.found else { continue };
        match change.name.strip_prefix(".git/") {
            Some(name) => {
                let path = folder.join(name);
                let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
                let _ = made.and_then(|()| own_file::write(&path, found));
            }
            None => {
                let value = String::from_utf8_lossy(found);
                settings.push_str(&format!("{} = {value}\n", change.name));
            }
        }
    }
    if !settings.is_empty() {
        let path = folder.join("settings.txt");
        let _ = std::fs::create_dir_all(&folder).and_then(|()| own_file::append(&path, &settings));
    }
}

fn changed_since(error: VcsError) -> RunError {
    match error {
        VcsError::ControlFileChanged { name } => RunError::precondition(
            format!(
                "{name} changed during a session whose runner was killed, so the agent may have changed it"
            ),
            "check and correct it, then confirm it with --trust-settings",
        ),
        other => other.into(),
    }
}
