//! Amp: `amp -x`, its flags and its `--stream-json` lines, which match Claude Code's except for the result.

mod decoder;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, Needs, RefusedArgument, Request, SignIn};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities {
            tokens: true,
            session_id: true,
            structured_output: true,
            ..Abilities::default()
        },
        installed: Installed {
            usual_places: &[".local/bin/amp", ".amp/bin/amp", ".npm-global/bin/amp"],
            hint: "install it with npm install -g @ampcode/cli",
        },
        sign_in: SignIn::Needed {
            variable: "AMP_API_KEY",
            file: ".local/share/amp/secrets.json",
            hint: "set AMP_API_KEY, or run `amp login`",
        },
        needs: Needs {
            readable: &[".config/amp"],
            writable: &[".local/share/amp", ".cache/amp"],
            variables: &["AMP_*"],
            ..Needs::default()
        },
        reserved: RESERVED,
        arguments,
        decoder: |_| Box::<decoder::Decoder>::default(),
    }
}

/// `threads` would continue an old session.
const RESERVED: &str = "-x --execute --stream-json --stream-json-input threads --";

/// It works in its current folder and has no flag for a model; `--mode` can be an extra argument.
fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    line.words("--stream-json --dangerously-allow-all");
    line.args.extend_from_slice(&request.extra_args);
    // Last, because it takes the next word as the prompt.
    line.words("-x");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::*;
    use crate::Agent;

    fn request(extra_args: &[&str]) -> Request {
        Request {
            prompt: "-do it".into(),
            model: Some("ignored".into()),
            extra_args: extra_args.iter().map(OsString::from).collect(),
            ..Request::default()
        }
    }

    #[test]
    fn the_call() {
        let line =
            Agent::Amp.command(Path::new("/opt/amp"), &request(&["--mode", "rush"])).unwrap();
        assert_eq!(line.program, Path::new("/opt/amp"));
        assert_eq!(line.args, ["--stream-json", "--dangerously-allow-all", "--mode", "rush", "-x"]);
        assert_eq!(line.stdin, "-do it");
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in ["-x", "--execute=now", "--stream-json-input", "threads", "--"] {
            let refused = Agent::Amp.command(Path::new("amp"), &request(&[argument]));
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
