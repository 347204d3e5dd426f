//! Which ralph-loop a shell starts, and which others are in PATH.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::ask::{Asker, VersionOutput};
use super::check::{Check, CheckId, Fix};
use crate::programs::is_program;

/// A `ralph-loop` in PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundProgram {
    path: PathBuf,
    identity: ProgramIdentity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ProgramIdentity {
    /// This program.
    This,
    Another(VersionOutput),
}

/// In the order of PATH, each file once.
pub(crate) fn look(this: &Path, path: Option<&OsStr>, asker: &Asker<'_>) -> Vec<FoundProgram> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for folder in path.iter().flat_map(std::env::split_paths) {
        let path = folder.join(format!("ralph-loop{EXE_SUFFIX}"));
        let Some(file) = path.canonicalize().ok().filter(|file| is_program(file)) else { continue };
        if seen.contains(&file) {
            continue;
        }
        let identity = if file == this {
            ProgramIdentity::This
        } else {
            ProgramIdentity::Another(asker.version(&path))
        };
        found.push(FoundProgram { path, identity });
        seen.push(file);
    }
    found
}

pub(crate) fn judge(named: &[FoundProgram], this: &Path, ours: &str) -> Check {
    let Some((first, others)) = named.split_first() else {
        let folder = super::quoted(this.parent().unwrap_or(this));
        let fix = Fix::run(format!("export PATH={folder}:\"$PATH\""));
        return Check::warning(CheckId::InPath, "no ralph-loop is in PATH", fix);
    };
    let path = first.path.display();
    let check = match &first.identity {
        ProgramIdentity::This => Check::ok(CheckId::InPath, path.to_string()),
        ProgramIdentity::Another(Ok(output)) if is_ours(output, ours) => {
            Check::ok(CheckId::InPath, format!("{path}, same version as this one"))
        }
        ProgramIdentity::Another(output) => {
            let other = output.as_deref().unwrap_or("unknown version");
            let found = format!("a shell starts {path} ({other}), not this one");
            let folder = this.parent().unwrap_or(this).display();
            let fix = format!("remove {path}, or put the folder {folder} before it in PATH");
            Check::warning(CheckId::InPath, found, Fix::todo(fix))
        }
    };
    check.with_notes(others.iter().map(|other| format!("also in PATH: {}", described(other))))
}

fn is_ours(output: &str, ours: &str) -> bool {
    output == format!("ralph-loop {ours}")
}

fn described(named: &FoundProgram) -> String {
    let path = named.path.display();
    match &named.identity {
        ProgramIdentity::This => format!("{path} (this one)"),
        ProgramIdentity::Another(Ok(output)) => format!("{path} ({output})"),
        ProgramIdentity::Another(Err(why)) => format!("{path} ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    fn found_program(path: &str, identity: ProgramIdentity) -> FoundProgram {
        FoundProgram { path: path.into(), identity }
    }

    fn judged(named: &[FoundProgram]) -> Check {
        judge(named, Path::new("/home/u/ralph/ralph-loop"), "0.2.0")
    }

    #[test]
    fn this_program_or_one_of_its_version_is_fine() {
        let this = found_program("/usr/bin/ralph-loop", ProgramIdentity::This);
        assert_eq!(judged(&[this]).state, CheckState::Ok);
        let same = found_program(
            "/usr/bin/ralph-loop",
            ProgramIdentity::Another(Ok("ralph-loop 0.2.0".into())),
        );
        assert_eq!(judged(&[same]).state, CheckState::Ok);
    }

    #[test]
    fn another_version_first_is_a_warning_with_both_paths() {
        let old = found_program(
            "/usr/bin/ralph-loop",
            ProgramIdentity::Another(Ok("ralph-loop 0.1.0".into())),
        );
        let check = judged(&[old, found_program("/x/ralph-loop", ProgramIdentity::This)]);
        assert_eq!(check.state, CheckState::Warning);
        assert!(check.found.contains("/usr/bin/ralph-loop (ralph-loop 0.1.0)"), "{check:?}");
        assert!(check.fix.unwrap().text().contains("the folder /home/u/ralph before it"));
        assert_eq!(check.notes, ["also in PATH: /x/ralph-loop (this one)"]);
    }

    #[test]
    fn the_fix_for_a_missing_program_can_be_pasted() {
        let check = judged(&[]);
        let fix = Some(Fix::run("export PATH=/home/u/ralph:\"$PATH\""));
        assert_eq!((check.state, check.fix), (CheckState::Warning, fix));
        let odd = judge(&[], Path::new("/b in $x/ralph-loop"), "0.2.0");
        assert_eq!(odd.fix, Some(Fix::run("export PATH='/b in $x':\"$PATH\"")));
    }
}
