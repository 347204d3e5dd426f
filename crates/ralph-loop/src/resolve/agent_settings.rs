//! `--settings` among the user's flags for Claude Code. Claude Code accepts it only once and the runner passes its
//! own, so the user's settings are read here and merged into that.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::command_error::precondition;

const FLAG: &str = "--settings";
const LARGEST: u64 = 1024 * 1024;

/// The flags without `--settings`, and its value: a file relative to the project root, or JSON.
pub(super) fn extract(flags: Vec<OsString>, root: &Path) -> Result<(Vec<OsString>, Option<Value>)> {
    let (mut others, mut value) = (Vec::new(), None);
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        let text = flag.to_string_lossy();
        match text.strip_prefix(FLAG) {
            Some("") => value = flags.next().map(|value| value.to_string_lossy().into_owned()),
            Some(rest) if rest.starts_with('=') => value = Some(rest[1..].to_owned()),
            _ => others.push(flag),
        }
    }
    let settings = value.map(|value| read(value.trim(), root)).transpose()?;
    Ok((others, settings))
}

fn read(value: &str, root: &Path) -> Result<Value> {
    let text = if value.starts_with('{') {
        value.to_owned()
    } else {
        let bytes = bounded_read::read_file(&root.join(value), LARGEST)
            .map_err(|error| unreadable(&format!("{value}: {error}")))?;
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let settings: Value =
        serde_json::from_str(&text).map_err(|error| unreadable(&error.to_string()))?;
    if settings.is_object() { Ok(settings) } else { Err(unreadable("not a JSON object")) }
}

fn unreadable(why: &str) -> anyhow::Error {
    precondition(
        format!("cannot read {FLAG} in the agent's flags: {why}"),
        "pass a file with a JSON object, or the object itself",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken(flags: &[&str]) -> (Vec<String>, Option<Value>) {
        let flags = flags.iter().map(OsString::from).collect();
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::write(dir.path().join("own.json"), r#"{"a": 1}"#).unwrap();
        let (others, value) = extract(flags, dir.path()).unwrap();
        (others.into_iter().map(|flag| flag.into_string().unwrap()).collect(), value)
    }

    #[test]
    fn the_flag_is_removed_at_any_position_and_in_both_forms() {
        let others = ["--effort", "high"].map(String::from).to_vec();
        let a = Some(json!({ "a": 1 }));
        assert_eq!(taken(&["--effort", "high"]), (others.clone(), None));
        assert_eq!(
            taken(&["--settings", "own.json", "--effort", "high"]),
            (others.clone(), a.clone())
        );
        assert_eq!(taken(&["--effort", "high", r#"--settings={"a":1}"#]), (others, a));
        assert_eq!(taken(&["--settingsfile"]).0, ["--settingsfile"]);
    }

    #[test]
    fn unreadable_settings_are_refused() {
        for value in ["none.json", "{", "[1]", "own.json/x"] {
            let flags = vec![OsString::from("--settings"), value.into()];
            assert!(extract(flags, Path::new("/nowhere")).is_err(), "{value}");
        }
    }
}
