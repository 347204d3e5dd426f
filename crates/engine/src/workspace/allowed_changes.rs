//! Allowed actions of a session that the next review must know: moved branches, files that git does not show,
//! instructions for agents.

use std::collections::{BTreeMap, BTreeSet};

use vcs::CommitId;

use crate::RunError;
use crate::run_files::deadline;
use crate::workspace::core::Workspace;
use crate::workspace::fingerprints::{self, Fingerprints};
use crate::workspace::instruction_files::{self, is_instruction};
use crate::workspace::notice::{Actor, NoticeOrigin};
use crate::workspace::session_work::SessionWork;

/// Refs that make git show other objects than the committed ones.
const REPLACE: &str = "refs/replace/";

impl Workspace<'_> {
    /// Branches, tags, notes and stashes are never reset, because a session may use several. Existing ones that
    /// were moved are reported.
    pub(crate) fn report_branches(&mut self, origin: &NoticeOrigin<'_>) -> Result<(), RunError> {
        let now = self.tree.branches_and_tags(deadline())?;
        let own = format!("refs/heads/{}", self.baseline.branch);
        let before = self.known.refs.replace(now.clone()).unwrap_or_default();
        self.report_misleading(origin, &before, &now)?;
        let moved = before.iter().filter(|(name, at)| **name != own && now.get(*name) != Some(at));
        let moved: Vec<&str> = moved.map(|(name, _)| name.as_str()).collect();
        let what = "moved or removed existing branches, tags, notes or stashes; left as they are";
        self.notice(origin, what, &moved);
        Ok(())
    }

    /// Refs that show a reviewer other commits or files than the judged ones.
    fn report_misleading(
        &mut self,
        origin: &NoticeOrigin<'_>,
        before: &BTreeMap<String, String>,
        now: &BTreeMap<String, String>,
    ) -> Result<(), RunError> {
        let new = || now.iter().filter(|(name, at)| before.get(*name) != Some(at));
        let replacements: Vec<&str> =
            new().map(|(name, _)| name.as_str()).filter(|it| it.starts_with(REPLACE)).collect();
        for name in &replacements {
            self.tree.remove_ref(name, deadline())?;
        }
        if !replacements.is_empty() {
            if let Some(refs) = &mut self.known.refs {
                refs.retain(|name, _| !name.starts_with(REPLACE));
            }
            let what = "made git show other objects than the committed ones; removed";
            self.notice(origin, what, &replacements);
        }
        let is_misleading = |name: &&str| {
            name.strip_prefix("refs/tags/")
                .is_some_and(|tag| tag == "HEAD" || now.contains_key(&format!("refs/heads/{tag}")))
        };
        let tags: Vec<&str> = new().map(|(name, _)| name.as_str()).filter(is_misleading).collect();
        let what = "created tags with the names of branches, which git prefers";
        self.notice(origin, what, &tags);
        Ok(())
    }

    /// `now` lists the paths that git ignores after a session or a check.
    pub(crate) fn report_ignored(
        &mut self,
        origin: &NoticeOrigin<'_>,
        now: &[String],
    ) -> Result<(), RunError> {
        let layout = self.layout;
        let before = std::mem::take(&mut self.known.ignored);
        let moved = self.move_new_instructions(origin, now, &before)?;
        let is_other = |path: &&String| {
            !before.contains(*path)
                && !layout.is_runtime(path)
                && !is_own_folder(path)
                && !is_instruction(path)
        };
        // Build outputs of checks are expected.
        let builds = origin.actor == Actor::Check;
        let others: Vec<&String> = now.iter().filter(is_other).collect();
        if !builds {
            self.notice(origin, "created files that git ignores and no commit contains", &others);
        }
        let is_left = |path: &&String| !moved.contains(path);
        self.known.ignored = now.iter().filter(is_left).cloned().collect();
        if builds {
            self.known.ignored.extend(before);
        }
        self.report_instructions_outside(origin);
        Ok(())
    }

    /// Moves new ignored instruction files away, so that no reviewer reads them, and returns them. The state has
    /// the known ones, also after a runner was killed.
    pub(crate) fn move_new_instructions(
        &mut self,
        origin: &NoticeOrigin<'_>,
        now: &[String],
        before: &BTreeSet<String>,
    ) -> Result<Vec<String>, RunError> {
        let layout = self.layout;
        let known = self.baseline.instructions.clone().unwrap_or_default();
        // git lists a wholly ignored folder without its files. Protected files are restored elsewhere.
        let protected = layout.protected_names().into_iter();
        let protected: Vec<String> =
            protected.filter(|name| vcs::on_disk(layout.root(), name).exists()).collect();
        let is_known = |path: &String| {
            let folder = format!("{}/", path.trim_end_matches('/'));
            let is_in = |file: &String| file == path || file.starts_with(&folder);
            before.contains(path) || known.keys().chain(&protected).any(is_in)
        };
        let is_new = |path: &&String| {
            is_instruction(path)
                && !is_known(path)
                && !layout.is_runtime(path)
                && !is_own_folder(path)
        };
        let mut moved: Vec<String> = now.iter().filter(is_new).cloned().collect();
        for path in &moved {
            self.move_away(path, origin.folder)?;
        }
        let left = now.iter().filter(|path| !moved.contains(path));
        let mut instructions = self.ignored_instructions(left);
        let changed = fingerprints::changed(&known, &instructions);
        for path in fingerprints::added(&known, &instructions) {
            self.move_away(&path, origin.folder)?;
            instructions.remove(&path);
            moved.push(path);
        }
        self.baseline.instructions = Some(instructions);
        let folder = layout.name_of(&origin.folder.join("moved"));
        let what = format!("created instructions for agents that git ignores; moved to {folder}");
        self.notice(origin, &what, &moved);
        let what = "changed instructions for agents that git ignores and no commit contains";
        self.notice(origin, what, &changed);
        Ok(moved)
    }

    /// For a session whose runner was killed and which belongs to no unjudged iteration.
    pub(crate) fn move_unjudged_instructions(
        &mut self,
        known: Fingerprints,
    ) -> Result<(), RunError> {
        let folder = self.layout.run_dir(&self.run_id);
        let who = "a session whose runner was killed".to_owned();
        let origin = NoticeOrigin { actor: Actor::Session, who, story: None, folder: &folder };
        self.baseline.instructions = Some(known);
        let now = self.tree.state(deadline())?.ignored;
        self.move_new_instructions(&origin, &now, &BTreeSet::new()).map(drop)
    }

    /// Without the protected files, whose change is a finding.
    pub(crate) fn ignored_instructions<'a>(
        &self,
        paths: impl Iterator<Item = &'a String>,
    ) -> Fingerprints {
        let mut found = instruction_files::ignored(self.layout.root(), paths);
        for protected in self.layout.protected_names() {
            found.remove(&protected);
        }
        found
    }

    /// Files outside the project belong to the user: they are reported and not changed.
    fn report_instructions_outside(&mut self, origin: &NoticeOrigin<'_>) {
        let now = instruction_files::outside(self.layout.root());
        let Some(before) = self.known.instructions_outside.replace(now.clone()) else {
            return;
        };
        let mut changed = fingerprints::changed(&before, &now);
        changed.extend(fingerprints::added(&before, &now));
        let what = "changed instructions for agents outside the project; left as they are";
        self.notice(origin, what, &changed);
    }

    /// Reports files that the review must check carefully.
    pub(crate) fn report_files(
        &mut self,
        work: &SessionWork<'_>,
        head: &CommitId,
    ) -> Result<(), RunError> {
        let proofs = &mut self.known.proofs;
        let committed = self.tree.paths_changed(proofs, work.checkpoint, head, deadline())?;
        let instructions: Vec<&String> =
            committed.iter().filter(|path| is_instruction(path)).collect();
        self.notice(&work.origin(), "changed instructions for agents", &instructions);
        self.report_uncommitted(&work.origin(), head, &committed)
    }

    /// The user's uncommitted files stay as they are, and checks use them. `committed` lists the paths that were
    /// committed since the last comparison.
    pub(crate) fn report_uncommitted(
        &mut self,
        origin: &NoticeOrigin<'_>,
        head: &CommitId,
        committed: &[String],
    ) -> Result<(), RunError> {
        let now = fingerprints::of_files(self.layout.root(), &self.baseline.dirty_before);
        let before = std::mem::replace(&mut self.known.uncommitted, now.clone());
        let mut changed = fingerprints::changed(&before, &now);
        let users = committed.iter().filter(|path| self.baseline.is_dirty_before(path));
        changed.extend(users.cloned());
        if changed.is_empty() {
            return Ok(());
        }
        changed.sort();
        changed.dedup();
        let proofs = &mut self.known.proofs;
        let unlike = self.tree.differing_files(proofs, head, &changed, deadline())?;
        let what = "changed or removed files that the user had left uncommitted; the checks use the files on disk, \
                    which no commit contains";
        self.notice(origin, what, &unlike);
        Ok(())
    }
}

/// The runner's folders, which git lists as a whole if the project ignores them, and a folder of Claude Code that
/// git ignores in every repository.
fn is_own_folder(path: &str) -> bool {
    matches!(
        path,
        ".ralph/" | ".ralph/runs/" | ".ralph/orders/" | ".ralph/memory/" | ".claude/.cc-writes/"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_folder_of_claude_code_is_no_instruction() {
        assert!(is_own_folder(".claude/.cc-writes/"));
        assert!(!is_own_folder(".claude/") && !is_own_folder(".claude/rules/"));
    }
}
