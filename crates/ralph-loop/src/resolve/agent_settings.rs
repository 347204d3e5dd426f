//! `--settings` among the flags of Claude Code. It takes only one, and the runner has one of its own,
//! so what the user wants is read here and becomes part of that.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::command_error::precondition;

const FLAG: &str = "--settings";
const LARGEST: u64 = 1024 * 1024;

/// The flags without it, and what it says: a file from the project's root, or JSON.
pub(super) fn taken_from(
    flags: Vec<OsString>,
    root: &Path,
) -> Result<(Vec<OsString>, Option<Value>)> {
    let (mut others, mut said) = (Vec::new(), None);
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        let text = flag.to_string_lossy();
        match text.strip_prefix(FLAG) {
            Some("") => said = flags.next().map(|value| value.to_string_lossy().into_owned()),
            Some(rest) if rest.starts_with('=') => said = Some(rest[1..].to_owned()),
            _ => others.push(flag),
        }
    }
    let settings = said.map(|said| read(said.trim(), root)).transpose()?;
    Ok((others, settings))
}

fn read(said: &str, root: &Path) -> Result<Value> {
    let text = if said.starts_with('{') {
        said.to_owned()
    } else {
        let bytes = bounded_read::read_file(&root.join(said), LARGEST)
            .map_err(|error| wrong(&format!("{said}: {error}")))?;
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let settings: Value = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    if settings.is_object() { Ok(settings) } else { Err(wrong("it is no JSON object")) }
}

fn wrong(why: &str) -> anyhow::Error {
    precondition(
        format!("{FLAG} among the agent's flags cannot be read: {why}"),
        "give it a file with a JSON object, or the object itself",
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
        let (others, said) = taken_from(flags, dir.path()).unwrap();
        (others.into_iter().map(|flag| flag.into_string().unwrap()).collect(), said)
    }

    #[test]
    fn it_is_taken_out_wherever_it_stands_and_however_it_is_written() {
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
    fn what_cannot_be_read_ends_the_run_before_it_begins() {
        for said in ["none.json", "{", "[1]", "own.json/x"] {
            let flags = vec![OsString::from("--settings"), said.into()];
            assert!(taken_from(flags, Path::new("/nowhere")).is_err(), "{said}");
        }
    }
}
