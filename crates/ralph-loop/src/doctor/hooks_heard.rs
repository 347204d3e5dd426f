//! Settings of Claude Code that switch hooks off. They are only looked at: the user's, the project's
//! and those that whoever manages the machine has set.

use std::path::{Path, PathBuf};

use super::check::{Check, Fix, Id};
use super::claude_files;

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
    let own = claude_files::folder().map(|folder| folder.join("settings.json"));
    let files = own.into_iter().chain(project.iter().cloned());
    files.flat_map(of_user_or_project).chain(of_machine(&managed())).collect()
}

fn managed() -> PathBuf {
    PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    })
}

fn of_user_or_project(file: PathBuf) -> Option<SwitchedOff> {
    let key = "disableAllHooks";
    // A file that is not there or makes no sense switches nothing off.
    let is_on = claude_files::read(&file).is_some_and(|settings| settings[key] == true);
    is_on.then_some(SwitchedOff { owner: Owner::UserOrProject, file, key })
}

/// `managed-settings.json`, then the files of `managed-settings.d` by their names: of each key the last
/// word counts.
fn of_machine(folder: &Path) -> Vec<SwitchedOff> {
    let entries = std::fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.insert(0, folder.join("managed-settings.json"));
    let last_word = |key: &'static str| {
        let said = |file: &PathBuf| claude_files::read(file)?[key].as_bool();
        let (file, is_on) = files.iter().rev().find_map(|file| Some((file, said(file)?)))?;
        is_on.then(|| SwitchedOff { owner: Owner::Machine, file: file.clone(), key })
    };
    ["disableAllHooks", "allowManagedHooksOnly"].into_iter().filter_map(last_word).collect()
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

    fn users(settings: &str) -> Check {
        let dir = assert_fs::TempDir::new().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, settings).unwrap();
        judge(of_user_or_project(file).as_slice())
    }

    /// Files of the folder with the settings of a machine.
    fn machines(files: &[(&str, &str)]) -> Check {
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("managed-settings.d")).unwrap();
        for (name, settings) in files {
            std::fs::write(dir.path().join(name), settings).unwrap();
        }
        judge(&of_machine(dir.path()))
    }

    #[test]
    fn only_what_is_switched_on_switches_hooks_off() {
        assert_eq!(users(r#"{"disableAllHooks": true}"#).state, State::Warning);
        for harmless in ["", "{}", "[]", "{", r#"{"disableAllHooks": false}"#] {
            assert_eq!(users(harmless).state, State::Ok, "{harmless}");
        }
        let only_managed = r#"{"allowManagedHooksOnly": true}"#;
        assert_eq!(users(only_managed).state, State::Ok);
        assert_eq!(machines(&[("managed-settings.json", only_managed)]).state, State::Problem);
    }

    #[test]
    fn the_settings_of_a_machine_come_in_pieces_and_the_last_word_counts() {
        let (on, off) = (r#"{"disableAllHooks": true}"#, r#"{"disableAllHooks": false}"#);
        let base = ("managed-settings.json", off);
        let check = machines(&[base, ("managed-settings.d/10-hooks.json", on)]);
        assert_eq!(check.state, State::Problem);
        assert!(check.found.contains("managed-settings.d/10-hooks.json"), "{check:?}");
        let taken_back = [
            base,
            ("managed-settings.d/10-hooks.json", on),
            ("managed-settings.d/20.json", off),
            ("managed-settings.d/30.json", "{}"),
            ("managed-settings.d/40.json.bak", on),
        ];
        assert_eq!(machines(&taken_back).state, State::Ok);
    }

    #[test]
    fn the_file_is_named() {
        let check = users(r#"{"disableAllHooks": true}"#);
        assert!(check.found.contains("settings.json"), "{check:?}");
        assert!(check.fix.unwrap().text().starts_with("remove disableAllHooks from /"));
    }
}
