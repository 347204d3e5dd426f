//! Turns the settings into the rules for command-guard.

use std::path::{Path, PathBuf};

use anyhow::Result;
use engine::HookPrograms;
use os_sandbox::without_dots;
use project::{CommandRules, GuardScope, Layout};
use settings::Settings;

use crate::command_error::precondition;
use crate::programs;

pub(super) fn rules(
    layout: &Layout,
    settings: &Settings,
    guard: Option<&HookPrograms>,
) -> Result<CommandRules> {
    let root = layout.root();
    let this = programs::this_program()?;
    Ok(CommandRules {
        allow: settings.command_guard.allow.clone(),
        deny: settings.command_guard.deny.clone(),
        writable: writable(settings, root)?,
        scope: GuardScope::default(),
        ralph_dir: Some(layout.ralph_dir_name()),
        since: None,
        own: guard.map(|guard| protected_programs(guard, &this, root)).unwrap_or_default(),
    })
}

/// Absolute paths outside the project that sessions and checks may write.
pub(super) fn writable(settings: &Settings, root: &Path) -> Result<Vec<PathBuf>> {
    all_absolute(&settings.isolation.writable_paths, root, "isolation.writablePaths")
}

/// Absolute paths outside the project that checks may read.
pub(super) fn readable(settings: &Settings, root: &Path) -> Result<Vec<PathBuf>> {
    all_absolute(&settings.isolation.readable_paths, root, "isolation.readablePaths")
}

fn all_absolute(paths: &[String], root: &Path, key: &str) -> Result<Vec<PathBuf>> {
    paths.iter().map(|path| absolute(path, root, key)).collect()
}

/// Makes a path absolute: relative to the project root, or with `~/` to the home folder.
pub(super) fn absolute(path: &str, root: &Path, key: &str) -> Result<PathBuf> {
    let in_home = match path {
        "~" => Some(""),
        path => path.strip_prefix("~/"),
    };
    let Some(rest) = in_home else { return Ok(without_dots(&root.join(path))) };
    let home = project::env::home().ok_or_else(|| {
        let what = format!("{key}: cannot resolve {path}: HOME is not set");
        precondition(what, "use an absolute path")
    })?;
    Ok(without_dots(&home.join(rest)))
}

/// The hooks and this program, which no command may change. Programs built inside the project are exempt, so that
/// Ralph itself can be developed.
fn protected_programs(guard: &HookPrograms, this: &Path, root: &Path) -> Vec<PathBuf> {
    let all = guard.all().into_iter().chain([this]);
    all.filter(|program| !program.starts_with(root)).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_project_and_normalized() {
        let root = Path::new("/home/me/shop");
        let absolute = |path| absolute(path, root, "key").unwrap();
        assert_eq!(absolute("../shared/./x"), Path::new("/home/me/shared/x"));
        assert_eq!(absolute("/opt/cache"), Path::new("/opt/cache"));
        assert!(absolute("~/cache").ends_with("cache") && !absolute("~/cache").starts_with(root));
    }

    #[test]
    fn hooks_built_inside_the_project_may_be_changed() {
        let built = HookPrograms::in_folder(Path::new("/opt/ralph/target/release"));
        let this = Path::new("/opt/ralph/target/release/ralph-loop");
        let elsewhere = protected_programs(&built, this, Path::new("/home/me/shop"));
        assert_eq!(
            (&elsewhere[..3], &elsewhere[3..]),
            (&built.all().map(PathBuf::from)[..], &[this.into()][..])
        );
        assert!(protected_programs(&built, this, Path::new("/opt/ralph")).is_empty());
    }
}
