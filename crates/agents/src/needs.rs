//! The requirements of an agent's program in a sandbox: its files, its variables and the hosts of its model.

/// Paths are relative to the home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// The variable that replaces the folder of its files, and that folder.
    pub moved_by: Option<(&'static str, &'static str)>,
    /// Settings, instructions and programs that later sessions outside a sandbox read or run. A `*` means each entry
    /// of a folder except `data`, because the agent creates files in the folder itself.
    pub readable: &'static [&'static str],
    /// Files that must outlive a session: a renewed sign-in, transcripts.
    pub writable: &'static [&'static str],
    /// Transcript folders that are created if missing; `{project}` is the agent's name for the project folder.
    pub transcripts: &'static [&'static str],
    /// Files that it writes at each start, as temporary copies.
    pub copied: &'static [&'static str],
    /// Names of variables; a trailing `*` matches any rest.
    pub variables: &'static [&'static str],
    /// Hosts of the model and of the sign-in.
    pub hosts: &'static [&'static str],
    /// Variables that set another URL of the model.
    pub addresses: &'static [&'static str],
    /// Whether it connects through the proxy that `HTTPS_PROXY` names.
    pub proxy: bool,
}

impl Needs {
    pub(crate) const NONE: Self = Self {
        moved_by: None,
        readable: &[],
        writable: &[],
        transcripts: &[],
        copied: &[],
        variables: &[],
        hosts: &[],
        addresses: &[],
        proxy: false,
    };
}

pub(crate) const CLAUDE: Needs = Needs {
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
};

pub(crate) const CODEX: Needs = Needs {
    moved_by: Some(("CODEX_HOME", ".codex")),
    readable: &[
        ".codex/AGENTS.md",
        ".codex/AGENTS.override.md",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".codex/prompts",
        ".codex/rules",
        ".codex/skills",
    ],
    writable: &[".codex/auth.json"],
    transcripts: &[".codex/sessions"],
    variables: &["CODEX_*", "OPENAI_*"],
    hosts: &["api.openai.com", "auth.openai.com", "chatgpt.com"],
    addresses: &["OPENAI_BASE_URL"],
    proxy: true,
    ..Needs::NONE
};

pub(crate) const AMP: Needs = Needs {
    readable: &[".config/amp"],
    writable: &[".local/share/amp", ".cache/amp"],
    variables: &["AMP_*"],
    ..Needs::NONE
};

pub(crate) const CLINE: Needs = Needs {
    writable: &[".cline"],
    variables: &["CLINE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
    ..Needs::NONE
};

pub(crate) const OPENCODE: Needs = Needs {
    readable: &[".config/opencode"],
    writable: &[".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
    variables: &["OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
    ..Needs::NONE
};

pub(crate) const GEMINI: Needs =
    Needs { writable: &[".gemini"], variables: &["GEMINI_*", "GOOGLE_*"], ..Needs::NONE };

pub(crate) const COPILOT: Needs = Needs {
    writable: &[".copilot", ".config/github-copilot"],
    variables: &["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
    ..Needs::NONE
};

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::Agent;

    #[test]
    fn readable_paths_are_outside_writable_folders() {
        for agent in Agent::ALL {
            let needs = agent.needs();
            let writable = needs.writable.iter().chain(needs.transcripts);
            for folder in writable.map(Path::new) {
                let inside = needs.readable.iter().find(|path| Path::new(path).starts_with(folder));
                assert_eq!(inside, None, "{agent}: {}", folder.display());
            }
        }
    }

    #[test]
    fn an_agent_that_works_with_a_proxy_names_its_hosts() {
        for agent in Agent::ALL {
            let needs = agent.needs();
            assert_eq!(needs.proxy, !needs.hosts.is_empty(), "{agent}");
        }
    }
}
