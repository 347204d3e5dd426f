//! Detects whether the user is signed in to an agent, by variables and by files that exist. No file is opened.

use std::path::{Path, PathBuf};

use agents::{Agent, SignIn};

use super::check::{Check, CheckId, Fix};

/// Where a sign-in is visible.
struct Traces {
    variables: &'static [&'static str],
    /// Below the home folder.
    file: &'static str,
    hint: &'static str,
}

const CLAUDE: Traces = Traces {
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CODE_USE_FOUNDRY",
    ],
    file: ".claude/.credentials.json",
    hint: "start `claude` and type /login; without a browser: `claude setup-token`",
};

const CODEX: Traces = Traces {
    variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
    file: ".codex/auth.json",
    hint: "run `codex login`",
};

/// A trace of an agent's sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignInTrace {
    Variable(&'static str),
    File(String),
    Nothing(MissingTrace),
}

/// What it means that there is no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingTrace {
    /// A run refuses the agent.
    Refused {
        hint: &'static str,
    },
    Likely {
        hint: &'static str,
    },
    /// The sign-in can be in a keychain that needs a password.
    Unknown {
        hint: &'static str,
    },
}

/// Where to look.
pub(crate) struct SignInSources<'o> {
    /// Whether a session would have this variable.
    pub(crate) is_set: &'o dyn Fn(&str) -> bool,
    pub(crate) home: Option<&'o Path>,
    /// `CLAUDE_CONFIG_DIR`.
    pub(crate) claude_config_dir: Option<&'o Path>,
}

/// `None` for an agent without visible traces.
pub(crate) fn look(agent: Agent, sources: &SignInSources<'_>) -> Option<SignInTrace> {
    let below_home = |file: &str| sources.home.map(|home| home.join(file));
    let claude_config_dir = || match sources.claude_config_dir {
        Some(folder) => Some(folder.join(".credentials.json")),
        None => below_home(CLAUDE.file),
    };
    match (agent, agent.sign_in()) {
        (_, SignIn::Needed { variable, file, hint }) => {
            Some(find_trace(&[variable], below_home(file), MissingTrace::Refused { hint }, sources))
        }
        (Agent::Claude, _) => {
            let hint = CLAUDE.hint;
            let missing = match cfg!(target_os = "macos") {
                true => MissingTrace::Unknown { hint },
                false => MissingTrace::Likely { hint },
            };
            Some(find_trace(CLAUDE.variables, claude_config_dir(), missing, sources))
        }
        (Agent::Codex, _) => {
            let missing = MissingTrace::Likely { hint: CODEX.hint };
            Some(find_trace(CODEX.variables, below_home(CODEX.file), missing, sources))
        }
        _ => None,
    }
}

fn find_trace(
    variables: &[&'static str],
    file: Option<PathBuf>,
    missing: MissingTrace,
    sources: &SignInSources<'_>,
) -> SignInTrace {
    if let Some(variable) = variables.iter().find(|name| (sources.is_set)(name)) {
        return SignInTrace::Variable(variable);
    }
    match file.filter(|file| file.is_file()) {
        Some(file) => SignInTrace::File(file.display().to_string()),
        None => SignInTrace::Nothing(missing),
    }
}

pub(crate) fn judge(agent: Agent, seen: Option<&SignInTrace>) -> Check {
    let check = match seen {
        None => Check::not_checked(CheckId::SignIn, "the agent checks it when a session starts"),
        Some(SignInTrace::Variable(name)) => Check::ok(CheckId::SignIn, format!("{name} is set")),
        Some(SignInTrace::File(path)) => Check::ok(CheckId::SignIn, format!("{path} exists")),
        Some(SignInTrace::Nothing(MissingTrace::Refused { hint })) => {
            Check::problem(CheckId::SignIn, "not signed in", Fix::todo(*hint))
        }
        Some(SignInTrace::Nothing(MissingTrace::Likely { hint })) => {
            Check::warning(CheckId::SignIn, "no sign-in found", Fix::todo(*hint))
        }
        Some(SignInTrace::Nothing(MissingTrace::Unknown { hint })) => Check::not_checked(
            CheckId::SignIn,
            "may be in the keychain, which doctor does not open",
        )
        .with_fix(Fix::todo(*hint)),
    };
    check.about(format!("{agent} sign-in"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    fn looked(agent: Agent, variable: &str, home: &Path) -> Check {
        let is_set = |name: &str| name == variable;
        let sources = SignInSources { is_set: &is_set, home: Some(home), claude_config_dir: None };
        judge(agent, look(agent, &sources).as_ref())
    }

    #[test]
    fn a_variable_or_a_file_is_enough_and_is_named() {
        let home = assert_fs::TempDir::new().unwrap();
        let check = looked(Agent::Amp, "AMP_API_KEY", home.path());
        assert_eq!((check.state, check.found.as_str()), (CheckState::Ok, "AMP_API_KEY is set"));
        assert_eq!(check.title, "amp sign-in");
        let bare = looked(Agent::Codex, "", home.path());
        assert_eq!(bare.state, CheckState::Warning);
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(home.path().join(".codex/auth.json"), "not JSON: never read").unwrap();
        let check = looked(Agent::Codex, "", home.path());
        assert_eq!(check.state, CheckState::Ok);
        assert!(check.found.ends_with("auth.json exists"), "{check:?}");
    }

    #[test]
    fn claude_config_dir_is_searched() {
        let folder = assert_fs::TempDir::new().unwrap();
        std::fs::write(folder.path().join(".credentials.json"), "").unwrap();
        let is_set = |_: &str| false;
        let sources =
            SignInSources { is_set: &is_set, home: None, claude_config_dir: Some(folder.path()) };
        assert!(matches!(look(Agent::Claude, &sources), Some(SignInTrace::File(_))));
    }

    #[test]
    fn a_missing_sign_in_has_a_fix() {
        let state = |missing| judge(Agent::Amp, Some(&SignInTrace::Nothing(missing))).state;
        assert_eq!(state(MissingTrace::Refused { hint: "x" }), CheckState::Problem);
        assert_eq!(state(MissingTrace::Likely { hint: "x" }), CheckState::Warning);
        assert_eq!(state(MissingTrace::Unknown { hint: "x" }), CheckState::NotChecked);
        assert_eq!(judge(Agent::Gemini, None).state, CheckState::NotChecked);
    }
}
