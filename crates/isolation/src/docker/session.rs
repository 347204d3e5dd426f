//! A session of Claude Code in a sandbox: its call on the host becomes one of `run`, which knows the
//! sandbox's credentials and hands over arguments, and neither the environment nor the input.

use std::ffi::{OsStr, OsString};

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{Cli, SandboxName};

/// How Claude Code would be called on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionCall {
    /// The first is `-p`.
    pub args: Vec<OsString>,
    pub prompt: String,
    pub variables: Vec<(OsString, OsString)>,
    /// Names of those that nobody may see; `run` takes them from its own environment.
    pub secrets: Vec<OsString>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionRefused {
    #[error("a prompt of {bytes} bytes is too long for an argument (at most {most})")]
    PromptTooLong { bytes: usize, most: usize },
    #[error("the variable {0} is not text, and cannot be told to a sandbox")]
    NotText(String),
    #[error(
        "--settings has to be JSON itself for a session in a sandbox, which does not see other files"
    )]
    SettingsNotJson,
    #[error("{0} is a secret, and this `{1}` can take it only where everyone can read it")]
    Secret(String, String),
}

/// What Linux lets one argument be, with the zero at its end.
const LONGEST: usize = 128 * 1024 - 1;

const SETTINGS: &str = "--settings";

impl SessionCall {
    /// The words for the command line of Docker Sandboxes.
    pub fn words(self, cli: &Cli, name: &SandboxName) -> Result<Vec<OsString>, SessionRefused> {
        if let (Some(secret), false) = (self.secrets.first(), cli.takes_variables()) {
            let secret = secret.to_string_lossy().into_owned();
            return Err(SessionRefused::Secret(secret, cli.to_string()));
        }
        let prompt = as_argument(self.prompt)?;
        let (mut args, settings) = without_settings(self.args)?;
        args.insert(args.len().min(1), prompt.into());
        let settings = with_variables(settings, &self.variables)?;
        if !settings.is_empty() {
            args.extend([SETTINGS.into(), Value::Object(settings).to_string().into()]);
        }
        let mut words = cli.run(name, &self.secrets);
        words.extend(args);
        Ok(words)
    }
}

/// What begins with a hyphen would be taken for an option.
fn as_argument(prompt: String) -> Result<String, SessionRefused> {
    let prompt = if prompt.starts_with('-') { format!("\n{prompt}") } else { prompt };
    match prompt.len() {
        bytes if bytes > LONGEST => Err(SessionRefused::PromptTooLong { bytes, most: LONGEST }),
        _ => Ok(prompt),
    }
}

/// Claude Code heeds only the last one, so there may be only one.
fn without_settings(
    args: Vec<OsString>,
) -> Result<(Vec<OsString>, Map<String, Value>), SessionRefused> {
    let (mut kept, mut settings) = (Vec::new(), Map::new());
    let mut args = args.into_iter();
    while let Some(argument) = args.next() {
        let text = argument.to_str();
        let value = match text.and_then(|text| text.strip_prefix(SETTINGS)) {
            Some("") => args.next().unwrap_or_default(),
            Some(rest) if rest.starts_with('=') => rest[1..].into(),
            _ => {
                kept.push(argument);
                continue;
            }
        };
        settings.extend(as_object(&value).ok_or(SessionRefused::SettingsNotJson)?);
    }
    Ok((kept, settings))
}

fn as_object(text: &OsStr) -> Option<Map<String, Value>> {
    match serde_json::from_str(text.to_str()?).ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Ours win over those of the settings: they say whose session it is.
fn with_variables(
    mut settings: Map<String, Value>,
    variables: &[(OsString, OsString)],
) -> Result<Map<String, Value>, SessionRefused> {
    if variables.is_empty() {
        return Ok(settings);
    }
    let env = settings.entry("env").or_insert_with(|| json!({}));
    let env = env.as_object_mut().ok_or(SessionRefused::SettingsNotJson)?;
    for (name, value) in variables {
        let (Some(key), Some(value)) = (name.to_str(), value.to_str()) else {
            return Err(SessionRefused::NotText(name.to_string_lossy().into_owned()));
        };
        env.insert(key.to_owned(), value.into());
    }
    Ok(settings)
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
