//! Detects whether the user is signed in to an agent, by variables and by files that exist. No file is opened.

use std::path::PathBuf;

use agents::{Agent, SignIn};

use super::check::{Check, CheckId, Fix};

const CLAUDE_VARIABLES: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
];
const CODEX_VARIABLES: [&str; 2] = ["OPENAI_API_KEY", "CODEX_API_KEY"];

/// Where to look.
pub(crate) struct SignInSources<'o> {
    /// Whether a session would have this variable.
    pub(crate) is_set: &'o dyn Fn(&str) -> bool,
    pub(crate) home: Option<PathBuf>,
    /// The configuration folder of Claude Code.
    pub(crate) claude_folder: Option<PathBuf>,
}

pub(crate) fn judge(agent: Agent, sources: &SignInSources<'_>) -> Check {
    let (variables, file, missing) = traces(agent, sources);
    let variable = variables.iter().find(|name| (sources.is_set)(name));
    let check = match (variable, file.filter(|file| file.is_file())) {
        (Some(name), _) => CheckId::SignIn.ok(format!("{name} is set")),
        (None, Some(file)) => CheckId::SignIn.ok(format!("{} exists", file.display())),
        (None, None) => missing,
    };
    check.about(format!("{agent} sign-in"))
}

/// The variables and the file that show a sign-in, and the result if there are none.
fn traces(
    agent: Agent,
    sources: &SignInSources<'_>,
) -> (Vec<&'static str>, Option<PathBuf>, Check) {
    let below_home = |file: &str| sources.home.as_ref().map(|home| home.join(file));
    let unlikely = |hint: &str| CheckId::SignIn.warning("no sign-in found", Fix::todo(hint));
    match (agent, agent.sign_in()) {
        // A run refuses the agent.
        (_, SignIn::Needed { variable, file, hint }) => {
            let missing = CheckId::SignIn.problem("not signed in", Fix::todo(hint));
            (vec![variable], below_home(file), missing)
        }
        (Agent::Claude, _) => {
            let file = sources.claude_folder.as_ref();
            let file = file.map(|folder| folder.join(".credentials.json"));
            let hint = "start `claude` and type /login; without a browser: `claude setup-token`";
            let missing = match cfg!(target_os = "macos") {
                // A keychain needs a password.
                true => CheckId::SignIn
                    .not_checked("may be in the keychain, which doctor does not open")
                    .with_fix(Fix::todo(hint)),
                false => unlikely(hint),
            };
            (CLAUDE_VARIABLES.to_vec(), file, missing)
        }
        (Agent::Codex, _) => {
            let file = below_home(".codex/auth.json");
            (CODEX_VARIABLES.to_vec(), file, unlikely("run `codex login`"))
        }
        _ => {
            let missing = CheckId::SignIn.not_checked("the agent checks it when a session starts");
            (Vec::new(), None, missing)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::doctor::check::CheckState;

    fn looked(agent: Agent, variable: &str, home: &Path) -> Check {
        let is_set = |name: &str| name == variable;
        let sources =
            SignInSources { is_set: &is_set, home: Some(home.into()), claude_folder: None };
        judge(agent, &sources)
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
    fn the_folder_of_claude_code_is_searched() {
        let folder = assert_fs::TempDir::new().unwrap();
        std::fs::write(folder.path().join(".credentials.json"), "").unwrap();
        let is_set = |_: &str| false;
        let sources = SignInSources {
            is_set: &is_set,
            home: None,
            claude_folder: Some(folder.path().into()),
        };
        let check = judge(Agent::Claude, &sources);
        assert!(check.found.ends_with(".credentials.json exists"), "{check:?}");
    }

    #[test]
    fn a_missing_sign_in_has_a_fix() {
        let home = assert_fs::TempDir::new().unwrap();
        // On macOS it may be in the keychain.
        let unknown =
            if cfg!(target_os = "macos") { CheckState::NotChecked } else { CheckState::Warning };
        for (agent, state) in [
            (Agent::Amp, CheckState::Problem),
            (Agent::Codex, CheckState::Warning),
            (Agent::Claude, unknown),
        ] {
            let check = looked(agent, "", home.path());
            assert_eq!(check.state, state, "{check:?}");
            assert!(check.fix.is_some(), "{check:?}");
        }
        let gemini = looked(Agent::Gemini, "", home.path());
        assert_eq!(gemini.state, CheckState::NotChecked, "{gemini:?}");
    }
}
