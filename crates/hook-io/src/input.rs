//! Parses the hook input. A field of an unexpected type counts as absent, because a hook that fails
//! leaves the session unguarded.

use std::path::PathBuf;
use std::time::Duration;

use bounded_read::StreamError;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Large, because the input can contain the whole output of a tool.
const LARGEST: usize = 64 * 1024 * 1024;

/// Claude Code writes the input at once, so an open pipe without data means that none will come.
const INPUT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookInput {
    pub event: Option<HookEvent>,
    pub session_id: Option<String>,
    pub transcript_path: Option<PathBuf>,
    pub cwd: Option<PathBuf>,
    /// Set only inside a subagent.
    pub agent_id: Option<String>,
    /// The tool of a PreToolUse or PostToolUse event.
    pub tool_name: Option<String>,
    pub tool_input: ToolInput,
    /// A Stop hook has already blocked the end of this session.
    pub stop_hook_active: bool,
    /// The final message of the session.
    pub last_message: Option<String>,
    /// The number of running background tasks that will wake the session.
    pub background_tasks: usize,
}

/// The input fields of a tool that the hooks use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolInput {
    /// Of `Bash` and other tools that run a command.
    pub command: Option<String>,
    /// The target file of `Write`, `Edit` and `NotebookEdit`.
    pub file: Option<PathBuf>,
    /// Of `StructuredOutput`: the verdict of a review.
    pub verdict: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
pub enum HookEvent {
    Stop,
    PreToolUse,
    PostToolUse,
    SessionStart,
}

#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("cannot read standard input: {0}")]
    Unreadable(#[from] StreamError),
    #[error("standard input is not a JSON object: {0}")]
    NotJson(#[from] serde_json::Error),
}

pub(crate) fn read_input() -> Result<HookInput, InputError> {
    let bytes = bounded_read::read_stream(std::io::stdin(), LARGEST, INPUT_TIMEOUT)?;
    HookInput::parse(&bytes)
}

impl HookInput {
    pub fn parse(bytes: &[u8]) -> Result<Self, InputError> {
        let wire: RawInput<'_> = serde_json::from_slice(bytes)?;
        let event = text(wire.hook_event_name);
        Ok(Self {
            event: event.and_then(|name| name.parse().ok()),
            session_id: text(wire.session_id).filter(|id| !id.is_empty()),
            transcript_path: text(wire.transcript_path).map(PathBuf::from),
            cwd: text(wire.cwd).map(PathBuf::from),
            agent_id: text(wire.agent_id),
            tool_name: text(wire.tool_name),
            tool_input: typed(wire.tool_input).map(ToolInput::from_raw).unwrap_or_default(),
            stop_hook_active: typed(wire.stop_hook_active).unwrap_or(false),
            last_message: text(wire.last_assistant_message),
            background_tasks: typed::<Vec<&RawValue>>(wire.background_tasks)
                .map_or(0, |tasks| tasks.len()),
        })
    }
}

impl HookEvent {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Raw fields, so that one field of a wrong type does not invalidate the others.
#[derive(Deserialize)]
struct RawInput<'a> {
    #[serde(borrow)]
    hook_event_name: Option<&'a RawValue>,
    session_id: Option<&'a RawValue>,
    transcript_path: Option<&'a RawValue>,
    cwd: Option<&'a RawValue>,
    agent_id: Option<&'a RawValue>,
    tool_name: Option<&'a RawValue>,
    tool_input: Option<&'a RawValue>,
    stop_hook_active: Option<&'a RawValue>,
    last_assistant_message: Option<&'a RawValue>,
    background_tasks: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawToolInput<'a> {
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    file_path: Option<&'a RawValue>,
    notebook_path: Option<&'a RawValue>,
    verdict: Option<&'a RawValue>,
}

impl ToolInput {
    fn from_raw(wire: RawToolInput<'_>) -> Self {
        let file = text(wire.file_path).or_else(|| text(wire.notebook_path));
        Self {
            command: text(wire.command),
            file: file.map(PathBuf::from),
            verdict: text(wire.verdict),
        }
    }
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    typed(raw)
}

fn typed<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_claude_code_sends() {
        let input = HookInput::parse(
            br#"{"session_id":"s-1","transcript_path":"/t.jsonl","cwd":"/p","hook_event_name":"Stop",
                "permission_mode":"default","stop_hook_active":true,"last_assistant_message":"bye",
                "background_tasks":[{"id":"b1","status":"running"}],"session_crons":[]}"#,
        )
        .unwrap();
        assert_eq!(
            input,
            HookInput {
                event: Some(HookEvent::Stop),
                session_id: Some("s-1".into()),
                transcript_path: Some("/t.jsonl".into()),
                cwd: Some("/p".into()),
                agent_id: None,
                tool_name: None,
                tool_input: ToolInput::default(),
                stop_hook_active: true,
                last_message: Some("bye".into()),
                background_tasks: 1,
            }
        );
    }

    #[test]
    fn a_tool_that_is_about_to_be_used_is_named() {
        let input = HookInput::parse(
            br#"{"session_id":"s-1","cwd":"/p","hook_event_name":"PreToolUse","effort":{"level":"medium"},
                "tool_name":"StructuredOutput","tool_input":{"a":"x"},"tool_use_id":"toolu_1"}"#,
        )
        .unwrap();
        assert_eq!(input.event, Some(HookEvent::PreToolUse));
        assert_eq!(input.tool_name.as_deref(), Some("StructuredOutput"));
    }

    #[test]
    fn the_input_of_every_tool_is_parsed() {
        let used_with = |input: &str| {
            let json = format!(r#"{{"hook_event_name":"PreToolUse","tool_input":{input}}}"#);
            HookInput::parse(json.as_bytes()).unwrap().tool_input
        };
        let bash = used_with(r#"{"command":"rm -rf \"$HOME\"","timeout":5}"#);
        assert_eq!(bash.command.as_deref(), Some("rm -rf \"$HOME\""));
        let write = used_with(r#"{"file_path":"/p/a b.rs","content":"x"}"#);
        assert_eq!(write.file, Some("/p/a b.rs".into()));
        assert_eq!(used_with(r#"{"notebook_path":"/n.ipynb"}"#).file, Some("/n.ipynb".into()));
        let answer = used_with(r#"{"task_completed":{},"verdict":"approved"}"#);
        assert_eq!(answer.verdict.as_deref(), Some("approved"));
        assert_eq!(used_with(r#"{"command":7,"verdict":true}"#), ToolInput::default());
        assert_eq!(used_with("[]"), ToolInput::default());
    }

    #[test]
    fn fields_of_another_type_count_as_absent() {
        let input = HookInput::parse(
            br#"{"session_id":7,"cwd":null,"hook_event_name":["Stop"],"stop_hook_active":"yes",
                "background_tasks":{"a":1},"tool_name":{},"transcript_path":"/kept"}"#,
        )
        .unwrap();
        let expected = HookInput { transcript_path: Some("/kept".into()), ..HookInput::default() };
        assert_eq!(input, expected);
    }

    #[test]
    fn input_must_be_a_json_object() {
        for bytes in [&b""[..], b"nonsense", b"[1]", b"{\"session_id\":", b"\xff\xfe", b"null"] {
            assert!(HookInput::parse(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_deeply_nested_answer_of_a_tool_does_not_matter() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let json = format!(r#"{{"tool_response":{deep},"session_id":"s"}}"#);
        let input = HookInput::parse(json.as_bytes()).unwrap();
        assert_eq!(input.session_id.as_deref(), Some("s"));
    }
}
