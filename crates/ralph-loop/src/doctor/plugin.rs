//! The plugin in Claude Code: installed, switched on, of this program's version. A run does without it.
//! Read from Claude Code's own files; a form of them that is not known says nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::check::{Check, Fix, Id};
use super::{claude_files, quoted};

/// The form of `installed_plugins.json` that is known.
const KNOWN_FORM: u64 = 2;

/// `plugins/installed_plugins.json`
#[derive(Deserialize)]
struct Installed {
    version: u64,
    /// By `name@marketplace`.
    plugins: BTreeMap<String, Vec<Entry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    version: Option<String>,
    /// Of one that is there for a project alone.
    project_path: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    NotInstalled,
    Installed {
        id: String,
        version: Option<String>,
        switch: Switch,
    },
    /// The list is there, in a form that nobody here knows.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
}

/// `folder` is Claude Code's own, `root` the project's; of the `project`'s settings the last ones count
/// most.
pub(crate) fn look(folder: &Path, root: &Path, project: &[PathBuf]) -> Found {
    let list = folder.join("plugins/installed_plugins.json");
    if !list.exists() {
        return Found::NotInstalled;
    }
    let read = claude_files::read(&list).and_then(|list| serde_json::from_value(list).ok());
    let Some(Installed { version: KNOWN_FORM, plugins }) = read else { return Found::Unknown };
    let is_here = |entry: &Entry| entry.project_path.as_deref().is_none_or(|path| path == root);
    let ours = plugins.into_iter().filter(|(id, _)| id.starts_with("ralph@"));
    let mut ours = ours.filter_map(|(id, entries)| Some((id, entries.into_iter().find(is_here)?)));
    let Some((id, entry)) = ours.next() else { return Found::NotInstalled };
    let own = [folder.join("settings.json")];
    let settings = own.iter().chain(project).filter_map(|file| claude_files::read(file));
    let mut said = settings.filter_map(|settings| settings["enabledPlugins"][&id].as_bool());
    let said = said.next_back();
    let switch = if said == Some(true) { Switch::On } else { Switch::Off };
    let version = version_where_it_lies(folder, &id).or(entry.version);
    Found::Installed { id, version, switch }
}

/// One from a marketplace that is a folder is used where it lies, whatever was installed once.
fn version_where_it_lies(folder: &Path, id: &str) -> Option<String> {
    let (_, marketplace) = id.split_once('@')?;
    let known = claude_files::read(&folder.join("plugins/known_marketplaces.json"))?;
    let known = known.get(marketplace)?;
    if known["source"]["source"] != "directory" {
        return None;
    }
    let place = Path::new(known["installLocation"].as_str()?);
    let manifest = claude_files::read(&place.join(".claude-plugin/plugin.json"))?;
    let version = (manifest["name"] == "ralph").then(|| manifest["version"].clone())?;
    if let Value::String(version) = version { Some(version) } else { None }
}

