//! What a clone of the project needs besides committed files: commands that install dependencies, and ignored files.

use std::path::Path;
use std::time::{Duration, Instant};

use vcs::WorkTree;

use super::root_files::RootFiles;
use super::verify_commands::{DetectedCheck, locked_manager};

/// Patterns of ignored files for new clones and work trees, which Claude Code reads too.
pub(crate) const WORKTREE_INCLUDE: &str = ".worktreeinclude";

const INCLUDE_HEADER: &str =
    "# Ignored files that Ralph and Claude Code copy into clones and work trees.\n";

/// Lock files other than those of JavaScript, whose package managers exclude each other.
const SETUP: [(&str, &str); 6] = [
    ("uv.lock", "uv sync"),
    ("poetry.lock", "poetry install"),
    ("pdm.lock", "pdm sync"),
    ("Pipfile.lock", "pipenv sync --dev"),
    ("Gemfile.lock", "bundle install"),
    ("composer.lock", "composer install"),
];

/// Names with settings of one machine, where git ignores them. Never dependencies or build output.
const LOCAL_FILES: [&str; 5] =
    [".envrc", ".npmrc", "local.properties", "config/master.key", "local.settings.json"];

const GIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Cargo and Go need no command: their tools download what is missing.
pub(super) fn setup(files: &RootFiles) -> Vec<DetectedCheck> {
    let node = locked_manager(files).map(|(lock, manager)| {
        let command = match manager {
            "npm" => "npm ci".to_owned(),
            "yarn" if files.has(".yarnrc.yml") => "yarn install --immutable".to_owned(),
            manager => format!("{manager} install --frozen-lockfile"),
        };
        (lock, command)
    });
    let others = SETUP.iter().filter(|(lock, _)| files.has(lock));
    let others = others.map(|(lock, command)| (*lock, (*command).to_owned()));
    let command =
        |(lock, command): (&str, String)| DetectedCheck { command, source: lock.to_owned() };
    node.into_iter().chain(others).map(command).collect()
}

/// The text of the file; `None` without such files.
pub(super) fn worktree_include(root: &Path) -> Option<String> {
    let names = proposed_include(root);
    let lines: String = names.iter().map(|name| format!("/{name}\n")).collect();
    (!lines.is_empty()).then(|| format!("{INCLUDE_HEADER}{lines}"))
}

/// Files with settings of this machine that exist and that git ignores.
pub(crate) fn proposed_include(root: &Path) -> Vec<String> {
    let Ok(tree) = WorkTree::open(root) else { return Vec::new() };
    let in_folder = |folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let folder = folder.to_owned();
        files.filter_map(move |file| Some(format!("{folder}{}", file.file_name().to_str()?)))
    };
    let mut names: Vec<String> =
        in_folder("").chain(in_folder("config/")).filter(|name| is_local(name)).collect();
    names.sort_unstable();
    tree.ignores(&names, Instant::now() + GIT_TIMEOUT).unwrap_or_default()
}

fn is_local(name: &str) -> bool {
    // A name with these characters would be another pattern.
    let is_plain = !name.contains(['*', '?', '[', '\\']) && name.trim_end() == name;
    let is_named = name == ".env"
        || name.starts_with(".env.")
        || name.starts_with("config/local.")
        || LOCAL_FILES.contains(&name);
    is_plain && is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(names: &[&str]) -> Vec<String> {
        let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "{}")).collect();
        setup(&RootFiles::of(&files)).into_iter().map(|found| found.command).collect()
    }

    #[test]
    fn lock_files_say_how_to_install() {
        for (files, expected) in [
            (&["package.json", "package-lock.json"][..], &["npm ci"][..]),
            (&["package.json", "npm-shrinkwrap.json"], &["npm ci"]),
            (&["package.json", "pnpm-lock.yaml"], &["pnpm install --frozen-lockfile"]),
            (&["package.json", "yarn.lock"], &["yarn install --frozen-lockfile"]),
            (&["package.json", "yarn.lock", ".yarnrc.yml"], &["yarn install --immutable"]),
            (&["package.json", "bun.lock"], &["bun install --frozen-lockfile"]),
            (
                &["package-lock.json", "uv.lock", "Gemfile.lock"],
                &["npm ci", "uv sync", "bundle install"],
            ),
            (&["poetry.lock"], &["poetry install"]),
            (&["Pipfile.lock", "composer.lock"], &["pipenv sync --dev", "composer install"]),
            (&["package.json"], &[]),
            (&["Cargo.lock", "Cargo.toml", "go.mod", "go.sum"], &[]),
        ] {
            assert_eq!(commands(files), expected, "{files:?}");
        }
    }

    #[test]
    fn a_declared_package_manager_needs_its_own_lock_file() {
        let manifest = ("package.json", r#"{"packageManager": "pnpm@9"}"#);
        let with = |lock| setup(&RootFiles::of(&[manifest, (lock, "")])).len();
        assert_eq!((with("pnpm-lock.yaml"), with("package-lock.json")), (1, 0));
    }

    #[test]
    fn ignored_files_of_this_machine_are_proposed() {
        let dir = assert_fs::TempDir::new().unwrap();
        let root = dir.path();
        let write = |name: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        write(".env");
        assert_eq!(proposed_include(root), [""; 0], "no repository");
        test_repo::init_for_commits(root);
        std::fs::write(
            root.join(".gitignore"),
            ".env*\n!.env.example\nconfig/local.*\nnode_modules\n*.log\n",
        )
        .unwrap();
        for name in [".env.local", ".env.example", "config/local.json", "config/app.json"] {
            write(name);
        }
        for name in ["node_modules/a/.env", "debug.log", ".envrc.d/x"] {
            write(name);
        }
        assert_eq!(proposed_include(root), [".env", ".env.local", "config/local.json"]);
        let text = worktree_include(root).unwrap();
        assert!(text.ends_with("\n/.env\n/.env.local\n/config/local.json\n"), "{text}");
        std::fs::write(root.join("list"), text).unwrap();
        let tree = WorkTree::open(root).unwrap();
        let copied = tree.ignored_and_listed(&root.join("list"), Instant::now() + GIT_TIMEOUT);
        assert_eq!(copied.unwrap(), proposed_include(root));
    }
}
