//! Loads settings from files and flags: parse, validate, merge, record the source of each value.

use std::path::Path;

use bounded_read::{FileError, read_file};
use json_reader::{FieldPath, Json, TEXT};
use serde::{Serialize, Serializer};

use crate::flags::Flags;
use crate::isolation::rename_former_keys;
use crate::json_path::JsonPath;
use crate::merge::{self, Layer};
use crate::origin::{self, Origin};
use crate::problem::Problems;
use crate::proof::write_out_word;
use crate::section::{self, Keys};
use crate::settings::Settings;
use crate::settings_error::SettingsError;
use crate::source::Source;

/// Far larger than any settings file.
pub const SIZE_LIMIT: u64 = 1024 * 1024;

/// Secrets, and what is done where the run is.
const NOT_FOR_WORKERS: [&str; 9] =
    ["env", "notifications", "telemetry", "quality", "scm", "executors", "on", "checks", "forge"];

/// The effective settings and the source of each value. `settings --json` prints it serialized.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadedSettings {
    pub settings: Settings,
    /// Each value that is set, in the order of the docs.
    #[serde(serialize_with = "sources")]
    pub origins: Vec<Origin>,
    /// The files that exist.
    pub files: Vec<Source>,
    /// The settings that a session on another machine needs, as a settings file without secrets.
    #[serde(skip)]
    pub for_workers: String,
}

/// Reads both files, which need not exist, and applies `flags` over them.
///
/// If a flag names another agent program than the files, the `agent` settings of the files are ignored, because
/// they are for the other program; likewise those of `review`.
pub fn load(base: &Path, local: &Path, flags: &Flags) -> Result<LoadedSettings, SettingsError> {
    let mut problems = Vec::new();
    let mut layers = Vec::new();
    for path in [base, local] {
        match read_layer(path) {
            Ok(Some(layer)) => {
                problems.extend(check(&layer).1);
                layers.push(layer);
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    let files = layers.iter().map(|layer| layer.source.clone()).collect();
    let flags: Vec<Layer> = flags.layers().collect();
    problems.extend(flags.iter().flat_map(|layer| check(layer).1));
    layers.extend(flags);
    if !problems.is_empty() {
        return Err(SettingsError { problems });
    }
    merge::drop_settings_of_replaced_program(&mut layers);
    let merged = Layer { source: Source::Default, document: merge::merge(&layers) };
    let (settings, problems) = check(&merged);
    if !problems.is_empty() {
        return Err(SettingsError { problems });
    }
    let origins = origin::origins(&as_json(&settings), &layers);
    Ok(LoadedSettings { settings, origins, files, for_workers: for_workers(&merged.document) })
}

impl LoadedSettings {
    /// The source of the value at `path`, such as `agent.model`.
    pub fn source(&self, path: &str) -> &Source {
        let origin = self.origins.iter().find(|origin| origin.path == path);
        origin.map_or(&Source::Default, |origin| &origin.source)
    }
}

fn for_workers(document: &Json) -> String {
    let entries = document.entries().iter();
    let kept = entries.filter(|(key, _)| !NOT_FOR_WORKERS.contains(&key.as_str()));
    Json::Object(kept.cloned().collect()).to_string()
}

fn read_layer(path: &Path) -> Result<Option<Layer>, String> {
    let source = Source::file(path);
    let fault = match read_file(path, SIZE_LIMIT) {
        Ok(bytes) => match parse(&bytes) {
            Ok(mut document) => {
                rename_former_keys(&mut document);
                write_out_word(&mut document);
                return Ok(Some(Layer { source, document }));
            }
            Err(error) => syntax(&error),
        },
        // A link is the user's choice, so it is followed.
        Err(FileError::Absent) if path.is_symlink() => "broken symbolic link".into(),
        Err(FileError::Absent) => return Ok(None),
        Err(error) => format!("cannot read the file: {error}"),
    };
    Err(format!("{source}: {fault}"))
}

/// Without the place at the end of the error's text, which is printed first here.
fn syntax(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let words = error.to_string();
    let place = format!(" at line {line} column {column}");
    let what = words.strip_suffix(&place).unwrap_or(&words);
    format!("line {line}, column {column}: invalid JSON: {what}")
}

/// Without the byte order mark of an editor.
fn parse(bytes: &[u8]) -> serde_json::Result<Json> {
    serde_json::from_slice(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

fn check(layer: &Layer) -> (Settings, Vec<String>) {
    let mut problems = Problems::of(&layer.source);
    let (document, root) = (Some(&layer.document), JsonPath::default());
    let keys = Keys::of(document, &root, FieldPath::Whole, &mut problems);
    let settings = keys.map_or_else(Settings::default, |mut keys| {
        // For editors only.
        keys.optional("$schema", TEXT);
        section::whole_section(keys)
    });
    (settings, problems.found)
}

/// Through text, which keeps the order of the fields.
fn as_json(settings: &Settings) -> Json {
    let text = serde_json::to_vec(settings).unwrap_or_default();
    parse(&text).unwrap_or(Json::Null)
}

fn sources<S: Serializer>(origins: &[Origin], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(origins.iter().map(|origin| (&origin.path, &origin.source)))
}

#[cfg(test)]
mod tests;
