//! GitHub Copilot CLI: `copilot --output-format json`, its flags and its lines.

mod decoder;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, Needs, RefusedArgument, Request, SignIn};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities { session_id: true, structured_output: true, ..Abilities::default() },
        installed: Installed {
            usual_places: &[".local/bin/copilot", ".npm-global/bin/copilot", ".bun/bin/copilot"],
            hint: "install it with npm install -g @github/copilot",
        },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs {
            writable: &[".copilot", ".config/github-copilot"],
            variables: &["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
            ..Needs::default()
        },
        reserved: RESERVED,
        arguments,
        decoder: |_| Box::<decoder::Decoder>::default(),
    }
}

/// `-i` and `--acp` would wait for input, `-s` prints no stream.
const RESERVED: &str = "
    --output-format --stream --silent -s --resume --continue --session-id --interactive -i --acp
    --ask-user
";

/// The command of a new session, in the current folder.
fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    line.words("--output-format json --allow-all --no-ask-user --no-auto-update");
    line.words("--stream off");
    line.args.extend_from_slice(&request.extra_args);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Agent;

    #[test]
    fn the_call() {
        let request = Request {
            prompt: "do it".into(),
            folder: "/app".into(),
            model: Some("any".into()),
            extra_args: vec!["--no-color".into()],
            ..Request::default()
        };
        let line = Agent::Copilot.command(Path::new("copilot"), &request).unwrap();
        assert_eq!(
            line.to_string(),
            "copilot --output-format json --allow-all --no-ask-user --no-auto-update --stream off \
             --no-color < (prompt of 5 bytes)"
        );
        assert_eq!(line.stdin, "do it");
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in
            ["--output-format=text", "--stream=on", "--resume", "--continue", "-i", "-s"]
        {
            let request = Request { extra_args: vec![argument.into()], ..Request::default() };
            let refused = Agent::Copilot.command(Path::new("copilot"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
