//! Finds paths in the output of a failed command that the sandbox refused. The agent's program can print any
//! path, so the result is only a hint for the user.

use std::path::{Path, PathBuf};

use crate::policy::is_credential;
use crate::{Access, Policy, without_dots};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPath {
    pub path: PathBuf,
    pub wanted: RefusedAccess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedAccess {
    Read,
    Write,
}

const MOST: usize = 3;

/// Messages about a missing file, of the C library, Rust, Node and Python.
const ABSENT: [&str; 5] = ["No such file", "ENOENT", "os error 2)", "not found", "does not exist"];

const UNWRITABLE: [&str; 5] =
    ["Read-only file system", "EROFS", "os error 30)", "not writable", "isn't writable"];

/// Paths that `output` reports as missing although they exist outside, and those it reports as read-only.
/// Relative paths are resolved against `folder`.
pub fn refused_paths(output: &str, policy: &Policy, folder: &Path) -> Vec<RefusedPath> {
    let mut refused: Vec<RefusedPath> = Vec::new();
    for line in output.lines() {
        let wanted = match line {
            line if UNWRITABLE.iter().any(|sign| line.contains(sign)) => RefusedAccess::Write,
            line if ABSENT.iter().any(|sign| line.contains(sign)) => RefusedAccess::Read,
            _ => continue,
        };
        for path in paths_in(line, folder) {
            let found = RefusedPath { path, wanted };
            if refused.len() < MOST && !refused.contains(&found) && found.is_refused_by(policy) {
                refused.push(found);
            }
        }
    }
    refused
}

impl RefusedPath {
    fn is_refused_by(&self, policy: &Policy) -> bool {
        match (self.wanted, policy.access(&self.path)) {
            // An agent could try to make the user allow a path that it wants to read.
            (RefusedAccess::Read, Access::Private | Access::Hidden) => {
                self.path.exists() && !is_credential(&self.path)
            }
            (RefusedAccess::Write, Access::ReadOnly) => true,
            _ => false,
        }
    }
}

/// Words that start with `/` or `../`, without surrounding punctuation.
fn paths_in<'l>(line: &'l str, folder: &'l Path) -> impl Iterator<Item = PathBuf> + 'l {
    let ends_word = |letter: char| letter.is_whitespace() || "'\"`,;()[]{}<>=".contains(letter);
    line.split(ends_word).filter_map(|word| {
        let word = word.trim_end_matches([':', '.']).trim_start_matches("file://");
        let is_path = word.starts_with('/') || word.starts_with("../");
        (is_path && word.len() > 1).then(|| without_dots(&folder.join(word)))
    })
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;
    use crate::{Network, Workplace};

    #[test]
    fn a_path_is_named_if_the_sandbox_hides_it_or_keeps_it_from_being_written() {
        let dir = TempDir::new().unwrap();
        dir.child("home/fixtures/a.txt").touch().unwrap();
        dir.child("home/shop/src").create_dir_all().unwrap();
        dir.child("home/.ssh/id_ed25519").touch().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        let root = home.join("shop");
        let workplace =
            Workplace { root: root.clone(), home: Some(home.clone()), ..Workplace::default() };
        let policy = Policy::of(&workplace, Network::Open);
        let refused = |line: &str| refused_paths(line, &policy, &root);
        let fixture =
            RefusedPath { path: home.join("fixtures/a.txt"), wanted: RefusedAccess::Read };
        let named = home.join("fixtures/a.txt");
        let named = named.display();
        for line in [
            format!("cat: {named}: No such file or directory"),
            format!("Error: ENOENT: no such file or directory, open '{named}'"),
            format!("[Errno 2] No such file or directory: '{named}'\nagain: {named}: ENOENT"),
            "cat: ../fixtures/a.txt: No such file or directory".to_owned(),
        ] {
            assert_eq!(refused(&line), std::slice::from_ref(&fixture), "{line}");
        }
        let log = RefusedPath { path: "/usr/log".into(), wanted: RefusedAccess::Write };
        assert_eq!(refused("sh: 1: cannot create /usr/log: Read-only file system"), [log]);
        for line in [
            format!("opened {named}"),
            "cat: ../.ssh/id_ed25519: No such file or directory".to_owned(),
            format!("cat: {}/nothing: No such file or directory", home.display()),
            "cat: src/nothing: No such file or directory".to_owned(),
            "cat: /usr/nothing: No such file or directory".to_owned(),
        ] {
            assert_eq!(refused(&line), [], "{line}");
        }
    }
}
