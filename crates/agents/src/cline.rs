//! Cline: `cline --json`, its flags and its lines.

mod decoder;
mod run_result;

use std::path::Path;

use crate::reserved_options::refuse;
use crate::{Abilities, CommandLine, Installed, RefusedArgument, Request, SignIn, Value};

pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities = Abilities {
    cost: true,
    tokens: true,
    session_id: true,
    structured_output: true,
    ..Abilities::NONE
};

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".npm-global/bin/cline", ".local/bin/cline", ".bun/bin/cline"],
    hint: "install it with npm install -g cline",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;

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
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, RESERVED)?;
    let mut args =
        vec!["--json".into(), "-c".into(), request.folder.clone().into(), LEAD_IN.into()];
    args.extend(request.extra_args.iter().cloned());
    Ok(CommandLine::with_stdin_prompt(
        program,
        args,
        vec![("CLINE_SESSION_BACKEND_MODE".into(), Value::Shown("local".into()))],
        request,
    ))
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
