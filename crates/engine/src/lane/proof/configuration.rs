//! Files that decide which tests run and how they fail: those of the proof's frameworks stay as they were when the
//! tests failed.

use proof::Framework;
use vcs::{BlobContents, ChangedPath, CommitId, Entry};

use crate::RunError;
use crate::lane::core::Lane;
use crate::lane::proof::story_proof::StoryProof;
use crate::run_files::{deadline, no_commit};

const LARGEST: u64 = 1024 * 1024;

impl Lane<'_> {
    /// One sentence for each file whose relevant part changed.
    pub(super) fn changed_configuration(
        &self,
        proof: &StoryProof,
    ) -> Result<Vec<String>, RunError> {
        let Ok(red_at) = CommitId::new(&proof.red_at) else { return Ok(Vec::new()) };
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let mut frameworks: Vec<Framework> =
            proof.tests().into_iter().map(|test| test.framework).collect();
        frameworks.dedup();
        let mut found = Vec::new();
        for changed in self.workspace.tree.changes_between(&red_at, &head, deadline())? {
            let paths = [Some(&changed.path), changed.old_path.as_ref()].into_iter().flatten();
            let sides = self.sides(&changed)?;
            let [before, after] = sides.each_ref().map(|side| side.as_deref().unwrap_or_default());
            let is_changed = |framework: &Framework| {
                let run = (*framework, self.options.proof.run.as_deref());
                paths.clone().any(|path| proof::configuration_changed(run, path, before, after))
            };
            if frameworks.iter().any(is_changed) {
                found.push(format!(
                    "{} decides which tests run or how, and it changed after the tests of the proof were \
                     written. Restore it, or dispute the test",
                    changed.path
                ));
            }
        }
        Ok(found)
    }

    fn sides(&self, changed: &ChangedPath) -> Result<[Option<String>; 2], RunError> {
        let read = |side: &Option<Entry>| -> Result<Option<String>, RunError> {
            let Some(blob) = side.as_ref().and_then(Entry::blob) else { return Ok(None) };
            let contents =
                self.workspace.tree.blobs(std::slice::from_ref(blob), LARGEST, deadline())?;
            Ok(match contents.into_iter().next() {
                Some(BlobContents::Read(bytes)) => {
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                }
                // Never equal to another text.
                Some(BlobContents::TooLarge { .. }) => Some(format!("too large: {blob:?}")),
                None => None,
            })
        };
        let [before, after] = &changed.sides;
        Ok([read(before)?, read(after)?])
    }
}
