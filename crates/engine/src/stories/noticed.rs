//! What a session did that is allowed and that the next review has to know: branches that it moved, files
//! that git does not show, texts that instruct agents.

use std::collections::{BTreeMap, BTreeSet};

use vcs::CommitId;

use crate::RunError;
use crate::house::deadline;
use crate::stories::iteration::Iteration;
use crate::stories::notice::Origin;
use crate::stories::run::Run;

/// Files that agents read as instructions, in any folder.
const INSTRUCTIONS: [&str; 5] =
    ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"];

/// Folders whose files they read so, and one file with a place of its own.
const INSTRUCTION_FOLDERS: [&str; 2] = [".claude/", ".cursor/rules/"];
/// Where git keeps the names of objects that it shows in place of others.
const REPLACE: &str = "refs/replace/";

const COPILOT: &str = ".github/copilot-instructions.md";

impl Run<'_> {
    /// Branches and tags are never reset: a session may work with several. One that was there and was moved
    /// is named.
    pub(crate) fn report_branches(&mut self, origin: &Origin<'_>) -> Result<(), RunError> {
        let now = self.tree.branches_and_tags(deadline())?;
        let own = format!("refs/heads/{}", self.state.branch);
        let before = self.repository.refs.replace(now.clone()).unwrap_or_default();
        self.report_misleading(iteration, &before, &now)?;
        let moved = before.iter().filter(|(name, at)| **name != own && now.get(*name) != Some(at));
        let moved: Vec<&str> = moved.map(|(name, _)| name.as_str()).collect();
        if !moved.is_empty() {
            let what = "moved or removed branches or tags of others; left as they are";
            self.notice(origin, what, &moved);
        }
        Ok(())
    }

    /// Names that show a reviewer other commits and files than the ones that are judged.
    fn report_misleading(
        &mut self,
        iteration: &Iteration,
        before: &BTreeMap<String, String>,
        now: &BTreeMap<String, String>,
    ) -> Result<(), RunError> {
        let new = || now.iter().filter(|(name, at)| before.get(*name) != Some(at));
        let replacements: Vec<&str> =
            new().map(|(name, _)| name.as_str()).filter(|it| it.starts_with(REPLACE)).collect();
        for name in &replacements {
            self.tree.remove_ref(name, deadline())?;
        }
        let label = iteration.label();
        if !replacements.is_empty() {
            self.repository
                .refs
                .iter_mut()
                .for_each(|refs| refs.retain(|name, _| !name.starts_with(REPLACE)));
            let list = listed(&replacements);
            self.notice(
                Some(iteration),
                format!("{label} had git show other objects than those that are committed; removed: {list}"),
            );
        }
        let is_misleading = |name: &&str| {
            name.strip_prefix("refs/tags/")
                .is_some_and(|tag| tag == "HEAD" || now.contains_key(&format!("refs/heads/{tag}")))
        };
        let tags: Vec<&str> = new().map(|(name, _)| name.as_str()).filter(is_misleading).collect();
        if !tags.is_empty() {
            let list = listed(&tags);
            self.notice(
                Some(iteration),
                format!(
                    "{label} made tags with the names of branches, which git takes first: {list}"
                ),
            );
        }
        Ok(())
    }

    /// `now` is what git ignores after the session. Instructions among it that are new are moved away, so
    /// that no reviewer reads them.
    pub(crate) fn report_ignored(
        &mut self,
        iteration: &Iteration,
        now: &[String],
    ) -> Result<(), RunError> {
        let layout = self.layout;
        let before = std::mem::replace(
            &mut self.repository.ignored,
            now.iter().cloned().collect::<BTreeSet<String>>(),
        );
        let is_new = |path: &&String| {
            !before.contains(*path) && !layout.is_runtime(path) && !is_own_folder(path)
        };
        let (instructions, others): (Vec<&String>, Vec<&String>) =
            now.iter().filter(is_new).partition(|path| is_instruction(path));
        for path in &instructions {
            self.move_away(path, &iteration.folder)?;
        }
        let origin = iteration.origin();
        if !instructions.is_empty() {
            let folder = layout.name_of(&iteration.folder.join("moved"));
            let what =
                format!("created instructions for agents that git ignores; moved to {folder}");
            self.notice(&origin, &what, &instructions);
        }
        if !others.is_empty() {
            self.notice(&origin, "created files that git ignores and no commit shows", &others);
        }
        Ok(())
    }

    pub(crate) fn report_instructions(
        &mut self,
        iteration: &Iteration,
        head: &CommitId,
    ) -> Result<(), RunError> {
        let proofs = &mut self.repository.proofs;
        let changed = self.tree.paths_changed(proofs, &iteration.checkpoint, head, deadline())?;
        let changed: Vec<String> =
            changed.into_iter().filter(|path| is_instruction(path)).collect();
        if !changed.is_empty() {
            self.notice(&iteration.origin(), "changed instructions for agents", &changed);
        }
        Ok(())
    }
}

/// The runner's own, with its folders: named by git as a whole where the project ignores all of it. And one
/// that Claude Code makes for itself and has git ignore in every repository of the user; no agent reads
/// instructions there.
fn is_own_folder(path: &str) -> bool {
    matches!(
        path,
        ".ralph/" | ".ralph/runs/" | ".ralph/orders/" | ".ralph/memory/" | ".claude/.cc-writes/"
    )
}

fn is_instruction(path: &str) -> bool {
    let inside = format!("/{path}");
    let in_folder = |folder: &str| inside.contains(&format!("/{folder}"));
    let name = path.rsplit('/').next().unwrap_or_default();
    INSTRUCTIONS.iter().any(|known| known.eq_ignore_ascii_case(name))
        || INSTRUCTION_FOLDERS.into_iter().any(in_folder)
        || path == COPILOT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_claude_code_makes_for_itself_is_no_instruction_of_a_session() {
        assert!(is_own_folder(".claude/.cc-writes/"));
        assert!(!is_own_folder(".claude/") && !is_own_folder(".claude/rules/"));
    }

    #[test]
    fn what_agents_read_as_instructions_is_known() {
        for path in [
            "CLAUDE.md",
            "sub/claude.local.md",
            "AGENTS.md",
            "GEMINI.md",
            ".claude/",
            ".claude/rules/x.md",
            "sub/.claude/agents/x.md",
            ".cursor/rules/x.mdc",
            ".github/copilot-instructions.md",
        ] {
            assert!(is_instruction(path), "{path}");
        }
        for path in ["README.md", "src/CLAUDE.md.rs", ".github/workflows/x.yml", "claude/x"] {
            assert!(!is_instruction(path), "{path}");
        }
    }
}
