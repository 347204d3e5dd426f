//! Cline: `cline --json`, its flags and its lines.

mod decoder;
mod run_result;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, Needs, RefusedArgument, Request, SignIn, Value};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities {
            cost: true,
            tokens: true,
            session_id: true,
            structured_output: true,
            ..Abilities::default()
        },
        installed: Installed {
            usual_places: &[".npm-global/bin/cline", ".local/bin/cline", ".bun/bin/cline"],
            hint: "install it with npm install -g cline",
        },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs {
            writable: &[".cline"],
            variables: &["CLINE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
            ..Needs::default()
        },
        reserved: RESERVED,
        arguments,
        decoder: |_| Box::<decoder::Decoder>::default(),
    }
}

/// Cline needs an argument of at least two words besides the prompt on standard input.
const LEAD_IN: &str = "Follow the instructions below.";

/// With `--yolo` a session only ends when the model calls a special tool. With approvals every tool fails, because
/// no user can approve.
const RESERVED: &str =
    "--json --cwd -c --yolo -y --auto-approve --id --taskId -T --continue --resume --tui -i";

/// The command of a new session. The variable prevents a daemon that would outlive it.
fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    line.words("--json");
    line.option("-c", Some(&request.folder));
    line.args.push(LEAD_IN.into());
    line.args.extend_from_slice(&request.extra_args);
    line.environment = vec![("CLINE_SESSION_BACKEND_MODE".into(), Value::Shown("local".into()))];
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
            max_turns: Some(3),
            extra_args: vec!["--thinking".into()],
            ..Request::default()
        };
        let line = Agent::Cline.command(Path::new("cline"), &request).unwrap();
        assert_eq!(
            line.to_string(),
            "env CLINE_SESSION_BACKEND_MODE=local cline --json -c /app 'Follow the instructions \
             below.' --thinking < (prompt of 5 bytes)"
        );
        assert_eq!(line.stdin, "do it");
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in ["--json", "-c", "--cwd=/x", "--yolo", "-y", "--auto-approve=false", "--id"]
        {
            let request = Request { extra_args: vec![argument.into()], ..Request::default() };
            let refused = Agent::Cline.command(Path::new("cline"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
