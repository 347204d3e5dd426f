//! Checks the optional plugin in Claude Code: installed, enabled, of this program's version. Reads Claude Code's files;
//! files in an unknown format are not checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::check::{Check, CheckId, Fix};
use super::{claude_files, quoted};

/// The supported format of `installed_plugins.json`.
const KNOWN_FORM: u64 = 2;

/// `plugins/installed_plugins.json`
#[derive(Deserialize)]
struct InstalledPlugins {
    version: u64,
    /// By `name@marketplace`.
    plugins: BTreeMap<String, Vec<InstalledPlugin>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InstalledPlugin {
    version: Option<String>,
    /// Only of a plugin that is installed for one project.
    project_path: Option<PathBuf>,
}

/// `folder` belongs to Claude Code, `root` is the project. Later settings in `project` override earlier ones. `ours` is
/// the version of this program.
pub(crate) fn judge(folder: &Path, root: &Path, project: &[PathBuf], ours: &str) -> Check {
    let not_installed = || {
        let check = CheckId::Plugin.ok("not installed (optional: a run brings its own hooks)");
        check.with_notes(["the plugin adds hooks and skills to your own sessions".into()])
    };
    let list = folder.join("plugins/installed_plugins.json");
    if !list.exists() {
        return not_installed();
    }
    let read = claude_files::read(&list).and_then(|list| serde_json::from_value(list).ok());
    let Some(InstalledPlugins { version: KNOWN_FORM, plugins }) = read else {
        return CheckId::Plugin.not_checked("cannot read Claude Code's list of plugins");
    };
    let is_here =
        |entry: &InstalledPlugin| entry.project_path.as_deref().is_none_or(|path| path == root);
    let ours_only = plugins.into_iter().filter(|(id, _)| id.starts_with("ralph@"));
    let mut here =
        ours_only.filter_map(|(id, entries)| Some((id, entries.into_iter().find(is_here)?)));
    let Some((id, entry)) = here.next() else { return not_installed() };
    let own = [folder.join("settings.json")];
    let settings = own.iter().chain(project).filter_map(|file| claude_files::read(file));
    let mut values = settings.filter_map(|settings| settings["enabledPlugins"][&id].as_bool());
    if values.next_back() != Some(true) {
        let fix = Fix::run(format!("claude plugin enable {}", quoted(&id)));
        return CheckId::Plugin.warning(format!("{id} is disabled"), fix);
    }
    match version_in_local_marketplace(folder, &id).or(entry.version) {
        Some(version) if version == ours => CheckId::Plugin.ok(format!("{id} {version}")),
        version => {
            let version = version.as_deref().unwrap_or("of unknown version");
            let found = format!("{id} is {version}, this program is {ours}");
            let fix = Fix::run(format!("claude plugin update {}", quoted(&id)));
            CheckId::Plugin.warning(found, fix)
        }
    }
}

/// A plugin from a local marketplace is used in place, so the version in that folder counts.
fn version_in_local_marketplace(folder: &Path, id: &str) -> Option<String> {
    let (_, marketplace) = id.split_once('@')?;
    let known = claude_files::read(&folder.join("plugins/known_marketplaces.json"))?;
    let known = known.get(marketplace)?;
    if known["source"]["source"] != "directory" {
        return None;
    }
    let place = Path::new(known["installLocation"].as_str()?);
    let manifest = claude_files::read(&place.join(".claude-plugin/plugin.json"))?;
    (manifest["name"] == "ralph").then(|| manifest["version"].as_str().map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use serde_json::{Value, json};

    use super::*;
    use crate::doctor::check::CheckState;

    /// A configuration folder of Claude Code 2.1.325.
    struct ConfigFolder(TempDir);

    impl ConfigFolder {
        fn new(entries: &Value) -> Self {
            let config = Self(TempDir::new().unwrap());
            let list = json!({ "version": 2, "plugins": { "ralph@ralph": entries } });
            config.write("plugins/installed_plugins.json", &list);
            config.write("settings.json", &json!({ "enabledPlugins": { "ralph@ralph": true } }));
            config
        }

        fn write(&self, name: &str, value: &Value) {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, value.to_string()).unwrap();
        }

        fn judged(&self) -> Check {
            let project = ["project.json", "local.json"].map(|name| self.0.path().join(name));
            judge(self.0.path(), Path::new("/p"), &project, "0.2.0")
        }
    }

    fn for_user(version: &str) -> Value {
        json!([{ "scope": "user", "installPath": "/h/.claude/plugins/cache/ralph/ralph/x",
                 "version": version, "installedAt": "2026-11-15T22:11:01.164Z" }])
    }

    #[test]
    fn the_installed_plugin_must_have_this_version() {
        let fine = ConfigFolder::new(&for_user("0.2.0")).judged();
        assert_eq!((fine.state, fine.found.as_str()), (CheckState::Ok, "ralph@ralph 0.2.0"));
        let old = ConfigFolder::new(&for_user("0.1.0")).judged();
        assert_eq!(old.state, CheckState::Warning);
        assert_eq!(old.fix, Some(Fix::run("claude plugin update ralph@ralph")));
    }

    #[test]
    fn the_settings_nearest_to_the_project_enable_it() {
        let config = ConfigFolder::new(&for_user("0.2.0"));
        config.write("project.json", &json!({ "enabledPlugins": { "ralph@ralph": false } }));
        assert_eq!(config.judged().fix, Some(Fix::run("claude plugin enable ralph@ralph")));
        config.write("local.json", &json!({ "enabledPlugins": { "ralph@ralph": true } }));
        assert_eq!(config.judged().state, CheckState::Ok);
        for name in ["project.json", "local.json", "settings.json"] {
            config.write(name, &json!({}));
        }
        assert_eq!(config.judged().state, CheckState::Warning, "disabled by default");
    }

    #[test]
    fn a_plugin_of_another_project_is_not_installed_here() {
        let of_project = |path: &str| {
            ConfigFolder::new(
                &json!([{ "scope": "project", "projectPath": path, "version": "0.1.0" }]),
            )
        };
        assert_eq!(of_project("/p").judged().state, CheckState::Warning);
        assert!(of_project("/other").judged().found.starts_with("not installed"));
    }

    #[test]
    fn a_local_marketplace_has_its_own_version() {
        let config = ConfigFolder::new(&for_user("0.1.0"));
        let place = config.0.path().join("clone");
        config.write(
            "plugins/known_marketplaces.json",
            &json!({ "ralph": { "source": { "source": "directory" }, "installLocation": place } }),
        );
        config
            .write("clone/.claude-plugin/plugin.json", &json!({"name":"ralph","version":"0.2.0"}));
        assert_eq!(config.judged().state, CheckState::Ok);
    }

    #[test]
    fn the_plugin_is_optional_and_unknown_formats_are_not_checked() {
        let nowhere = judge(Path::new("/nowhere"), Path::new("/p"), &[], "0.2.0");
        assert_eq!(nowhere.state, CheckState::Ok);
        let config = ConfigFolder::new(&json!([]));
        assert_eq!(config.judged().state, CheckState::Ok);
        for unknown in [json!({"version": 3, "plugins": {}}), json!([]), json!({"version": 2})] {
            config.write("plugins/installed_plugins.json", &unknown);
            assert_eq!(config.judged().state, CheckState::NotChecked, "{unknown}");
        }
    }

    #[test]
    fn a_name_with_shell_code_is_quoted() {
        let config = ConfigFolder::new(&json!([]));
        let list = json!({ "version": 2, "plugins": { "ralph@x; rm -rf ~": for_user("0.2.0") } });
        config.write("plugins/installed_plugins.json", &list);
        let fix = config.judged().fix;
        assert_eq!(fix, Some(Fix::run("claude plugin enable 'ralph@x; rm -rf ~'")));
    }
}
