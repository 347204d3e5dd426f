//! The plugin in Claude Code: installed, switched on, of this program's version. A run does without it.

use std::path::Path;

use serde::Deserialize;

use super::ask::{Asker, Said};
use super::check::{Check, Fix, Id};

/// One entry of `claude plugin list --json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    /// `name@marketplace`
    id: String,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    enabled: bool,
    /// Of a plugin that is used where it lies.
    #[serde(default)]
    folder_version: Option<String>,
}

pub(crate) fn look(claude: &Path, asker: &Asker<'_>) -> Said {
    asker.said(claude, &["plugin", "list", "--json"])
}

/// `said` is the list, in Claude Code's words.
pub(crate) fn judge(said: &Said, ours: &str) -> Check {
    let entries: Vec<Entry> = match said.as_deref().map(serde_json::from_str) {
        Ok(Ok(entries)) => entries,
        Ok(Err(_)) => return Check::not_checked(Id::Plugin, "its list of plugins cannot be read"),
        Err(why) => {
            return Check::not_checked(Id::Plugin, format!("it does not list its plugins: {why}"));
        }
    };
    let Some(entry) = entries.into_iter().find(|entry| entry.id.starts_with("ralph@")) else {
        return Check::ok(Id::Plugin, "not installed, and not needed: a run brings its own hooks")
            .with_notes([
                "with it, the hooks and skills are there in your own sessions too".into()
            ]);
    };
    let Entry { id, version, enabled, folder_version } = entry;
    if !enabled {
        let fix = Fix::run(format!("claude plugin enable {id}"));
        return Check::warning(Id::Plugin, format!("{id} is switched off"), fix);
    }
    match folder_version.or(version) {
        Some(version) if version == ours => Check::ok(Id::Plugin, format!("{id} {version}")),
        version => {
            let version = version.unwrap_or_else(|| "of no known version".into());
            let found = format!("{id} is {version}, this program {ours}");
            Check::warning(Id::Plugin, found, Fix::run(format!("claude plugin update {id}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn judged(list: &str) -> Check {
        judge(&Ok(list.to_owned()), "0.2.0")
    }

    /// As Claude Code 2.1.325 prints it.
    fn listed(version: &str, enabled: bool) -> String {
        format!(
            r#"[{{"id":"other@x","version":"9.9.9","scope":"user","enabled":true}},
                {{"id":"ralph@ralph","version":"{version}","scope":"user","enabled":{enabled},
                  "installPath":"/h/.claude/plugins/cache/ralph/ralph/{version}",
                  "installedAt":"2026-11-15T22:11:01.164Z","projectEnabled":{enabled}}}]"#
        )
    }

    #[test]
    fn the_installed_plugin_has_to_be_on_and_of_this_version() {
        let fine = judged(&listed("0.2.0", true));
        assert_eq!((fine.state, fine.found.as_str()), (State::Ok, "ralph@ralph 0.2.0"));
        let old = judged(&listed("0.1.0", true));
        assert_eq!(old.state, State::Warning);
        assert_eq!(old.fix, Some(Fix::run("claude plugin update ralph@ralph")));
        let off = judged(&listed("0.2.0", false));
        assert_eq!(off.fix, Some(Fix::run("claude plugin enable ralph@ralph")));
    }

    #[test]
    fn without_it_a_run_goes_on_all_the_same() {
        assert_eq!(judged("[]").state, State::Ok);
        assert_eq!(judged("nonsense").state, State::NotChecked);
        assert_eq!(judge(&Err("no such command".into()), "0.2.0").state, State::NotChecked);
    }
}
