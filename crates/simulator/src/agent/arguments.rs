//! The command line of `claude -p` or of `codex exec`, as far as it changes what the agent prints.
//!
//! Ignores unknown flags, their values and positional arguments.

use std::io;
use std::path::{Path, PathBuf};

use super::claude_lines::ClaudeLines;
use super::codex_lines::CodexLines;
use super::stream::{Dialect, uuid};

/// The Claude Code version of the recorded streams.
pub(super) const VERSION: &str = "2.1.325";
const DEFAULT_MODEL: &str = "claude-opus-5-5";
const STREAM_NEEDS_VERBOSE: &str =
    "when using --print, --output-format=stream-json requires --verbose";

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Arguments {
    /// The first argument is `exec`.
    is_codex: bool,
    pub(super) format: OutputFormat,
    verbose: bool,
    pub(super) include_hook_events: bool,
    skip_permissions: bool,
    pub(super) session_id: String,
    /// The session id, if the caller chose it.
    pub(super) chosen_id: Option<String>,
    pub(super) plugin_dirs: Vec<PathBuf>,
    pub(super) model: String,
    pub(super) max_turns: Option<u64>,
    pub(super) max_budget_usd: Option<f64>,
    /// The final answer uses the tool that a JSON schema describes.
    pub(super) structured_answer: bool,
    /// If it is not on standard input.
    pub(super) prompt: Option<String>,
    /// Variables of the settings, for the session and its child processes.
    pub(super) variables: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum OutputFormat {
    #[default]
    Text,
    Json,
    StreamJson,
}

impl Arguments {
    pub(super) fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut args = args.into_iter().peekable();
        let mut parsed = Self {
            is_codex: args.next_if(|first| first == "exec").is_some(),
            session_id: uuid(),
            model: DEFAULT_MODEL.to_owned(),
            ..Self::default()
        };
        while let Some(arg) = args.next() {
            let (flag, inline) = match arg.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => (arg.as_str(), None),
            };
            let value =
                || inline.or_else(|| args.next()).ok_or_else(|| format!("{flag} needs a value"));
            if matches!(flag, "-p" | "--print") {
                parsed.prompt = args.next_if(|word| !word.starts_with('-')).or(parsed.prompt);
            } else {
                parsed.take(flag, value)?;
            }
        }
        if parsed.format == OutputFormat::StreamJson && !parsed.verbose {
            return Err(STREAM_NEEDS_VERBOSE.to_owned());
        }
        Ok(parsed)
    }

    /// In the format of Claude Code.
    pub(super) fn permission_mode(&self) -> &'static str {
        if self.skip_permissions { "bypassPermissions" } else { "default" }
    }

    /// Whose lines to print. Only Claude Code keeps a transcript.
    pub(super) fn dialect(&self, transcript: &Path) -> io::Result<Box<dyn Dialect>> {
        Ok(match self.is_codex {
            true => Box::new(CodexLines::default()),
            false => Box::new(ClaudeLines::new(self, transcript)?),
        })
    }

    fn take(
        &mut self,
        flag: &str,
        value: impl FnOnce() -> Result<String, String>,
    ) -> Result<(), String> {
        match flag {
            "--verbose" => self.verbose = true,
            "--include-hook-events" => self.include_hook_events = true,
            "--dangerously-skip-permissions" => self.skip_permissions = true,
            "--output-format" => self.format = parsed(flag, value()?)?,
            "--session-id" => {
                self.session_id = value()?;
                self.chosen_id = Some(self.session_id.clone());
            }
            "--plugin-dir" => self.plugin_dirs.push(value()?.into()),
            "--model" => self.model = value()?,
            "--max-turns" => self.max_turns = Some(parsed(flag, value()?)?),
            "--json-schema" => {
                value()?;
                self.structured_answer = true;
            }
            "--settings" => self.variables = variables(flag, value()?)?,
            "--max-budget-usd" => self.max_budget_usd = Some(parsed(flag, value()?)?),
            _ => {}
        }
        Ok(())
    }
}

/// `{"env": {…}}`, only as text, not as a file.
fn variables(flag: &str, value: String) -> Result<Vec<(String, String)>, String> {
    let settings: serde_json::Value = parsed(flag, value)?;
    let env = settings["env"].as_object().into_iter().flatten();
    let texts = env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Ok(texts.collect())
}

fn parsed<T: std::str::FromStr>(flag: &str, value: String) -> Result<T, String> {
    value.parse().map_err(|_| format!("{flag} does not take {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_flags_of_a_runner_are_understood() {
        let parsed = parse(
            "-p --output-format stream-json --verbose --include-hook-events \
             --dangerously-skip-permissions --session-id u-1 --plugin-dir /a --plugin-dir=/b \
             --model m --max-turns 7 --max-budget-usd 0.5 --json-schema {}",
        )
        .unwrap();
        assert_eq!(
            parsed,
            Arguments {
                is_codex: false,
                format: OutputFormat::StreamJson,
                verbose: true,
                include_hook_events: true,
                skip_permissions: true,
                session_id: "u-1".into(),
                chosen_id: Some("u-1".into()),
                plugin_dirs: vec!["/a".into(), "/b".into()],
                model: "m".into(),
                max_turns: Some(7),
                max_budget_usd: Some(0.5),
                structured_answer: true,
                prompt: None,
                variables: vec![],
            }
        );
    }

    #[test]
    fn codex_is_known_by_its_first_word() {
        let parsed = parse("exec --json --skip-git-repo-check -C /a -").unwrap();
        assert!(parsed.is_codex && parsed.plugin_dirs.is_empty());
        assert!(!parse("-p exec").unwrap().is_codex);
    }

    #[test]
    fn unknown_flags_take_their_values_with_them() {
        let parsed = parse("-p --effort high --settings {} --strict-mcp-config --model m").unwrap();
        assert_eq!(parsed.model, "m");
    }

    #[test]
    fn the_prompt_may_be_an_argument_and_variables_come_with_the_settings() {
        let parsed = parse(r#"-p now --settings {"env":{"A":"b"},"x":1} --model m"#).unwrap();
        assert_eq!(parsed.prompt.as_deref(), Some("now"));
        assert_eq!(parsed.variables, [("A".to_owned(), "b".to_owned())]);
        assert_eq!(parse("--dangerously-skip-permissions -p --verbose").unwrap().prompt, None);
        assert!(parse("--settings /a/file.json").is_err());
    }

    #[test]
    fn arguments_that_the_real_program_refuses_are_refused() {
        assert_eq!(parse("-p --output-format stream-json"), Err(STREAM_NEEDS_VERBOSE.into()));
        assert_eq!(parse("--model"), Err("--model needs a value".into()));
        assert!(parse("--max-turns many").is_err());
        assert!(parse("--output-format yaml").is_err());
    }
}
