//! The list of supported agents, with access to the properties of each.

use std::fmt;
use std::path::Path;

use run_options::Word;
use serde::{Deserialize, Serialize};

use crate::{
    Abilities, CommandLine, Decode, Installed, Needs, RefusedArgument, Request, SignIn, amp,
    claude, cline, codex, copilot, gemini, json, needs, opencode, text,
};

/// A kind of agent program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Agent {
    Claude,
    Codex,
    Amp,
    Cline,
    OpenCode,
    Gemini,
    Copilot,
    /// Any program that takes a prompt and prints lines of JSON, parsed with `filters`.
    Json,
    /// Any program that takes a prompt and prints its answer.
    Text,
}

impl Agent {
    pub const ALL: [Self; 9] = [
        Self::Claude,
        Self::Codex,
        Self::Amp,
        Self::Cline,
        Self::OpenCode,
        Self::Gemini,
        Self::Copilot,
        Self::Json,
        Self::Text,
    ];

    /// The name in settings and flags, and of the program if it has an adapter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Amp => "amp",
            Self::Cline => "cline",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Json => "json",
            Self::Text => "text",
        }
    }

    /// Whether it is a specific program with an adapter.
    pub fn has_adapter(self) -> bool {
        !matches!(self, Self::Json | Self::Text)
    }

    /// The display name: a program without an adapter is shown by its own name.
    pub fn name_of(self, program: &Path) -> String {
        match self.has_adapter() {
            true => self.name().to_owned(),
            false => program.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// The agent with this program name; an unknown program counts as plain text.
    pub fn of_program(program: &Path) -> Self {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        Self::from_word(&name).filter(|known| known.has_adapter()).unwrap_or(Self::Text)
    }

    pub fn abilities(self) -> Abilities {
        match self {
            Self::Claude => claude::ABILITIES,
            Self::Codex => codex::ABILITIES,
            Self::Amp => amp::ABILITIES,
            Self::Cline => cline::ABILITIES,
            Self::OpenCode => opencode::ABILITIES,
            Self::Gemini => gemini::ABILITIES,
            Self::Copilot => copilot::ABILITIES,
            Self::Json => json::ABILITIES,
            Self::Text => text::ABILITIES,
        }
    }

    pub fn installed(self) -> Installed {
        match self {
            Self::Claude => claude::INSTALLED,
            Self::Codex => codex::INSTALLED,
            Self::Amp => amp::INSTALLED,
            Self::Cline => cline::INSTALLED,
            Self::OpenCode => opencode::INSTALLED,
            Self::Gemini => gemini::INSTALLED,
            Self::Copilot => copilot::INSTALLED,
            Self::Json => json::INSTALLED,
            Self::Text => text::INSTALLED,
        }
    }

    pub fn sign_in(self) -> SignIn {
        match self {
            Self::Claude => claude::SIGN_IN,
            Self::Codex => codex::SIGN_IN,
            Self::Amp => amp::SIGN_IN,
            Self::Cline => cline::SIGN_IN,
            Self::OpenCode => opencode::SIGN_IN,
            Self::Gemini => gemini::SIGN_IN,
            Self::Copilot => copilot::SIGN_IN,
            Self::Json => json::SIGN_IN,
            Self::Text => text::SIGN_IN,
        }
    }

    /// The requirements of its program in a sandbox.
    pub fn needs(self) -> Needs {
        match self {
            Self::Claude => needs::CLAUDE,
            Self::Codex => needs::CODEX,
            Self::Amp => needs::AMP,
            Self::Cline => needs::CLINE,
            Self::OpenCode => needs::OPENCODE,
            Self::Gemini => needs::GEMINI,
            Self::Copilot => needs::COPILOT,
            Self::Json | Self::Text => Needs::NONE,
        }
    }

    /// The command of a new session.
    pub fn command(
        self,
        program: &Path,
        request: &Request,
    ) -> Result<CommandLine, RefusedArgument> {
        match self {
            Self::Claude => claude::command(program, request),
            Self::Codex => codex::command(program, request),
            Self::Amp => amp::command(program, request),
            Self::Cline => cline::command(program, request),
            Self::OpenCode => opencode::command(program, request),
            Self::Gemini => gemini::command(program, request),
            Self::Copilot => copilot::command(program, request),
            Self::Json => json::command(program, request),
            Self::Text => text::command(program, request),
        }
    }

    /// The command of an interactive session on the terminal; `None` if the agent's adapter has none.
    pub fn interactive(self, program: &Path, request: &Request) -> Option<CommandLine> {
        match self {
            Self::Claude => Some(claude::interactive(program, request)),
            _ => None,
        }
    }

    /// A decoder for a session that was started with `prompt`.
    pub fn decoder(self, prompt: &str) -> Box<dyn Decode> {
        match self {
            Self::Claude => Box::<claude::Decoder>::default(),
            Self::Codex => Box::<codex::Decoder>::default(),
            Self::Amp => Box::<amp::Decoder>::default(),
            Self::Cline => Box::<cline::Decoder>::default(),
            Self::OpenCode => Box::<opencode::Decoder>::default(),
            Self::Gemini => Box::<gemini::Decoder>::default(),
            Self::Copilot => Box::<copilot::Decoder>::default(),
            // Without filters it selects nothing: `Filters::decoder` has them.
            Self::Json => json::Filters::default().decoder(),
            Self::Text => Box::new(text::Decoder::new(prompt)),
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Word for Agent {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_agents() {
        for agent in Agent::ALL {
            assert_eq!(Agent::from_word(agent.name()), Some(agent));
            assert_eq!(serde_json::to_value(agent).unwrap(), agent.name());
        }
        assert_eq!(Agent::from_word("gpt"), None);
    }

    #[test]
    fn a_program_is_known_by_its_name() {
        assert_eq!(Agent::of_program(Path::new("/opt/bin/codex")), Agent::Codex);
        assert_eq!(Agent::of_program(Path::new("Claude.exe")), Agent::Claude);
        for other in ["my-agent", "json", "text"] {
            assert_eq!(Agent::of_program(Path::new(other)), Agent::Text);
        }
    }

    #[test]
    fn a_program_without_an_adapter_is_shown_by_its_own_name() {
        assert_eq!(Agent::Text.name_of(Path::new("/opt/bin/my-agent.sh")), "my-agent");
        assert_eq!(Agent::Codex.name_of(Path::new("/opt/bin/wrapper")), "codex");
    }
}
