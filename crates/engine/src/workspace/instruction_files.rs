//! Files that agents read as instructions, with fingerprints of those that no commit covers, to detect changes by
//! a session or a check.

use std::path::{Path, PathBuf};

use project::env;

use crate::workspace::fingerprints::{Fingerprints, fingerprint};

/// File names, in any folder.
const FILES: [&str; 12] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENT.md",
    "GEMINI.md",
    ".mcp.json",
    ".cursorrules",
    ".windsurfrules",
    "opencode.json",
    "opencode.jsonc",
    "copilot-instructions.md",
];

/// Folders whose whole contents count, in any folder.
const FOLDERS: [&str; 7] = [
    ".claude/",
    ".codex/",
    ".gemini/",
    ".opencode/",
    ".cursor/",
    ".windsurf/",
    ".github/instructions/",
];

/// `.clinerules`, `.cline/`, `.clineignore` and the like.
const CLINE: &str = ".cline";

/// Files that agents create in those folders and never read as instructions: Claude Code's record of writes and
/// work trees, opencode's packages.
const MADE_BY_AGENTS: [&str; 7] = [
    "/.claude/.cc-writes/",
    "/.claude/worktrees/",
    "/.opencode/node_modules/",
    "/.opencode/package.json/",
    "/.opencode/package-lock.json/",
    "/.opencode/bun.lock/",
    "/.opencode/.gitignore/",
];

/// Relative to the user's home.
const IN_HOME: [&str; 5] = [
    ".claude/CLAUDE.md",
    ".claude/settings.json",
    ".codex/AGENTS.md",
    ".gemini/GEMINI.md",
    ".config/opencode/AGENTS.md",
];

/// In each parent folder of the project.
const IN_PARENTS: [&str; 3] = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];

/// Limits for one ignored folder.
const MOST_FILES: usize = 2000;
const DEEPEST: usize = 8;

/// `path` is a path from git, with a trailing slash for a folder.
pub(crate) fn is_instruction(path: &str) -> bool {
    let inside = format!("/{}/", path.trim_end_matches('/')).to_lowercase();
    if MADE_BY_AGENTS.iter().any(|own| inside.contains(own)) {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    FILES.iter().any(|known| known.eq_ignore_ascii_case(name))
        || FOLDERS.iter().any(|folder| inside.contains(&format!("/{folder}")))
        || inside.contains(&format!("/{CLINE}"))
}

/// Fingerprints of ignored files in the project. git lists a wholly ignored folder without its files.
pub(crate) fn ignored<'a>(root: &Path, paths: impl Iterator<Item = &'a String>) -> Fingerprints {
    let mut found = Fingerprints::new();
    for path in paths {
        if path == ".github/" {
            for inner in ["copilot-instructions.md", "instructions/"] {
                add(root, &format!("{path}{inner}"), DEEPEST, &mut found);
            }
        } else if is_instruction(path) {
            add(root, path, DEEPEST, &mut found);
        }
    }
    found
}

fn add(root: &Path, path: &str, depth: usize, found: &mut Fingerprints) {
    if found.len() >= MOST_FILES || !is_instruction(path) {
        return;
    }
    let place = vcs::on_disk(root, path);
    // Links to folders are followed, as agents do.
    let Ok(entries) = std::fs::read_dir(&place) else {
        if let Some(print) = fingerprint(&place) {
            found.insert(path.to_owned(), print);
        }
        return;
    };
    if depth == 0 {
        return;
    }
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| vcs::path_from_bytes(entry.file_name().as_encoded_bytes()).into_owned())
        .collect();
    names.sort();
    for name in names {
        add(root, &format!("{}/{name}", path.trim_end_matches('/')), depth - 1, found);
    }
}

/// Fingerprints of the well-known files outside the project that exist.
pub(crate) fn outside(root: &Path) -> Fingerprints {
    let of_home = env::home().into_iter().flat_map(|home| IN_HOME.map(|name| home.join(name)));
    let parents = root.ancestors().skip(1);
    let of_parents = parents.flat_map(|folder| IN_PARENTS.map(|name| folder.join(name)));
    let print = |path: PathBuf| Some((path.display().to_string(), fingerprint(&path)?));
    of_home.chain(of_parents).filter_map(print).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::fingerprints::{added, changed};

    #[test]
    fn instruction_files_are_recognized() {
        for path in [
            "CLAUDE.md",
            "sub/claude.local.md",
            "AGENTS.md",
            "GEMINI.md",
            ".claude/",
            ".claude",
            ".claude/rules/x.md",
            "sub/.claude/agents/x.md",
            ".cursor/rules/x.mdc",
            ".github/copilot-instructions.md",
            ".github/instructions/x.md",
            ".clinerules",
            ".clinerules/x.md",
            ".gemini/settings.json",
            ".codex/config.toml",
            ".mcp.json",
        ] {
            assert!(is_instruction(path), "{path}");
        }
        for path in [
            "README.md",
            "src/CLAUDE.md.rs",
            ".github/workflows/x.yml",
            "claude/x",
            ".claude/.cc-writes/",
            ".claude/worktrees/x/CLAUDE.md",
            ".opencode/node_modules/",
            ".opencode/bun.lock",
        ] {
            assert!(!is_instruction(path), "{path}");
        }
    }

    #[test]
    fn changed_and_added_files_of_an_ignored_folder_are_found() {
        let folder = assert_fs::TempDir::new().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let look = || ignored(folder.path(), [".claude/".to_owned(), "x".into()].iter());
        write(".claude/settings.json", "a");
        write(".claude/rules/kept.md", "a");
        write("x", "a");
        let before = look();
        write(".claude/settings.json", "b");
        write(".claude/rules/new.md", "b");
        write(".claude/worktrees/one/CLAUDE.md", "b");
        let now = look();
        assert_eq!(changed(&before, &now), [".claude/settings.json"]);
        assert_eq!(added(&before, &now), [".claude/rules/new.md"]);
    }
}
