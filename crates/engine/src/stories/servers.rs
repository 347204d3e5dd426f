//! Which MCP servers a session sees: those of the project's own files and no others, unless the user
//! wants it otherwise.

use std::path::{Path, PathBuf};

use agents::Servers;
use bounded_read::{FileError, read_file};
use project::Layout;
use serde_json::Value;

use crate::RunError;
use crate::options::{AgentOptions, ServerPolicy, StoryOptions};
use crate::stories::run::Run;

/// More than anybody configures by hand.
const LARGEST: u64 = 1024 * 1024;

impl Run<'_> {
    /// What `agent` sees besides its own tools: the servers of `file`.
    pub(crate) fn servers(&self, agent: &AgentOptions, file: PathBuf) -> Servers {
        match self.options.servers {
            ServerPolicy::Isolated if can_be_told(agent) => {
                Servers::Only(file.is_file().then_some(file))
            }
            ServerPolicy::Isolated | ServerPolicy::Inherited => Servers::Inherited,
        }
    }
}

fn can_be_told(agent: &AgentOptions) -> bool {
    agent.agent.abilities().own_servers
}

/// A file that the agent does not take would fail every session, one after the other.
pub(crate) fn refuse_broken(options: &StoryOptions) -> Result<(), RunError> {
    if options.servers == ServerPolicy::Inherited {
        return Ok(());
    }
    let layout = &options.run.layout;
    let coding = [Some(&options.run.agent), options.reviewer.as_ref()];
    if coding.into_iter().flatten().any(can_be_told) {
        check(layout, &layout.mcp_coding())?;
    }
    match &options.memory {
        Some(memory) if can_be_told(&memory.agent) => check(layout, &layout.mcp_memory()),
        _ => Ok(()),
    }
}

fn check(layout: &Layout, file: &Path) -> Result<(), RunError> {
    let wrong = match read_file(file, LARGEST) {
        Err(FileError::Absent) => return Ok(()),
        Err(error) => error.to_string(),
        Ok(bytes) => match problem(&bytes) {
            None => return Ok(()),
            Some(problem) => problem,
        },
    };
    Err(RunError::precondition(
        format!("{}: {wrong}", layout.name_of(file)),
        "mend it, or remove it to have no servers; {\"mcpServers\": {}} is the least there can be",
    ))
}

fn problem(bytes: &[u8]) -> Option<String> {
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => Some(format!("not JSON: {error}")),
        Ok(document) if document["mcpServers"].is_object() => None,
        Ok(_) => Some("there is no object \"mcpServers\" in it".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_servers_is_an_object_with_them() {
        assert_eq!(problem(br#"{"mcpServers": {}}"#), None);
        assert_eq!(problem(br#"{"mcpServers": {"m": {"command": "x"}}, "more": 1}"#), None);
        for broken in ["{", "[]", "{}", r#"{"mcpServers": []}"#, ""] {
            assert!(problem(broken.as_bytes()).is_some(), "{broken}");
        }
    }
}
