//! Claude Code: `claude -p`, its flags and its `stream-json` lines.

pub(crate) mod assistant;
mod decoder;
mod decoder_state;
mod hook_response;
mod rate_limit;
mod request;
mod result_line;
mod system;
mod todo_list;
pub(crate) mod user;

use crate::adapter::Adapter;
use crate::{Abilities, Installed, Needs, SignIn};

pub(crate) use decoder::Message;
pub(crate) use decoder_state::Decoder;
pub(crate) use request::interactive;

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities {
            cost: true,
            tokens: true,
            session_id: true,
            model: true,
            hooks: true,
            structured_output: true,
            quota: true,
            usage_limits: true,
            max_turns: true,
            budget: true,
            answer_schema: true,
            own_servers: true,
            system_prompt_file: true,
            fallback_model: true,
        },
        installed: Installed {
            usual_places: &[".local/bin/claude", ".claude/local/claude"],
            hint: "install it from https://claude.com/claude-code",
        },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs {
            moved_by: Some(("CLAUDE_CONFIG_DIR", ".claude")),
            readable: &[
                ".claude/CLAUDE.md",
                ".claude/agents",
                ".claude/commands",
                ".claude/hooks",
                ".claude/output-styles",
                ".claude/plugins/*",
                ".claude/rules",
                ".claude/settings.json",
                ".claude/settings.local.json",
                ".claude/skills",
            ],
            writable: &[".claude/.credentials.json"],
            transcripts: &[".claude/projects/{project}"],
            copied: &[".claude.json", ".claude/.claude.json"],
            variables: &[
                "ANTHROPIC_*",
                "CLAUDE_*",
                "AWS_BEARER_TOKEN_BEDROCK",
                "AWS_REGION",
                "BASH_*",
                "CLOUD_ML_REGION",
                "DISABLE_*",
                "IS_SANDBOX",
                "MAX_*",
                "MCP_*",
                "USE_BUILTIN_RIPGREP",
                "VERTEX_*",
            ],
            hosts: &[
                "api.anthropic.com",
                "claude.ai",
                "console.anthropic.com",
                "platform.claude.com",
                "statsig.anthropic.com",
            ],
            addresses: &[
                "ANTHROPIC_BASE_URL",
                "ANTHROPIC_BEDROCK_BASE_URL",
                "ANTHROPIC_FOUNDRY_BASE_URL",
                "ANTHROPIC_VERTEX_BASE_URL",
            ],
            proxy: true,
        },
        // Some are refused depending on the request.
        reserved: "",
        arguments: request::arguments,
        decoder: |_| Box::<Decoder>::default(),
    }
}
