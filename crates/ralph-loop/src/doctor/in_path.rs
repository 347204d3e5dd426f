//! Which ralph-loop a shell would start, and whether others wait behind it.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::ask::{Asker, Said};
use super::check::{Check, Fix, Id};
use crate::programs::is_program;

/// A program of the name in PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    path: PathBuf,
    who: Who,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Who {
    /// The one that runs now.
    This,
    Another(Said),
}

/// In the order of PATH, each file once.
pub(crate) fn look(this: &Path, path: Option<&OsStr>, asker: &Asker<'_>) -> Vec<Named> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for folder in path.iter().flat_map(std::env::split_paths) {
        let path = folder.join(format!("ralph-loop{EXE_SUFFIX}"));
        let Some(file) = path.canonicalize().ok().filter(|file| is_program(file)) else { continue };
        if seen.contains(&file) {
            continue;
        }
        let who = if file == this { Who::This } else { Who::Another(asker.version(&path)) };
        found.push(Named { path, who });
        seen.push(file);
    }
    found
}

pub(crate) fn judge(named: &[Named], this: &Path, ours: &str) -> Check {
    let Some((first, others)) = named.split_first() else {
        let folder = super::quoted(this.parent().unwrap_or(this));
        let fix = Fix::run(format!("export PATH={folder}:\"$PATH\""));
        return Check::warning(Id::InPath, "no ralph-loop is in PATH", fix);
    };
    let path = first.path.display();
    let check = match &first.who {
        Who::This => Check::ok(Id::InPath, path.to_string()),
        Who::Another(Ok(said)) if is_ours(said, ours) => {
            Check::ok(Id::InPath, format!("{path}, of the same version as this one"))
        }
        Who::Another(said) => {
            let other = said.as_deref().unwrap_or("does not tell its version");
            let found = format!("a shell starts {path} ({other}), not this one");
            let folder = this.parent().unwrap_or(this).display();
            let fix = format!("remove {path}, or put the folder {folder} before it in PATH");
            Check::warning(Id::InPath, found, Fix::todo(fix))
        }
    };
    check.with_notes(others.iter().map(|other| format!("behind it: {}", described(other))))
}

fn is_ours(said: &str, ours: &str) -> bool {
    said == format!("ralph-loop {ours}")
}

fn described(named: &Named) -> String {
    let path = named.path.display();
    match &named.who {
        Who::This => format!("{path} (this one)"),
        Who::Another(Ok(said)) => format!("{path} ({said})"),
        Who::Another(Err(why)) => format!("{path} ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn named(path: &str, who: Who) -> Named {
        Named { path: path.into(), who }
    }

    fn judged(named: &[Named]) -> Check {
        judge(named, Path::new("/home/u/ralph/ralph-loop"), "0.2.0")
    }

    #[test]
    fn the_one_that_runs_or_one_of_its_version_is_fine() {
        let this = named("/usr/bin/ralph-loop", Who::This);
        assert_eq!(judged(&[this]).state, State::Ok);
        let same = named("/usr/bin/ralph-loop", Who::Another(Ok("ralph-loop 0.2.0".into())));
        assert_eq!(judged(&[same]).state, State::Ok);
    }

    #[test]
    fn another_version_in_front_is_told_with_both_places() {
        let old = named("/usr/bin/ralph-loop", Who::Another(Ok("ralph-loop 0.1.0".into())));
        let check = judged(&[old, named("/x/ralph-loop", Who::This)]);
        assert_eq!(check.state, State::Warning);
        assert!(check.found.contains("/usr/bin/ralph-loop (ralph-loop 0.1.0)"), "{check:?}");
        assert!(check.fix.unwrap().text().contains("the folder /home/u/ralph before it"));
        assert_eq!(check.notes, ["behind it: /x/ralph-loop (this one)"]);
    }

    #[test]
    fn without_one_the_line_that_puts_it_there_can_be_pasted() {
        let check = judged(&[]);
        let fix = Some(Fix::run("export PATH=/home/u/ralph:\"$PATH\""));
        assert_eq!((check.state, check.fix), (State::Warning, fix));
        let odd = judge(&[], Path::new("/b in $x/ralph-loop"), "0.2.0");
        assert_eq!(odd.fix, Some(Fix::run("export PATH='/b in $x':\"$PATH\"")));
    }
}
