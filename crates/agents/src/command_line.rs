//! How a program is to be called; calling it is for others.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// A value to set, or nothing: then what was inherited is removed.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub stdin: String,
}

/// For people, as a shell would take it; of the standard input only the size.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.environment.is_empty() {
            f.write_str("env ")?;
        }
        for (name, _) in self.environment.iter().filter(|(_, value)| value.is_none()) {
            write!(f, "-u {} ", Quoted(name))?;
        }
        for (name, value) in &self.environment {
            if let Some(value) = value {
                write!(f, "{}={} ", name.to_string_lossy(), Quoted(value))?;
            }
        }
        write!(f, "{}", Quoted(self.program.as_os_str()))?;
        for argument in &self.args {
            write!(f, " {}", Quoted(argument))?;
        }
        write!(f, " < (a prompt of {} bytes)", self.stdin.len())
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
            // Only this form keeps a line break on its line and an escape sequence harmless.
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
    fn shown_with_its_surroundings_and_without_its_prompt() {
        let line = CommandLine {
            program: "my tools/claude".into(),
            args: vec!["-p".into(), "a b".into()],
            environment: vec![
                ("GONE".into(), None),
                ("SET".into(), Some("x y".into())),
                ("ALSO_GONE".into(), None),
            ],
            stdin: "secret".to_owned(),
        };
        assert_eq!(
            line.to_string(),
            "env -u GONE -u ALSO_GONE SET='x y' 'my tools/claude' -p 'a b' < (a prompt of 6 bytes)"
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
        assert_eq!(line.to_string(), "claude < (a prompt of 0 bytes)");
    }
}
