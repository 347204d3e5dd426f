//! The command line of an agent. The engine starts it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::{RefusedArgument, Request};

/// The displayed length of an argument.
const LONGEST_WORD: usize = 300;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub environment: Vec<(OsString, Value)>,
    pub stdin: String,
}

/// The change of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Removes an inherited variable.
    Removed,
    Shown(OsString),
    /// Sets it, but never displays the value.
    Secret(OsString),
}

impl Value {
    pub fn into_inner(self) -> Option<OsString> {
        match self {
            Self::Removed => None,
            Self::Shown(value) | Self::Secret(value) => Some(value),
        }
    }
}

/// For display, in shell syntax; standard input is shown by its size.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let environment = self.environment_with(|_| "[redacted]".to_owned());
        write!(f, "{environment}{} < (prompt of {} bytes)", self.call(), self.stdin.len())
    }
}

impl CommandLine {
    /// A command without arguments, with its prompt on standard input, because Linux limits an argument to 128 KiB
    /// and shows it in the process list. Refuses extra arguments that would override the runner's own: `reserved`
    /// options, also with an attached value (`--format=text`, `-ojson`).
    pub(crate) fn new(
        program: &Path,
        request: &Request,
        reserved: &str,
    ) -> Result<Self, RefusedArgument> {
        for argument in &request.extra_args {
            let argument = argument.to_string_lossy();
            let is_argument = |name: &&str| match argument.strip_prefix(*name) {
                Some(rest) => rest.is_empty() || rest.starts_with('=') || !name.starts_with("--"),
                None => false,
            };
            if let Some(name) = reserved.split_whitespace().find(is_argument) {
                return Err(RefusedArgument::Reserved(name.to_owned()));
            }
        }
        let (program, stdin) = (program.to_owned(), request.prompt.clone());
        Ok(Self { program, stdin, ..Self::default() })
    }

    /// Adds arguments, separated by blanks.
    pub(crate) fn words(&mut self, words: &str) {
        self.args.extend(words.split_whitespace().map(OsString::from));
    }

    pub(crate) fn option(&mut self, name: &str, value: Option<impl Into<OsString>>) {
        self.args.extend(value.into_iter().flat_map(|value| [name.into(), value.into()]));
    }

    /// The whole command for a shell, with the prompt in `file` and secrets in variables.
    pub fn pasteable(&self, prompt: &str, file: &str) -> String {
        let call = self.call_with(|argument| match argument.to_str() {
            Some(argument) if argument == prompt => format!("\"$(cat {file})\""),
            _ => Quoted(argument).to_string(),
        });
        let stdin = if self.stdin.is_empty() { "/dev/null" } else { file };
        let environment = self.environment_with(|name| format!("\"${name}\""));
        format!("{environment}{call} < {stdin}")
    }

    /// The arguments of `env` before a command; empty if nothing is set.
    fn environment_with(&self, secret: impl Fn(&str) -> String) -> String {
        let removed = self.environment.iter().filter(|(_, value)| *value == Value::Removed);
        let mut words: Vec<String> =
            removed.map(|(name, _)| format!("-u {}", Quoted(name))).collect();
        for (name, value) in &self.environment {
            let name = name.to_string_lossy();
            match value {
                Value::Removed => {}
                Value::Shown(value) => words.push(format!("{name}={}", Quoted(value))),
                Value::Secret(_) => words.push(format!("{name}={}", secret(&name))),
            }
        }
        if words.is_empty() { String::new() } else { format!("env {} ", words.join(" ")) }
    }

    /// Program and arguments in shell syntax.
    pub fn call(&self) -> String {
        self.call_with(|argument| shortened(Quoted(argument).to_string()))
    }

    fn call_with(&self, shown: impl Fn(&OsStr) -> String) -> String {
        let mut words = vec![Quoted(self.program.as_os_str()).to_string()];
        words.extend(self.args.iter().map(|argument| shown(argument)));
        words.join(" ")
    }
}

