//! Checks the files that name the MCP servers of sessions.

use std::path::Path;

use bounded_read::{FileError, read_file};
use project::Layout;
use serde_json::Value;

use crate::RunError;
use crate::options::{AgentOptions, McpServers, StoryOptions};

const LARGEST: u64 = 1024 * 1024;

/// Whether the agent can be limited to the servers of a file.
pub(crate) fn can_limit_servers(agent: &AgentOptions) -> bool {
    agent.agent.abilities().own_servers
}

/// An invalid file would make every session fail.
pub(crate) fn refuse_invalid_files(options: &StoryOptions) -> Result<(), RunError> {
    if options.servers == McpServers::Inherited {
        return Ok(());
    }
    let layout = &options.run.layout;
    let coding = [Some(&options.run.agent), options.reviewer.as_ref()];
    if coding.into_iter().flatten().any(can_limit_servers) {
        check(layout, &layout.mcp_coding())?;
    }
    match &options.memory {
        Some(memory) if can_limit_servers(&memory.agent) => check(layout, &layout.mcp_memory()),
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
        "fix it, or remove it to use no servers; the smallest valid file is {\"mcpServers\": {}}",
    ))
}

fn problem(bytes: &[u8]) -> Option<String> {
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => Some(format!("not JSON: {error}")),
        Ok(document) if document["mcpServers"].is_object() => None,
        Ok(_) => Some("object \"mcpServers\" not found".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_file_needs_an_object_of_servers() {
        assert_eq!(problem(br#"{"mcpServers": {}}"#), None);
        assert_eq!(problem(br#"{"mcpServers": {"m": {"command": "x"}}, "more": 1}"#), None);
        for broken in ["{", "[]", "{}", r#"{"mcpServers": []}"#, ""] {
            assert!(problem(broken.as_bytes()).is_some(), "{broken}");
        }
    }
}
