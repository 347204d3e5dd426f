//! What a session or a check did to the repository itself: its control files, its objects, and files on disk
//! that are not what was committed. What decides what is committed or checked is a finding; all of it is put
//! right and named to the user and to the reviewer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sanitize::plain;
use tasks::StoryId;
use vcs::{
    BadObject, ChangeFate, CommitId, ControlChange, DirtyKind, DirtyPath, Effect, ObjectFault,
    Proofs, Seen, TreeState, Unproven, VcsError,
};
use verify::RepositoryChange;

use crate::run_files::deadline;
use crate::stories::fingerprints::{self, Fingerprints};
use crate::stories::instruction_files;
use crate::stories::iteration::Iteration;
use crate::stories::notice::Origin;
use crate::stories::project_snapshot::Actor;
use crate::stories::run::Run;
use crate::stories::state::RunState;
use crate::{RunError, own_file};

/// Names that one sentence lists.
pub(crate) const NAMED: usize = 20;

/// What the runner has found out about the repository, in its memory.
#[derive(Default)]
pub(crate) struct KnownRepository {
    pub(crate) proofs: Proofs,
    /// Branches, tags, notes and stashes after the last session.
    pub(crate) refs: Option<BTreeMap<String, String>>,
    /// What git ignored before the session.
    pub(crate) ignored: BTreeSet<String>,
    /// None as long as the run only judges what a killed runner left.
    pub(crate) instructions_outside: Option<Fingerprints>,
    /// Attributes that are not committed and files of submodules that were changed when the run began.
    users: BTreeSet<String>,
    /// Fingerprints of the files that the user had left uncommitted, as the last session left them.
    pub(crate) uncommitted: Fingerprints,
    /// What a session did whose runner was killed.
    pub(crate) found_in_recovery: Vec<RepositoryChange>,
}

/// The work tree as git shows it, and as the runner compared it.
pub(crate) struct Inspected {
    pub(crate) now: TreeState,
    pub(crate) compared: Option<Compared>,
}

/// Every tracked file of a work tree in which git shows no change, compared with this commit.
pub(crate) struct Compared {
    head: CommitId,
    found: Unproven,
}

