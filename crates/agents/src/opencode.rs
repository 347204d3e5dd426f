//! OpenCode: `opencode run --format json`, its flags and its lines.

mod decoder;

use std::ffi::OsString;
use std::path::Path;

use crate::reserved_options::refuse;
use crate::{Abilities, CommandLine, Installed, RefusedArgument, Request, SignIn};

pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities = Abilities {
    model: true,
    cost: true,
    tokens: true,
    session_id: true,
    structured_output: true,
    ..Abilities::NONE
};

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[
        ".opencode/bin/opencode",
        ".npm-global/bin/opencode",
        ".local/bin/opencode",
        ".bun/bin/opencode",
    ],
    hint: "install it with npm install -g opencode-ai",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;

const RESERVED: &[&str] =
    &["--format", "--dir", "--session", "-s", "--continue", "-c", "--fork", "--attach"];

/// The command of a new session.
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, RESERVED)?;
    let mut args: Vec<OsString> = ["run", "--format", "json", "--auto"].map(OsString::from).into();
    if let Some(model) = &request.model {
        args.extend(["-m".into(), model.into()]);
    }
    args.extend(["--dir".into(), request.folder.clone().into()]);
    args.extend(request.extra_args.iter().cloned());
    Ok(CommandLine::with_stdin_prompt(program, args, Vec::new(), request))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call() {
        let request = Request {
            prompt: "do it".into(),
            folder: "/app".into(),
            extra_args: vec!["--agent".into(), "build".into()],
            ..Request::default()
        };
        let line = command(Path::new("opencode"), &request).unwrap();
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
        let line = command(Path::new("opencode"), &request).unwrap().to_string();
        assert!(line.contains("--auto -m openai/gpt-5 --dir /app"), "{line}");
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in ["--format=default", "--dir", "--session", "-s", "--continue", "-c"] {
            let request = Request { extra_args: vec![argument.into()], ..Request::default() };
            let refused = command(Path::new("opencode"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
