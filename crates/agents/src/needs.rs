//! What an agent's program needs of a machine whose other parts are hidden from it: its own files, its variables and
//! the hosts of its model.

/// Paths are below the home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// The folder of its own files, and the variable that can name another one instead.
    pub moved_by: Option<(&'static str, &'static str)>,
    /// Settings, instructions and programs that its later sessions outside a sandbox read or run. A `*` stands for
    /// each entry of a folder but `data`: in the folder itself the agent makes files.
    pub readable: &'static [&'static str],
    /// What has to outlive a session: a sign-in that is renewed, transcripts.
    pub writable: &'static [&'static str],
    /// Folders of transcripts that are made if they are missing; `{project}` stands for the name that the agent
    /// gives to the folder of a project.
    pub transcripts: &'static [&'static str],
    /// Files that it writes at each start, and whose changes are not kept.
    pub copied: &'static [&'static str],
    /// Names of variables; a `*` at the end stands for any rest.
    pub variables: &'static [&'static str],
    /// Hosts of the model and of the sign-in.
    pub hosts: &'static [&'static str],
    /// Variables that name another address of the model.
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
    fn nothing_that_is_only_to_be_read_lies_in_a_folder_that_may_be_written() {
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
