//! What a session did that is allowed and that the next review has to know: branches that it moved, files
//! that git does not show, texts that instruct agents.

use std::collections::BTreeSet;

use vcs::CommitId;

use crate::RunError;
use crate::house::deadline;
use crate::stories::iteration::Iteration;
use crate::stories::repository::listed;
use crate::stories::run::Run;

/// Files that agents read as instructions, in any folder.
const INSTRUCTIONS: [&str; 5] =
    ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"];

/// Folders whose files they read so, and one file with a place of its own.
const INSTRUCTION_FOLDERS: [&str; 2] = [".claude/", ".cursor/rules/"];
const COPILOT: &str = ".github/copilot-instructions.md";

impl Run<'_> {
    /// Branches and tags are never reset: a session may work with several. One that was there and was moved
    /// is named.
    pub(crate) fn report_branches(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let now = self.tree.branches_and_tags(deadline())?;
        let own = format!("refs/heads/{}", self.state.branch);
        let before = self.repository.refs.replace(now.clone()).unwrap_or_default();
        let moved = before.iter().filter(|(name, at)| **name != own && now.get(*name) != Some(at));
        let moved: Vec<&str> = moved.map(|(name, _)| name.as_str()).collect();
        if !moved.is_empty() {
            let (label, list) = (iteration.label(), listed(&moved));
            self.notice(
                Some(iteration),
                format!(
                    "{label} moved or removed branches or tags of others; left as they are: {list}"
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
        let label = iteration.label();
        if !instructions.is_empty() {
            let (list, folder) =
                (listed(&instructions), layout.name_of(&iteration.folder.join("moved")));
            self.notice(
                Some(iteration),
                format!("{label} created instructions for agents that git ignores; moved to {folder}: {list}"),
            );
        }
        if !others.is_empty() {
            let list = listed(&others);
            self.notice(
                Some(iteration),
                format!("{label} created files that git ignores and no commit shows: {list}"),
            );
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
            let (label, list) = (iteration.label(), listed(&changed));
            self.notice(
                Some(iteration),
                format!("{label} changed instructions for agents: {list}"),
            );
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
