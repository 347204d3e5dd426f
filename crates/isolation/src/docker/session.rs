//! A Claude Code session in a sandbox: turns its host command into a `run` command. `run` knows the
//! sandbox's credentials and passes on arguments, but neither environment nor standard input.

use std::ffi::{OsStr, OsString};

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{Cli, SandboxName};

/// The Claude Code command on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionCall {
    /// The first is `-p`.
    pub args: Vec<OsString>,
    pub prompt: String,
    pub variables: Vec<(OsString, OsString)>,
    /// Names of secret variables, which `run` takes from its own environment.
    pub secrets: Vec<OsString>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionRefused {
    #[error("the prompt has {bytes} bytes, more than an argument can have ({most})")]
    PromptTooLong { bytes: usize, most: usize },
    #[error("the variable {0} is not UTF-8 and cannot be passed to a sandbox")]
    NotText(String),
    #[error(
        "--settings must be inline JSON for a session in a sandbox, because the sandbox cannot read other files"
    )]
    SettingsNotJson,
    #[error("cannot pass the secret {0}: this version of `{1}` would show it in the process list")]
    Secret(String, String),
}

/// Linux's limit for one argument, with its terminating zero.
const LONGEST: usize = 128 * 1024 - 1;

const SETTINGS: &str = "--settings";

impl SessionCall {
    /// The arguments for the Docker Sandboxes program.
    pub fn arguments(self, cli: &Cli, name: &SandboxName) -> Result<Vec<OsString>, SessionRefused> {
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
        let mut arguments = cli.run(name, &self.secrets);
        arguments.extend(args);
        Ok(arguments)
    }
}

/// A leading hyphen would make the prompt an option.
fn as_argument(prompt: String) -> Result<String, SessionRefused> {
    let prompt = if prompt.starts_with('-') { format!("\n{prompt}") } else { prompt };
    match prompt.len() {
        bytes if bytes > LONGEST => Err(SessionRefused::PromptTooLong { bytes, most: LONGEST }),
        _ => Ok(prompt),
    }
}

/// Removes `--settings`, because Claude Code only reads the last one.
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

/// The variables of the runner override those in the settings, because they identify the session.
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
mod tests;
