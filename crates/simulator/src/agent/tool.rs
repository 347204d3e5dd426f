//! A tool call and its result.

use std::path::Path;

use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolUse {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) input: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ToolOutcome {
    Done {
        /// For the model.
        content: String,
        /// For programs.
        response: Value,
    },
    /// With this message.
    Failed(String),
    /// A hook denied it.
    Denied(String),
}

impl ToolUse {
    pub(super) fn new(name: &'static str, input: Value) -> Self {
        Self { id: format!("toolu_{}", uuid::Uuid::new_v4().simple()), name, input }
    }

    /// The file that this call changes.
    pub(super) fn changed_file(&self) -> Option<&Path> {
        let path = self.input["file_path"].as_str().map(Path::new);
        path.filter(|_| matches!(self.name, "Write" | "Edit"))
    }
}

impl ToolOutcome {
    pub(super) fn response(&self) -> Value {
        match self {
            Self::Done { response, .. } => response.clone(),
            Self::Failed(message) | Self::Denied(message) => {
                json!(format!("Error: {message}"))
            }
        }
    }

    pub(super) fn from_command(exit_code: Option<i32>, output: &str) -> Self {
        let output = output.trim_end();
        if exit_code != Some(0) {
            // The exit code of a shell for a command that a signal ended.
            let code = exit_code.unwrap_or(137);
            return Self::Failed(format!("Exit code {code}\n{output}"));
        }
        let content = if output.is_empty() { "(Bash completed with no output)" } else { output };
        Self::Done {
            content: content.to_owned(),
            response: json!({
                "stdout": output, "stderr": "", "interrupted": false, "isImage": false,
                "noOutputExpected": false,
            }),
        }
    }

    pub(super) fn read(path: &Path) -> Self {
        let Ok(bytes) = std::fs::read(path) else {
            return Self::Failed("File does not exist.".to_owned());
        };
        let text = String::from_utf8_lossy(&bytes);
        let numbered: Vec<_> =
            text.lines().enumerate().map(|(i, line)| format!("{}\t{line}", i + 1)).collect();
        let lines = numbered.len();
        let file = json!({
            "filePath": path, "content": text, "numLines": lines, "startLine": 1,
            "totalLines": lines,
        });
        Self::Done { content: numbered.join("\n"), response: json!({"type": "text", "file": file}) }
    }

    pub(super) fn written(path: &Path, contents: &str, done: Result<(), String>) -> Self {
        Self::changed(
            format!("File created successfully at: {}", path.display()),
            json!({"type": "create", "filePath": path, "content": contents,
                "structuredPatch": [], "originalFile": null}),
            done,
        )
    }

    pub(super) fn edited(path: &Path, change: &str, done: Result<(), String>) -> Self {
        Self::changed(
            format!("The file {} has been updated successfully.", path.display()),
            json!({"filePath": path, "oldString": "", "newString": change, "originalFile": null,
                "structuredPatch": [], "userModified": false, "replaceAll": false}),
            done,
        )
    }

    fn changed(content: String, response: Value, done: Result<(), String>) -> Self {
        match done {
            Ok(()) => Self::Done { content, response },
            Err(message) => Self::Failed(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_as_in_claude_code() {
        let silent = ToolOutcome::from_command(Some(0), "");
        assert!(matches!(&silent, ToolOutcome::Done { content, .. }
            if content == "(Bash completed with no output)"));
        assert_eq!(silent.response()["stdout"], "");
        let failed = ToolOutcome::from_command(Some(3), "oops\n");
        assert_eq!(failed.response(), "Error: Exit code 3\noops");
    }

    #[test]
    fn a_file_is_read_with_line_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        let ToolOutcome::Done { content, .. } = ToolOutcome::read(&path) else { panic!() };
        assert_eq!(content, "1\tone\n2\ttwo");
        let missing = ToolOutcome::read(&dir.path().join("b.txt"));
        assert_eq!(missing, ToolOutcome::Failed("File does not exist.".into()));
    }
}
