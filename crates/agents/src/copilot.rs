//! GitHub Copilot CLI: `copilot --output-format json`, its flags and its lines.

mod decoder;
mod tool;

use std::ffi::OsString;
use std::path::Path;

use crate::reserved_options::refuse;
use crate::{Abilities, CommandLine, Installed, RefusedArgument, Request, SignIn};

pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities =
    Abilities { session_id: true, structured_output: true, ..Abilities::NONE };

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".local/bin/copilot", ".npm-global/bin/copilot", ".bun/bin/copilot"],
    hint: "install it with npm install -g @github/copilot",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;

/// `-i` and `--acp` would wait for input, `-s` prints no stream.
const RESERVED: &[&str] = &[
    "--output-format",
    "--stream",
    "--silent",
    "-s",
    "--resume",
    "--continue",
    "--session-id",
    "--interactive",
    "-i",
    "--acp",
    "--ask-user",
];

/// The command of a new session, in the current folder.
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, RESERVED)?;
    let mut args: Vec<OsString> = [
        "--output-format",
        "json",
        "--allow-all",
        "--no-ask-user",
        "--no-auto-update",
        "--stream",
        "off",
    ]
    .map(OsString::from)
    .into();
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
            model: Some("any".into()),
            extra_args: vec!["--no-color".into()],
            ..Request::default()
        };
        let line = command(Path::new("copilot"), &request).unwrap();
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
            let refused = command(Path::new("copilot"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
