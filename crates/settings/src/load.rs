//! Loads settings from files and flags: parse, validate, merge, record the source of each value.

use std::path::Path;

use bounded_read::{FileError, read_file};
use json_reader::{FieldPath, Json};
use serde::Serialize;
use serde::ser::SerializeMap;

use crate::flags::Flags;
use crate::isolation::rename_former_keys;
use crate::json_path::JsonPath;
use crate::merge::{self, Layer};
use crate::origin::{self, Origin};
use crate::problem::{Fault, Problem, Problems};
use crate::section::{self, Keys, Section};
use crate::settings::Settings;
use crate::settings_error::SettingsError;
use crate::source::Source;

/// Far larger than any settings file.
pub const SIZE_LIMIT: u64 = 1024 * 1024;

/// The effective settings and the source of each value. `settings --json` prints it serialized.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedSettings {
    pub settings: Settings,
    /// Each value that is set, in the order of the docs.
    pub origins: Vec<Origin>,
    /// The files that exist.
    pub files: Vec<Source>,
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
    let (settings, problems) =
        check(&Layer { source: Source::Default, document: merge::merge(&layers) });
    if !problems.is_empty() {
        return Err(SettingsError { problems });
    }
    let origins = origin::origins(&as_json(&settings), &layers);
    Ok(LoadedSettings { settings, origins, files })
}

impl LoadedSettings {
    /// The source of the value at `path`, such as `agent.model`.
    pub fn source(&self, path: &str) -> &Source {
        let origin = self.origins.iter().find(|origin| origin.path == path);
        origin.map_or(&Source::Default, |origin| &origin.source)
    }
}

fn read_layer(path: &Path) -> Result<Option<Layer>, Problem> {
    let source = Source::file(path);
    let fault = match read_file(path, SIZE_LIMIT) {
        Ok(bytes) => match parse(&bytes) {
            Ok(mut document) => {
                rename_former_keys(&mut document);
                return Ok(Some(Layer { source, document }));
            }
            Err(error) => syntax(&error),
        },
        // A link is the user's choice, so it is followed.
        Err(FileError::Absent) if path.is_symlink() => Fault::LeadsNowhere,
        Err(FileError::Absent) => return Ok(None),
        Err(error) => Fault::Unreadable(error),
    };
    Err(Problem { source, path: String::new(), fault })
}

/// Without the place at the end of the error's text, which is printed first here.
fn syntax(error: &serde_json::Error) -> Fault {
    let (line, column) = (error.line(), error.column());
    let words = error.to_string();
    let place = format!(" at line {line} column {column}");
    Fault::Syntax { line, column, what: words.strip_suffix(&place).unwrap_or(&words).to_owned() }
}

/// Without the byte order mark of an editor.
fn parse(bytes: &[u8]) -> serde_json::Result<Json> {
    serde_json::from_slice(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

fn check(layer: &Layer) -> (Settings, Vec<Problem>) {
    let mut problems = Problems::of(&layer.source);
    let mut settings = Settings::default();
    let (document, root) = (Some(&layer.document), JsonPath::default());
    if let Some(mut keys) = Keys::of(document, &root, FieldPath::Whole, &mut problems) {
        settings.read(&mut keys);
        section::finish(keys);
    }
    (settings, problems.into_found())
}

/// Through text, which keeps the order of the fields.
fn as_json(settings: &Settings) -> Json {
    let text = serde_json::to_vec(settings).unwrap_or_default();
    parse(&text).unwrap_or(Json::Null)
}

impl Serialize for LoadedSettings {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("settings", &self.settings)?;
        map.serialize_entry("origins", &Origins(&self.origins))?;
        map.serialize_entry("files", &self.files)?;
        map.end()
    }
}

struct Origins<'o>(&'o [Origin]);

impl Serialize for Origins<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|origin| (&origin.path, &origin.source)))
    }
}

#[cfg(test)]
mod tests;
