//! Gemini CLI: `gemini -o stream-json`, its flags, its lines and its exit codes.

mod decoder;
mod exit_code;
mod result_line;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, Needs, RefusedArgument, Request, SignIn, Value};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities {
            model: true,
            tokens: true,
            session_id: true,
            structured_output: true,
            ..Abilities::default()
        },
        installed: Installed {
            usual_places: &[".npm-global/bin/gemini", ".local/bin/gemini", ".bun/bin/gemini"],
            hint: "install it with npm install -g @google/gemini-cli",
        },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs {
            writable: &[".gemini"],
            variables: &["GEMINI_*", "GOOGLE_*"],
            ..Needs::default()
        },
        reserved: RESERVED,
        arguments,
        decoder: |_| Box::<decoder::Decoder>::default(),
    }
}

/// `--approval-mode` and `--yolo` exclude each other; `-i` would wait for input.
const RESERVED: &str = "
    --output-format --outputFormat -o --approval-mode --approvalMode --resume -r --session-id
    --sessionId --prompt-interactive --promptInteractive -i --worktree -w
";

/// The command of a new session, in the current folder. The variable prevents a second process.
fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    line.words("-o stream-json --yolo --skip-trust");
    line.option("-m", request.model.as_ref());
    line.args.extend_from_slice(&request.extra_args);
    line.environment = vec![("GEMINI_CLI_NO_RELAUNCH".into(), Value::Shown("true".into()))];
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
            model: Some("pro".into()),
            extra_args: vec!["--debug".into()],
            ..Request::default()
        };
        let line = Agent::Gemini.command(Path::new("gemini"), &request).unwrap();
        assert_eq!(
            line.to_string(),
            "env GEMINI_CLI_NO_RELAUNCH=true gemini -o stream-json --yolo --skip-trust -m pro \
             --debug < (prompt of 5 bytes)"
        );
        assert_eq!(line.stdin, "do it");
    }

    #[test]
    fn without_a_model_it_is_its_own_choice() {
        let line = Agent::Gemini.command(Path::new("gemini"), &Request::default()).unwrap();
        assert!(!line.args.contains(&"-m".into()));
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in
            ["--output-format=text", "-ojson", "--resume", "-r", "-i", "--approval-mode"]
        {
            let request = Request { extra_args: vec![argument.into()], ..Request::default() };
            let refused = Agent::Gemini.command(Path::new("gemini"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
