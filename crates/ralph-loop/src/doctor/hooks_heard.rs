//! Settings of Claude Code that switch hooks off. They are only looked at: the user's, the project's
//! and those that whoever manages the machine has set.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::check::{Check, Fix, Id};

const LARGEST: u64 = 1024 * 1024;

/// Whose settings a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A run's own settings stand over them.
    UserOrProject,
    /// Nothing stands over them.
    Machine,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SwitchedOff {
    owner: Owner,
    file: PathBuf,
    key: &'static str,
}

pub(crate) fn look(project: &[PathBuf]) -> Vec<SwitchedOff> {
    let configured = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let own = configured.or_else(|| std::env::home_dir().map(|home| home.join(".claude")));
    let own = own.map(|folder| folder.join("settings.json"));
    let files = own.into_iter().chain(project.iter().cloned());
    let files = files.map(|file| (Owner::UserOrProject, file));
    files
        .chain([(Owner::Machine, managed())])
        .flat_map(|(owner, file)| look_at(owner, file))
        .collect()
}

fn managed() -> PathBuf {
    let folder = if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    };
    Path::new(folder).join("managed-settings.json")
}

fn look_at(owner: Owner, file: PathBuf) -> Vec<SwitchedOff> {
    let keys: &[&'static str] = match owner {
        Owner::UserOrProject => &["disableAllHooks"],
        Owner::Machine => &["disableAllHooks", "allowManagedHooksOnly"],
    };
    // A file that is not there or makes no sense switches nothing off.
    let read = bounded_read::read_file(&file, LARGEST).ok();
    let settings: Value =
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let on = keys.iter().filter(|key| settings[**key] == true);
    on.map(|key| SwitchedOff { owner, file: file.clone(), key }).collect()
}

pub(crate) fn judge(switched_off: &[SwitchedOff]) -> Check {
    let described = |off: &SwitchedOff| format!("{} in {}", off.key, off.file.display());
    if let Some(off) = switched_off.iter().find(|off| off.owner == Owner::Machine) {
        let found = format!("{} keeps every hook of a run silent", described(off));
        let fix = Fix::todo("ask whoever manages this machine to allow the hooks of plugins");
        return Check::problem(Id::HooksHeard, found, fix);
    }
    let Some(off) = switched_off.first() else {
        return Check::ok(Id::HooksHeard, "no settings of Claude Code switch hooks off");
    };
    let found = format!("{}: a run hears its hooks, your own sessions do not", described(off));
    let fix = Fix::todo(format!("remove {} from {}", off.key, off.file.display()));
    Check::warning(Id::HooksHeard, found, fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn off(owner: Owner, settings: &str) -> Vec<SwitchedOff> {
        let dir = assert_fs::TempDir::new().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, settings).unwrap();
        look_at(owner, file)
    }

    #[test]
    fn only_what_is_switched_on_switches_hooks_off() {
        let state = |owner, settings: &str| judge(&off(owner, settings)).state;
        let user = Owner::UserOrProject;
        assert_eq!(state(user, r#"{"disableAllHooks": true}"#), State::Warning);
        assert_eq!(state(user, r#"{"allowManagedHooksOnly": true}"#), State::Ok);
        assert_eq!(state(Owner::Machine, r#"{"allowManagedHooksOnly": true}"#), State::Problem);
        for harmless in ["", "{}", "[]", "{", r#"{"disableAllHooks": false}"#] {
            assert_eq!(state(user, harmless), State::Ok, "{harmless}");
        }
    }

    #[test]
    fn the_file_is_named() {
        let check = judge(&off(Owner::UserOrProject, r#"{"disableAllHooks": true}"#));
        assert!(check.found.contains("settings.json"), "{check:?}");
        assert!(check.fix.unwrap().text().starts_with("remove disableAllHooks from /"));
    }
}
