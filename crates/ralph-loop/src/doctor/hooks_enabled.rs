//! Finds settings of Claude Code that disable hooks: of the user, the project and the machine's administrator.

use std::path::{Path, PathBuf};

use super::check::{Check, CheckId, Fix};
use super::claude_files;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DisabledHooks {
    /// A run cannot override the administrator of the machine, only user and project.
    by_machine: bool,
    file: PathBuf,
    key: &'static str,
}

pub(crate) fn look(project: &[PathBuf]) -> Vec<DisabledHooks> {
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

fn of_user_or_project(file: PathBuf) -> Option<DisabledHooks> {
    let key = "disableAllHooks";
    // A missing or invalid file disables nothing.
    let is_on = claude_files::read(&file).is_some_and(|settings| settings[key] == true);
    is_on.then_some(DisabledHooks { by_machine: false, file, key })
}

/// `managed-settings.json`, then the files of `managed-settings.d` by name: the last file with a key wins.
fn of_machine(folder: &Path) -> Vec<DisabledHooks> {
    let entries = std::fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.insert(0, folder.join("managed-settings.json"));
    let last_value = |key: &'static str| {
        let value_in = |file: &PathBuf| claude_files::read(file)?[key].as_bool();
        let (file, is_on) = files.iter().rev().find_map(|file| Some((file, value_in(file)?)))?;
        is_on.then(|| DisabledHooks { by_machine: true, file: file.clone(), key })
    };
    ["disableAllHooks", "allowManagedHooksOnly"].into_iter().filter_map(last_value).collect()
}

pub(crate) fn judge(disabled: &[DisabledHooks]) -> Check {
    let of_machine = disabled.iter().find(|off| off.by_machine);
    let Some(DisabledHooks { by_machine, file, key }) = of_machine.or(disabled.first()) else {
        return CheckId::HooksEnabled.ok("no Claude Code settings disable hooks");
    };
    let file = file.display();
    if *by_machine {
        let found = format!("{key} in {file} disables every hook of a run");
        let fix = Fix::todo("ask the administrator of this machine to allow hooks of plugins");
        return CheckId::HooksEnabled.problem(found, fix);
    }
    let found = format!("{key} in {file}: a run overrides it, your own sessions have no hooks");
    CheckId::HooksEnabled.warning(found, Fix::todo(format!("remove {key} from {file}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

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
    fn only_enabled_settings_disable_hooks() {
        assert_eq!(users(r#"{"disableAllHooks": true}"#).state, CheckState::Warning);
        for harmless in ["", "{}", "[]", "{", r#"{"disableAllHooks": false}"#] {
            assert_eq!(users(harmless).state, CheckState::Ok, "{harmless}");
        }
        let only_managed = r#"{"allowManagedHooksOnly": true}"#;
        assert_eq!(users(only_managed).state, CheckState::Ok);
        assert_eq!(machines(&[("managed-settings.json", only_managed)]).state, CheckState::Problem);
    }

    #[test]
    fn managed_settings_are_merged_and_the_last_value_wins() {
        let (on, off) = (r#"{"disableAllHooks": true}"#, r#"{"disableAllHooks": false}"#);
        let base = ("managed-settings.json", off);
        let check = machines(&[base, ("managed-settings.d/10-hooks.json", on)]);
        assert_eq!(check.state, CheckState::Problem);
        assert!(check.found.contains("managed-settings.d/10-hooks.json"), "{check:?}");
        let taken_back = [
            base,
            ("managed-settings.d/10-hooks.json", on),
            ("managed-settings.d/20.json", off),
            ("managed-settings.d/30.json", "{}"),
            ("managed-settings.d/40.json.bak", on),
        ];
        assert_eq!(machines(&taken_back).state, CheckState::Ok);
    }

    #[test]
    fn the_file_is_shown() {
        let check = users(r#"{"disableAllHooks": true}"#);
        assert!(check.found.contains("settings.json"), "{check:?}");
        assert!(check.fix.unwrap().text().starts_with("remove disableAllHooks from /"));
    }
}
