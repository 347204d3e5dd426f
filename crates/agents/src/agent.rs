//! The list of supported agents, with access to the properties of each.

use std::path::Path;

use run_options::Word;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::adapter::Adapter;
use crate::{
    Abilities, CommandLine, Decode, Installed, Needs, RefusedArgument, Request, SignIn, amp,
    claude, cline, codex, copilot, gemini, json, opencode, text,
};

/// A kind of agent program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
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
    pub const ALL: &'static [Self] = Self::VARIANTS;

    fn adapter(self) -> Adapter {
        match self {
            Self::Claude => claude::adapter(),
            Self::Codex => codex::adapter(),
            Self::Amp => amp::adapter(),
            Self::Cline => cline::adapter(),
            Self::OpenCode => opencode::adapter(),
            Self::Gemini => gemini::adapter(),
            Self::Copilot => copilot::adapter(),
            Self::Json => json::adapter(),
            Self::Text => text::adapter(),
        }
    }

    /// The name in settings and flags, and of the program if it has an adapter.
    pub fn name(self) -> &'static str {
        self.into()
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
        self.adapter().abilities
    }

    pub fn installed(self) -> Installed {
        self.adapter().installed
    }

    pub fn sign_in(self) -> SignIn {
        self.adapter().sign_in
    }

    /// The requirements of its program in a sandbox.
    pub fn needs(self) -> Needs {
        self.adapter().needs
    }

    /// The command of a new session.
    pub fn command(
        self,
        program: &Path,
        request: &Request,
    ) -> Result<CommandLine, RefusedArgument> {
        let adapter = self.adapter();
        let mut line = CommandLine::new(program, request, adapter.reserved)?;
        (adapter.arguments)(request, &mut line)?;
        Ok(line)
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
        (self.adapter().decoder)(prompt)
    }
}

impl Word for Agent {
    const ALL: &'static [Self] = Self::VARIANTS;

    fn name(self) -> &'static str {
        self.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_agents() {
        for &agent in Agent::ALL {
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
