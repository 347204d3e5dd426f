//! Cline: `cline --json`, its flags and its lines.

mod decoder;
mod run_result;

use std::path::Path;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, RefusedArgument, Request, SignIn, Value, needs};

pub(crate) const ADAPTER: Adapter = Adapter {
    name: "cline",
    abilities: Abilities {
        cost: true,
        tokens: true,
        session_id: true,
        structured_output: true,
        ..Abilities::NONE
    },
    installed: Installed {
        usual_places: &[".npm-global/bin/cline", ".local/bin/cline", ".bun/bin/cline"],
        hint: "install it with npm install -g cline",
    },
    sign_in: SignIn::ReportedByAgent,
    needs: needs::CLINE,
    command,
    decoder: |_| Box::<decoder::Decoder>::default(),
};

/// Cline needs an argument of at least two words besides the prompt on standard input.
const LEAD_IN: &str = "Follow the instructions below.";

/// With `--yolo` a session only ends when the model calls a special tool. With approvals every tool fails, because
/// no user can approve.
const RESERVED: &[&str] = &[
    "--json",
    "--cwd",
    "-c",
    "--yolo",
    "-y",
    "--auto-approve",
    "--id",
    "--taskId",
    "-T",
    "--continue",
    "--resume",
    "--tui",
    "-i",
];

/// The command of a new session. The variable prevents a daemon that would outlive it.
fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    let mut line = CommandLine::new(program, request, RESERVED)?;
    line.words(&["--json"]);
    line.option("-c", Some(&request.folder));
    line.words(&[LEAD_IN]);
    line.args.extend_from_slice(&request.extra_args);
    line.environment = vec![("CLINE_SESSION_BACKEND_MODE".into(), Value::Shown("local".into()))];
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let line = command(Path::new("cline"), &request).unwrap();
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
            let refused = command(Path::new("cline"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
