//! A check of the task list: a command, or an object with a command, the paths that it checks and its time limit.

use json_reader::{FieldPath, Json, Leaf};
use run_options::{Guardrail, TimeSpan, is_path_pattern};
use serde::{Deserialize, Serialize};

use crate::leaves::SENTENCE;
use crate::problem::ObjectReader;
use crate::show;

pub(crate) const CHECKS: &str = "verifyCommands";

const KEYS: [&str; 3] = ["run", "paths", "timeout"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct VerifyCommand {
    pub run: String,
    /// Patterns of files. A step that changes none of them does not run the command; without patterns each step does.
    pub paths: Vec<String>,
    pub timeout: Option<TimeSpan>,
}

/// As in the task list.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Command(String),
    Object {
        run: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<TimeSpan>,
    },
}

impl From<Written> for VerifyCommand {
    fn from(written: Written) -> Self {
        match written {
            Written::Command(run) => Self { run, paths: Vec::new(), timeout: None },
            Written::Object { run, paths, timeout } => Self { run, paths, timeout },
        }
    }
}

impl From<VerifyCommand> for Written {
    fn from(VerifyCommand { run, paths, timeout }: VerifyCommand) -> Self {
        match timeout.is_none() && paths.is_empty() {
            true => Self::Command(run),
            false => Self::Object { run, paths, timeout },
        }
    }
}

impl From<String> for VerifyCommand {
    fn from(command: String) -> Self {
        Written::Command(command).into()
    }
}

impl From<&str> for VerifyCommand {
    fn from(command: &str) -> Self {
        command.to_owned().into()
    }
}

impl VerifyCommand {
    pub fn guardrail(&self) -> Guardrail {
        Guardrail {
            paths: self.paths.clone(),
            time_limit: self.timeout,
            ..Guardrail::of_command(&self.run)
        }
    }

    /// As in the task list, for messages.
    pub(crate) fn shown(&self) -> String {
        match Written::from(self.clone()) {
            Written::Command(command) => show::quoted(&command),
            object @ Written::Object { .. } => {
                let text = serde_json::to_string(&object).unwrap_or_default();
                show::shortened(text)
            }
        }
    }
}

/// The checks of a list; those that cannot be read are reported.
pub(crate) fn read_checks(top: &mut ObjectReader<'_, '_>) -> Vec<VerifyCommand> {
    let items = top.array(CHECKS).unwrap_or_default().iter().enumerate();
    let read = items.filter_map(|(index, item)| {
        let field = FieldPath::Item(CHECKS, index);
        match item {
            Json::Object(_) => {
                read_object(ObjectReader::of(Some(item), &top.place, field, top.problems)?)
            }
            _ => top.read(field, Some(item), &COMMAND).map(VerifyCommand::from),
        }
    });
    read.collect()
}

fn read_object(mut fields: ObjectReader<'_, '_>) -> Option<VerifyCommand> {
    let run = fields.required("run", SENTENCE);
    let paths = fields.items("paths", PATTERN).unwrap_or_default();
    let timeout = fields.optional("timeout", TIME);
    let unknown = fields.entries.iter().find(|(key, _)| !KEYS.contains(&key.as_str()));
    if let Some((key, _)) = unknown {
        let (field, found) = (FieldPath::Named("keys"), show::quoted(key));
        fields.problems.push_field(&fields.place, field, "run, paths and timeout only", found);
    }
    Some(VerifyCommand { run: run?, paths, timeout })
}

const COMMAND: Leaf<String> = Leaf::new("a command, or an object with a command as run", |json| {
    json.text().map(str::to_owned)
});

const TIME: Leaf<TimeSpan> = Leaf::new("a time such as \"5m\"", |json| json.text()?.parse().ok());

const PATTERN: Leaf<String> =
    Leaf::new("a pattern such as \"web/**\", relative to the project folder", |json| {
        json.text().filter(|text| is_path_pattern(text)).map(str::to_owned)
    });