/// Shortens long arguments, such as a whole prompt.
fn shortened(word: String) -> String {
    match word.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word,
    }
}

struct Quoted<'a>(&'a OsStr);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.0.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            f.write_str(&word)
        } else if word.contains(char::is_control) {
            // Only this form keeps line breaks on one line and escape sequences harmless.
            f.write_str("$'")?;
            for c in word.chars() {
                match c {
                    '\'' | '\\' => write!(f, "\\{c}")?,
                    '\n' => f.write_str("\\n")?,
                    c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                    c => write!(f, "{c}")?,
                }
            }
            f.write_str("'")
        } else {
            write!(f, "'{}'", word.replace('\'', r"'\''"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(word: &str) -> String {
        Quoted(OsStr::new(word)).to_string()
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("--model=opus-5.5"), "--model=opus-5.5");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted("~"), "'~'");
        assert_eq!(quoted("it's\n\u{1b}\\"), r"$'it\'s\n\u001b\\'");
    }

    #[test]
    fn the_pasteable_command_runs_in_a_shell() {
        let mut line = CommandLine {
            program: "/opt/my tools/agent".into(),
            args: vec!["-p".into(), "Do it.".into(), "x".repeat(400).into()],
            environment: vec![("KEY".into(), Value::Secret("k".into()))],
            stdin: String::new(),
        };
        let long = "x".repeat(400);
        let expected = format!(
            "env KEY=\"$KEY\" '/opt/my tools/agent' -p \"$(cat prompt.txt)\" {long} < /dev/null"
        );
        assert_eq!(line.pasteable("Do it.", "prompt.txt"), expected);
        line = CommandLine { args: vec!["-p".into()], stdin: "Do it.".into(), ..line };
        let expected = "env KEY=\"$KEY\" '/opt/my tools/agent' -p < prompt.txt";
        assert_eq!(line.pasteable("Do it.", "prompt.txt"), expected);
    }

    #[test]
    fn displayed_with_its_environment_and_without_its_prompt() {
        let line = CommandLine {
            program: "my tools/claude".into(),
            args: vec!["-p".into(), "a b".into()],
            environment: vec![
                ("GONE".into(), Value::Removed),
                ("SET".into(), Value::Shown("x y".into())),
                ("KEY".into(), Value::Secret("k".into())),
                ("ALSO_GONE".into(), Value::Removed),
            ],
            stdin: "secret".to_owned(),
        };
        assert_eq!(
            line.to_string(),
            "env -u GONE -u ALSO_GONE SET='x y' KEY=[redacted] 'my tools/claude' -p 'a b' < (prompt of 6 bytes)"
        );
    }

    #[test]
    fn no_environment_no_env() {
        let line = CommandLine {
            program: "claude".into(),
            args: Vec::new(),
            environment: Vec::new(),
            stdin: String::new(),
        };
        assert_eq!(line.to_string(), "claude < (prompt of 0 bytes)");
    }

    fn refused(argument: &str) -> Option<String> {
        let extra_args = vec!["--fast".into(), argument.into()];
        let request = Request { extra_args, ..Request::default() };
        match CommandLine::new(Path::new("agent"), &request, "--output-format -o") {
            Err(RefusedArgument::Reserved(name)) => Some(name),
            _ => None,
        }
    }

    #[test]
    fn a_reserved_option_is_refused_in_every_spelling() {
        for argument in ["--output-format", "--output-format=text"] {
            assert_eq!(refused(argument).as_deref(), Some("--output-format"));
        }
        for argument in ["-o", "-ojson", "-o=json"] {
            assert_eq!(refused(argument).as_deref(), Some("-o"));
        }
    }

    #[test]
    fn anything_else_passes() {
        for argument in ["--output-formatter", "--o", "output-format", "-", ""] {
            assert_eq!(refused(argument), None, "{argument}");
        }
    }
}