impl Run<'_> {
    /// From here on every git call of the run begins with the control files of this moment. What a session
    /// added whose runner was killed is removed first; what it changed is an error, for the user to decide.
    pub(crate) fn guard_repository(&mut self, last: Option<&RunState>) -> Result<(), RunError> {
        let last = last.unwrap_or(&self.state);
        if let Some(record) = last.control.as_ref().filter(|_| last.has_unsettled_session()) {
            let removed =
                self.tree.remove_unrecorded_control_files(record).map_err(changed_since)?;
            if !removed.is_empty() {
                let names: Vec<&str> = removed.iter().map(|change| change.name.as_str()).collect();
                self.sink.warn(format!(
                    "control files of git that a session added whose runner was killed; removed: {}",
                    listed(&names)
                ));
            }
            // Of a session that this run does not judge, they are no finding against another one.
            if self.state.running.is_some() {
                let decide = removed.into_iter().filter(|it| it.effect == Effect::DecidesContent);
                self.repository.found_in_recovery =
                    decide.map(|it| RepositoryChange::ControlFile { name: it.name }).collect();
            }
        }
        crate::run_files::hide_from_git(&self.tree, self.layout)?;
        self.tree.guard_control_files(self.options.run.allowed_changes.clone())?;
        Ok(())
    }

    /// What the user has that is not as it was committed, and that git does not show.
    pub(crate) fn note_users_files(&mut self) -> Result<(), RunError> {
        self.refuse_symbolic_branch()?;
        let now = self.tree.state(deadline())?;
        self.state.instructions = Some(self.ignored_instructions(now.ignored.iter()));
        self.repository.instructions_outside = Some(instruction_files::outside(self.layout.root()));
        self.repository.ignored = now.ignored.into_iter().collect();
        self.repository.refs = Some(self.tree.branches_and_tags(deadline())?);
        self.repository.uncommitted =
            fingerprints::of_files(self.layout.root(), &self.state.dirty_before);
        let Some(head) = now.head else { return Ok(()) };
        let proofs = &mut self.repository.proofs;
        let found = self.tree.users_unproven_files(proofs, &head, deadline())?;
        let users = found.in_submodules.into_iter().chain(found.attributes);
        self.repository.users = users.chain(found.repositories).collect();
        Ok(())
    }

    /// Right after a session, before git reads what it left.
    pub(crate) fn restore_repository(
        &mut self,
        iteration: &Iteration,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let mut found = std::mem::take(&mut self.repository.found_in_recovery);
        found.extend(self.restore_control_files(&iteration.origin())?);
        found.extend(self.restore_own_branch(&iteration.origin(), &iteration.checkpoint)?);
        found.extend(self.abandon_bad_objects(iteration)?);
        Ok(found)
    }

    /// Returns what decides what is committed or checked.
    pub(crate) fn restore_control_files(
        &mut self,
        origin: &Origin<'_>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let changes = self.tree.restore_control_files()?;
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        keep(origin.folder, &changes);
        let of_fate = |fate: ChangeFate| -> Vec<&str> {
            let of_fate = changes.iter().filter(|change| change.fate == fate);
            of_fate.map(|change| change.name.as_str()).collect()
        };
        let folder = self.layout.name_of(&origin.folder.join("git"));
        let what = format!("changed control files of git; restored (a copy is in {folder})");
        self.notice(origin, &what, &of_fate(ChangeFate::PutBack));
        let what =
            "changed settings of git outside of the repository that name programs; not restored";
        self.notice(origin, what, &of_fate(ChangeFate::Left));
        // The user allowed it beforehand; the reviewer did not.
        let allowed = of_fate(ChangeFate::Allowed);
        self.notice_for_review(origin, "changed control files that git.allow names", &allowed);
        let decides = |change: &ControlChange| {
            change.effect == Effect::DecidesContent && change.fate == ChangeFate::PutBack
        };
        let decisive = changes.into_iter().filter(decides);
        Ok(decisive.map(|change| RepositoryChange::ControlFile { name: change.name }).collect())
    }

    /// Commits with objects that are not what their names say do not stay: what is on disk does.
    fn abandon_bad_objects(
        &mut self,
        iteration: &Iteration,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let Some(head) = self.tree.head(deadline())? else { return Ok(Vec::new()) };
        let proofs = &mut self.repository.proofs;
        let bad = self.tree.prove_objects(proofs, &iteration.checkpoint, &head, deadline())?;
        if bad.is_empty() {
            return Ok(Vec::new());
        }
        for forged in bad.iter().filter(|bad| bad.fault == ObjectFault::Forged) {
            self.tree.remove_loose_object(forged)?;
        }
        let branch = self.state.branch.clone();
        self.tree.abandon_commits(&branch, &iteration.checkpoint, deadline())?;
        let what = format!(
            "committed git objects that are missing, whose content does not match their names or with too \
             many paths; its commits are removed from {branch}, the files on disk are kept"
        );
        let names: Vec<&str> = bad.iter().map(|bad| bad.name.as_str()).collect();
        self.notice(&iteration.origin(), &what, &names);
        let change = |bad: BadObject| RepositoryChange::BadObject { name: bad.name };
        Ok(bad.into_iter().map(change).collect())
    }

    /// A check may have forged an object since the session was judged that introduced it.
    pub(crate) fn refuse_forged_objects(
        &self,
        story: &StoryId,
        head: &CommitId,
    ) -> Result<(), RunError> {
        let record = self.state.stories.get(story);
        let began = record.and_then(|record| CommitId::new(record.began_at.as_ref()?).ok());
        let Some(began) = began else { return Ok(()) };
        let mut proofs = Proofs::default();
        let bad = self.tree.prove_objects(&mut proofs, &began, head, deadline())?;
        bad.first().map_or(Ok(()), |bad| {
            Err(RunError::precondition(
                format!("git object {} does not have the content of its name", bad.name),
                format!(
                    "it was changed after {story} was checked, so no reviewer reads it: `git fsck` names all \
                     such objects; restore them, or reset the branch to {began}"
                ),
            ))
        })
    }

    /// The runner compares while git reads. Where that fails, `prove_files` says why.
    pub(crate) fn inspect(&mut self, head: Option<CommitId>) -> Result<Inspected, RunError> {
        let git = self.tree.start_state()?;
        let compared = head.and_then(|head| {
            let found = self.unproven(&head).ok()?;
            Some(Compared { head, found })
        });
        let now = git.finish(deadline())?;
        let is_clean = now.dirty.is_empty() && now.seen == Seen::All;
        Ok(Inspected { now, compared: compared.filter(|_| is_clean) })
    }

    /// Once everything that git sees is committed: what it does not see.
    pub(crate) fn prove_work(
        &mut self,
        iteration: &Iteration,
        compared: Option<Compared>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let head = self.tree.head(deadline())?.ok_or_else(super::settle::no_commit)?;
        let proofs = &mut self.repository.proofs;
        let conversions =
            self.tree.changed_conversions(proofs, &iteration.checkpoint, &head, deadline())?;
        let allowed = &self.options.run.allowed_changes;
        let conversions = conversions.into_iter().filter(|path| !allowed.allows(path));
        let mut found: Vec<RepositoryChange> =
            conversions.map(|path| RepositoryChange::Conversion { path }).collect();
        found.extend(self.prove_files(Actor::Session, &head, &iteration.folder, compared)?);
        self.report_branches(&iteration.origin())?;
        self.report_files(iteration, &head)?;
        Ok(found)
    }

    /// Every tracked file on disk is what `head` has, or an error. Returns what cannot be put right here.
    pub(crate) fn prove_files(
        &mut self,
        actor: Actor,
        head: &CommitId,
        folder: &Path,
        compared: Option<Compared>,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let known = compared.filter(|compared| compared.head == *head);
        let found = known.map_or_else(|| self.unproven(head), |known| Ok(known.found))?;
        let Unproven { files, in_submodules, attributes, repositories } = found;
        let mut found = Vec::new();
        for path in repositories {
            self.open_repository(&path)?;
            found.push(RepositoryChange::HiddenFile { path, flag: "a repository of its own" });
        }
        for path in attributes {
            self.move_away(&path, folder)?;
            found.push(RepositoryChange::Conversion { path });
        }
        if !files.is_empty() {
            let dirty = |path: &String| DirtyPath { path: path.clone(), kind: DirtyKind::Modified };
            let dirty: Vec<DirtyPath> = files.iter().map(dirty).collect();
            let branch = Some(self.state.branch.clone());
            let now = TreeState { head: Some(head.clone()), branch, dirty, ..TreeState::default() };
            let kept = self.stash_changes(actor, &now)?;
            self.clean_up(actor, now, kept, folder)?;
        }
        if !found.is_empty() || !files.is_empty() {
            let left = self.unproven(head)?;
            // An object that was forged before it was committed here, or a disk that does not keep files.
            let left = left.files.iter().chain(&left.attributes).chain(&left.repositories);
            if let Some(path) = left.into_iter().next() {
                return Err(RunError::precondition(
                    format!("{} cannot be made what {head} has", plain(path)),
                    "see `git fsck`: an object of the repository may be damaged; the next run goes on",
                ));
            }
        }
        found
            .extend(in_submodules.into_iter().map(|path| RepositoryChange::SubmoduleFile { path }));
        Ok(found)
    }

    fn unproven(&mut self, head: &CommitId) -> Result<Unproven, RunError> {
        let (state, users) = (&self.state, &self.repository.users);
        let unwatched = state.unwatched_before.iter().map(|path| self.tree.in_project(path));
        let unwatched: BTreeSet<String> = unwatched.collect();
        let known = |path: &str| state.is_dirty_before(path) || unwatched.contains(path);
        let proofs = &mut self.repository.proofs;
        let mut found = self.tree.unproven_files(proofs, head, &known, deadline())?;
        found.in_submodules.retain(|path| !users.contains(path));
        found.attributes.retain(|path| !users.contains(path));
        found.repositories.retain(|path| !users.contains(path));
        Ok(found)
    }

    /// Moves away the `.git` that makes a folder, or the folder of a file, a repository of its own; where a
    /// file was committed, the whole folder that took its place.
    pub(crate) fn open_repository(&mut self, path: &str) -> Result<(), RunError> {
        let root = self.layout.root().to_path_buf();
        let place = vcs::on_disk(&root, path.trim_end_matches('/'));
        let is_in_place_of_file = !path.ends_with('/') && place.join(".git").exists();
        let mut folders = place.ancestors().take_while(|folder| *folder != root);
        let folder = folders.find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let what = match folder {
            _ if is_in_place_of_file => place.clone(),
            Some(folder) => folder.join(".git"),
            None => {
                let what = format!("{path} belongs to a repository that cannot be found");
                return Err(RunError::precondition(what, "look for a `.git` above it"));
            }
        };
        let moved = self.layout.run_dir(&self.state.run_id).join("moved-repositories");
        let name = uuid::Uuid::new_v4().to_string();
        let to = moved.join(name);
        let done = std::fs::create_dir_all(&moved).and_then(|()| std::fs::rename(&what, &to));
        done.map_err(|error| RunError::Disk { path: path.to_owned(), error })?;
        let (from, to) = (self.layout.name_of(&what), self.layout.name_of(&to));
        self.sink.warn(format!(
            "{from} hid committed files from git as a repository of its own; moved to {to}"
        ));
        Ok(())
    }
}

/// Keeps the agent's version of each for the user. A version that cannot be written does not end the run.
fn keep(folder: &Path, changes: &[ControlChange]) {
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

pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(NAMED).map(|name| plain(name.as_ref())).collect();
    if names.len() > NAMED {
        shown.push(format!("and {} more", names.len() - NAMED));
    }
    shown.join(", ")
}

fn changed_since(error: VcsError) -> RunError {
    match error {
        VcsError::ControlFileChanged { name } => RunError::precondition(
            format!(
                "{name} changed while a session ran whose runner was killed: it may be the agent's"
            ),
            "check it and make it what you want, then confirm it with --trust-settings",
        ),
        other => other.into(),
    }
}
