//! OpenCode: `opencode run --format json`, its flags and its lines.

mod decoder;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, Needs, RefusedArgument, Request, SignIn};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities {
            model: true,
            cost: true,
            tokens: true,
            session_id: true,
            structured_output: true,
            ..Abilities::default()
        },
        installed: Installed {
            usual_places: &[
                ".opencode/bin/opencode",
                ".npm-global/bin/opencode",
                ".local/bin/opencode",
                ".bun/bin/opencode",
            ],
            hint: "install it with npm install -g opencode-ai",
        },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs {
            readable: &[".config/opencode"],
            writable: &[".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
            variables: &["OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
            ..Needs::default()
        },
        reserved: RESERVED,
        arguments,
        decoder: |_| Box::<decoder::Decoder>::default(),
    }
}

const RESERVED: &str = "--format --dir --session -s --continue -c --fork --attach";

/// The command of a new session.
fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    line.words("run --format json --auto");
    line.option("-m", request.model.as_ref());
    line.option("--dir", Some(&request.folder));
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
            extra_args: vec!["--agent".into(), "build".into()],
            ..Request::default()
        };
        let line = Agent::OpenCode.command(Path::new("opencode"), &request).unwrap();
        assert_eq!(
            line.to_string(),
            "opencode run --format json --auto --dir /app --agent build < (prompt of 5 bytes)"
        );
        assert_eq!(line.stdin, "do it");
    }

    #[test]
    fn with_a_model() {
        let request = Request {
            folder: "/app".into(),
            model: Some("openai/gpt-5".into()),
            ..Request::default()
        };
        let line = Agent::OpenCode.command(Path::new("opencode"), &request).unwrap().to_string();
        assert!(line.contains("--auto -m openai/gpt-5 --dir /app"), "{line}");
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in ["--format=default", "--dir", "--session", "-s", "--continue", "-c"] {
            let request = Request { extra_args: vec![argument.into()], ..Request::default() };
            let refused = Agent::OpenCode.command(Path::new("opencode"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
