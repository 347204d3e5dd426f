//! From the settings to what command-guard is told.

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
        own: guard.map(|guard| own(guard, &this, root)).unwrap_or_default(),
    })
}

/// Places outside the project that may be written, as whole paths.
pub(super) fn writable(settings: &Settings, root: &Path) -> Result<Vec<PathBuf>> {
    let paths = settings.isolation.writable_paths.iter();
    paths.map(|path| whole(path, root, "isolation.writablePaths")).collect()
}

/// Places outside the project that checks may read.
pub(super) fn readable(settings: &Settings, root: &Path) -> Result<Vec<PathBuf>> {
    let paths = settings.isolation.readable_paths.iter();
    paths.map(|path| whole(path, root, "isolation.readablePaths")).collect()
}

/// From the project's root, or with `~/` from the home.
pub(super) fn whole(path: &str, root: &Path, key: &str) -> Result<PathBuf> {
    let in_home = match path {
        "~" => Some(""),
        path => path.strip_prefix("~/"),
    };
    let Some(rest) = in_home else { return Ok(without_dots(&root.join(path))) };
    let home = project::env::home().ok_or_else(|| {
        let what = format!("{key}: {path} is meant from the home, and HOME is not set");
        precondition(what, "write the whole path")
    })?;
    Ok(without_dots(&home.join(rest)))
}

/// The hooks and this program, which watches over every child, unless they are built in the very
/// project: somebody works on them.
fn own(guard: &HookPrograms, this: &Path, root: &Path) -> Vec<PathBuf> {
    let all = guard.all().into_iter().chain([this]);
    all.filter(|program| !program.starts_with(root)).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_meant_from_the_project_and_lose_their_dots() {
        let root = Path::new("/home/me/shop");
        let whole = |path| whole(path, root, "key").unwrap();
        assert_eq!(whole("../shared/./x"), Path::new("/home/me/shared/x"));
        assert_eq!(whole("/opt/cache"), Path::new("/opt/cache"));
        assert!(whole("~/cache").ends_with("cache") && !whole("~/cache").starts_with(root));
    }

    #[test]
    fn whoever_works_on_the_hooks_themselves_may_build_them() {
        let built = HookPrograms::in_folder(Path::new("/opt/ralph/target/release"));
        let this = Path::new("/opt/ralph/target/release/ralph-loop");
        let elsewhere = own(&built, this, Path::new("/home/me/shop"));
        assert_eq!(
            (&elsewhere[..3], &elsewhere[3..]),
            (&built.all().map(PathBuf::from)[..], &[this.into()][..])
        );
        assert!(own(&built, this, Path::new("/opt/ralph")).is_empty());
    }
}
