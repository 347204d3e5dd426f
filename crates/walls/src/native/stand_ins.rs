//! Files that are not there, and that git must not trip over.
//!
//! On Linux the sandbox keeps commands from making certain files in the project by laying a device over
//! each of those names. git sees them as new files that it cannot add: `git add -A` fails. So commands
//! in the sandbox get a list of ignored files with those names in it.

/// A real folder of that name is not ignored, only a thing that is no folder.
const FOLDERS: [&str; 9] = [
    ".idea",
    ".vscode",
    ".claude/agents",
    ".claude/commands",
    ".claude/hooks",
    ".claude/output-styles",
    ".claude/routines",
    ".claude/skills",
    ".claude/workflows",
];

const FILES: [&str; 14] = [
    ".bash_profile",
    ".bashrc",
    ".claude/launch.json",
    ".claude/loop.md",
    ".claude/scheduled_tasks.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gitconfig",
    ".gitmodules",
    ".mcp.json",
    ".profile",
    ".ripgreprc",
    ".zprofile",
    ".zshrc",
];

/// From the project's root.
pub fn stand_in_names() -> impl Iterator<Item = &'static str> {
    FOLDERS.into_iter().chain(FILES)
}

/// The user's own list of ignored files for all repositories, followed by the names of the
/// stand-ins. `project` is where the project lies in its repository: empty, or ending in `/`.
/// Files that are tracked are not ignored, whatever their names.
pub fn with_stand_ins(users_own: &str, project: &str) -> String {
    let mut text = users_own.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let project = literal(project);
    for folder in FOLDERS {
        text.push_str(&format!("/{project}{folder}\n!/{project}{folder}/\n"));
    }
    for file in FILES {
        text.push_str(&format!("/{project}{file}\n"));
    }
    text
}

/// In a list of ignored files these would stand for something else.
fn literal(path: &str) -> String {
    let escaped = path.chars().flat_map(|letter| {
        let special = matches!(letter, '*' | '?' | '[' | '\\');
        special.then_some('\\').into_iter().chain([letter])
    });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_list_comes_first_and_whole() {
        let text = with_stand_ins("*.swp", "");
        assert!(text.starts_with("*.swp\n/.idea\n!/.idea/\n"), "{text}");
        assert!(text.ends_with("\n/.zshrc\n"), "{text}");
        assert!(with_stand_ins("", "").starts_with("/.idea\n"));
    }

    #[test]
    fn a_project_in_a_folder_of_its_repository_has_its_stand_ins_there() {
        let text = with_stand_ins("", "apps/[new]/");
        assert!(text.contains("\n/apps/\\[new]/.bashrc\n"), "{text}");
        assert!(text.lines().all(|line| line.trim_start_matches('!').starts_with("/apps/")));
    }
}
