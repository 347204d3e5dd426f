//! The checks that read the disk: scripts to be run, and links in paths.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::{CommandContext, Refusal};

const LARGEST_SCRIPT: u64 = 256 * 1024;

/// A script that was written during this session. Older scripts belong to the project and may run: a setup
/// script may well contain `sudo`.
pub(crate) fn script(path: &Path, since: Option<u64>) -> Option<String> {
    let began = since
        .map(Duration::from_millis)
        .and_then(|millis| SystemTime::UNIX_EPOCH.checked_add(millis));
    let written = path.metadata().and_then(|found| found.modified()).ok();
    if began.zip(written).is_some_and(|(began, written)| written < began) {
        return None;
    }
    let bytes = bounded_read::read_file(path, LARGEST_SCRIPT).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Checks a path as written and with its links resolved.
pub(crate) fn judge_write(path: &Path, context: &CommandContext) -> Option<Refusal> {
    let whole = crate::place::absolute(path, context);
    let real = CommandContext { project: resolved(&context.project), ..context.clone() };
    // A path with the real name of a linked project is inside too.
    let as_written = crate::judge_write(&whole, context);
    match (as_written, crate::judge_write(&resolved(&whole), &real)) {
        (_, Some(refusal)) => Some(refusal),
        (Some(refusal), None) if refusal.category == crate::Category::WriteOutside => None,
        (as_written, None) => as_written,
    }
}

/// Resolves the deepest existing folder and appends the rest. A dangling link is followed too, because a write
/// would go through it.
fn resolved(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 16;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let real =
            |folder: &Path| Some(folder.canonicalize().ok()?.join(path.strip_prefix(folder).ok()?));
        let Some(whole) = path.ancestors().find_map(real) else { break };
        match std::fs::read_link(&whole) {
            Ok(target) => path = whole.parent().unwrap_or(&whole).join(target),
            Err(_) => return whole,
        }
    }
    path
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_out_of_the_project_is_followed() {
        let dir = assert_fs::TempDir::new().unwrap();
        let project = dir.path().join("project");
        std::fs::create_dir(&project).unwrap();
        std::os::unix::fs::symlink("/usr", project.join("out")).unwrap();
        std::os::unix::fs::symlink("/usr/not-there", project.join("dangling")).unwrap();
        std::os::unix::fs::symlink("/etc/not-there", project.join(".x")).unwrap();
        let context = CommandContext {
            project: project.clone(),
            folder: project.clone(),
            ..CommandContext::default()
        };
        assert!(judge_write(Path::new("out/new/file"), &context).is_some());
        assert!(judge_write(Path::new("dangling"), &context).is_some());
        assert!(judge_write(Path::new("inside/new/file"), &context).is_none());
    }

    #[test]
    fn a_project_behind_a_link_is_the_same_project() {
        let dir = assert_fs::TempDir::new().unwrap();
        let real = dir.path().join("real");
        std::fs::create_dir(&real).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let context = CommandContext {
            project: link.clone(),
            folder: link.clone(),
            ..CommandContext::default()
        };
        assert!(judge_write(&real.join("x"), &context).is_none());
        assert!(judge_write(&link.join("x"), &context).is_none());
        assert!(judge_write(&real.join(".ralph-active"), &context).is_some());
    }
}