pub(crate) fn judge(found: &Found, ours: &str) -> Check {
    let (id, version, switch) = match found {
        Found::Installed { id, version, switch } => (id, version, *switch),
        Found::NotInstalled => {
            let found = "not installed, and not needed: a run brings its own hooks";
            let note = "installed, it brings hooks and skills into your own sessions too";
            return Check::ok(Id::Plugin, found).with_notes([note.into()]);
        }
        Found::Unknown => {
            return Check::not_checked(Id::Plugin, "Claude Code's list of plugins cannot be read");
        }
    };
    if switch == Switch::Off {
        let fix = Fix::run(format!("claude plugin enable {}", quoted(id)));
        return Check::warning(Id::Plugin, format!("{id} is switched off"), fix);
    }
    match version {
        Some(version) if version == ours => Check::ok(Id::Plugin, format!("{id} {version}")),
        version => {
            let version = version.as_deref().unwrap_or("of no known version");
            let found = format!("{id} is {version}, this program {ours}");
            let fix = Fix::run(format!("claude plugin update {}", quoted(id)));
            Check::warning(Id::Plugin, found, fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use serde_json::json;

    use super::*;
    use crate::doctor::check::State;

    /// A folder as Claude Code 2.1.325 keeps it.
    struct Kept(TempDir);

    impl Kept {
        fn new(entries: &Value) -> Self {
            let kept = Self(TempDir::new().unwrap());
            let list = json!({ "version": 2, "plugins": { "ralph@ralph": entries } });
            kept.write("plugins/installed_plugins.json", &list);
            kept.write("settings.json", &json!({ "enabledPlugins": { "ralph@ralph": true } }));
            kept
        }

        fn write(&self, name: &str, value: &Value) {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, value.to_string()).unwrap();
        }

        fn judged(&self) -> Check {
            let project = ["project.json", "local.json"].map(|name| self.0.path().join(name));
            judge(&look(self.0.path(), Path::new("/p"), &project), "0.2.0")
        }
    }

    fn for_user(version: &str) -> Value {
        json!([{ "scope": "user", "installPath": "/h/.claude/plugins/cache/ralph/ralph/x",
                 "version": version, "installedAt": "2026-11-15T22:11:01.164Z" }])
    }

    #[test]
    fn the_installed_plugin_has_to_be_of_this_version() {
        let fine = Kept::new(&for_user("0.2.0")).judged();
        assert_eq!((fine.state, fine.found.as_str()), (State::Ok, "ralph@ralph 0.2.0"));
        let old = Kept::new(&for_user("0.1.0")).judged();
        assert_eq!(old.state, State::Warning);
        assert_eq!(old.fix, Some(Fix::run("claude plugin update ralph@ralph")));
    }

    #[test]
    fn the_settings_nearest_to_the_project_say_whether_it_is_on() {
        let kept = Kept::new(&for_user("0.2.0"));
        kept.write("project.json", &json!({ "enabledPlugins": { "ralph@ralph": false } }));
        assert_eq!(kept.judged().fix, Some(Fix::run("claude plugin enable ralph@ralph")));
        kept.write("local.json", &json!({ "enabledPlugins": { "ralph@ralph": true } }));
        assert_eq!(kept.judged().state, State::Ok);
        for name in ["project.json", "local.json", "settings.json"] {
            kept.write(name, &json!({}));
        }
        assert_eq!(kept.judged().state, State::Warning, "what nobody switched on is off");
    }

    #[test]
    fn one_that_is_there_for_a_project_is_there_for_no_other() {
        let of_project = |path: &str| {
            Kept::new(&json!([{ "scope": "project", "projectPath": path, "version": "0.1.0" }]))
        };
        assert_eq!(of_project("/p").judged().state, State::Warning);
        assert!(of_project("/other").judged().found.starts_with("not installed"));
    }

    #[test]
    fn one_from_a_folder_has_the_version_that_lies_there() {
        let kept = Kept::new(&for_user("0.1.0"));
        let place = kept.0.path().join("clone");
        kept.write(
            "plugins/known_marketplaces.json",
            &json!({ "ralph": { "source": { "source": "directory" }, "installLocation": place } }),
        );
        kept.write("clone/.claude-plugin/plugin.json", &json!({"name":"ralph","version":"0.2.0"}));
        assert_eq!(kept.judged().state, State::Ok);
    }

    #[test]
    fn without_it_a_run_goes_on_and_unknown_forms_say_nothing() {
        let nowhere = look(Path::new("/nowhere"), Path::new("/p"), &[]);
        assert_eq!(judge(&nowhere, "0.2.0").state, State::Ok);
        let kept = Kept::new(&json!([]));
        assert_eq!(kept.judged().state, State::Ok);
        for unknown in [json!({"version": 3, "plugins": {}}), json!([]), json!({"version": 2})] {
            kept.write("plugins/installed_plugins.json", &unknown);
            assert_eq!(kept.judged().state, State::NotChecked, "{unknown}");
        }
    }

    #[test]
    fn a_name_with_a_command_in_it_runs_nothing_when_pasted() {
        let id = "ralph@x; rm -rf ~".to_owned();
        let found = Found::Installed { id, version: None, switch: Switch::Off };
        let fix = judge(&found, "0.2.0").fix;
        assert_eq!(fix, Some(Fix::run("claude plugin enable 'ralph@x; rm -rf ~'")));
    }
}
