//! Whether somebody has signed in, as far as it shows from outside: a variable that is set, a file that
//! is there. No file is opened.

use std::path::{Path, PathBuf};

use agents::{Agent, SignIn};

use super::check::{Check, Fix, Id};

/// Where a sign-in shows.
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

/// What was seen of an agent's sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Variable(&'static str),
    File(String),
    Nothing(Silence),
}

/// What it means that nothing was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// A run refuses to start it.
    Refused {
        hint: &'static str,
    },
    Likely {
        hint: &'static str,
    },
    /// It can be kept where nobody can look without asking for a password.
    Unknown {
        hint: &'static str,
    },
}

/// Where to look.
pub(crate) struct Outside<'o> {
    /// Whether a session would have this variable.
    pub(crate) is_set: &'o dyn Fn(&str) -> bool,
    pub(crate) home: Option<&'o Path>,
    /// Where Claude Code keeps what is its own, if it was told.
    pub(crate) claudes: Option<&'o Path>,
}

/// Nothing for an agent that shows nothing from outside.
pub(crate) fn look(agent: Agent, outside: &Outside<'_>) -> Option<Seen> {
    let below_home = |file: &str| outside.home.map(|home| home.join(file));
    let claudes = || match outside.claudes {
        Some(folder) => Some(folder.join(".credentials.json")),
        None => below_home(CLAUDE.file),
    };
    match (agent, agent.sign_in()) {
        (_, SignIn::Needed { variable, file, hint }) => {
            Some(seen(&[variable], below_home(file), Silence::Refused { hint }, outside))
        }
        (Agent::Claude, _) => {
            let hint = CLAUDE.hint;
            let silence = match cfg!(target_os = "macos") {
                true => Silence::Unknown { hint },
                false => Silence::Likely { hint },
            };
            Some(seen(CLAUDE.variables, claudes(), silence, outside))
        }
        (Agent::Codex, _) => {
            let silence = Silence::Likely { hint: CODEX.hint };
            Some(seen(CODEX.variables, below_home(CODEX.file), silence, outside))
        }
        _ => None,
    }
}

fn seen(
    variables: &[&'static str],
    file: Option<PathBuf>,
    silence: Silence,
    outside: &Outside<'_>,
) -> Seen {
    if let Some(variable) = variables.iter().find(|name| (outside.is_set)(name)) {
        return Seen::Variable(variable);
    }
    match file.filter(|file| file.is_file()) {
        Some(file) => Seen::File(file.display().to_string()),
        None => Seen::Nothing(silence),
    }
}

pub(crate) fn judge(agent: Agent, seen: Option<&Seen>) -> Check {
    let check = match seen {
        None => Check::not_checked(Id::SignIn, "it says so itself when a session begins"),
        Some(Seen::Variable(name)) => Check::ok(Id::SignIn, format!("{name} is set")),
        Some(Seen::File(path)) => Check::ok(Id::SignIn, format!("{path} is there")),
        Some(Seen::Nothing(Silence::Refused { hint })) => {
            Check::problem(Id::SignIn, "nobody has signed in", Fix::todo(*hint))
        }
        Some(Seen::Nothing(Silence::Likely { hint })) => {
            Check::warning(Id::SignIn, "no sign-in was found in its usual places", Fix::todo(*hint))
        }
        Some(Seen::Nothing(Silence::Unknown { hint })) => {
            Check::not_checked(Id::SignIn, "it may be in the keychain, where nobody looks")
                .with_fix(Fix::todo(*hint))
        }
    };
    check.about(format!("{agent} sign-in"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn looked(agent: Agent, variable: &str, home: &Path) -> Check {
        let is_set = |name: &str| name == variable;
        let outside = Outside { is_set: &is_set, home: Some(home), claudes: None };
        judge(agent, look(agent, &outside).as_ref())
    }

    #[test]
    fn a_variable_or_a_file_is_enough_and_is_named() {
        let home = assert_fs::TempDir::new().unwrap();
        let check = looked(Agent::Amp, "AMP_API_KEY", home.path());
        assert_eq!((check.state, check.found.as_str()), (State::Ok, "AMP_API_KEY is set"));
        assert_eq!(check.title, "amp sign-in");
        let bare = looked(Agent::Codex, "", home.path());
        assert_eq!(bare.state, State::Warning);
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(home.path().join(".codex/auth.json"), "no JSON: nobody reads it").unwrap();
        let check = looked(Agent::Codex, "", home.path());
        assert_eq!(check.state, State::Ok);
        assert!(check.found.ends_with("auth.json is there"), "{check:?}");
    }

    #[test]
    fn claude_code_keeps_it_where_it_was_told_to() {
        let folder = assert_fs::TempDir::new().unwrap();
        std::fs::write(folder.path().join(".credentials.json"), "").unwrap();
        let is_set = |_: &str| false;
        let outside = Outside { is_set: &is_set, home: None, claudes: Some(folder.path()) };
        assert!(matches!(look(Agent::Claude, &outside), Some(Seen::File(_))));
    }

    #[test]
    fn where_nothing_shows_it_is_said_how_to_sign_in() {
        let state = |silence| judge(Agent::Amp, Some(&Seen::Nothing(silence))).state;
        assert_eq!(state(Silence::Refused { hint: "x" }), State::Problem);
        assert_eq!(state(Silence::Likely { hint: "x" }), State::Warning);
        assert_eq!(state(Silence::Unknown { hint: "x" }), State::NotChecked);
        assert_eq!(judge(Agent::Gemini, None).state, State::NotChecked);
    }
}
