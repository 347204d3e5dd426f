//! Gemini CLI: `gemini -o stream-json`, its flags, its lines and its exit codes.

mod decoder;
mod exit_code;
mod result_line;

use std::ffi::OsString;
use std::path::Path;

use crate::reserved_options::refuse;
use crate::{Abilities, CommandLine, Installed, RefusedArgument, Request, SignIn, Value};

pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities = Abilities {
    model: true,
    tokens: true,
    session_id: true,
    structured_output: true,
    ..Abilities::NONE
};

pub(crate) const INSTALLED: Installed = Installed {
    usual_places: &[".npm-global/bin/gemini", ".local/bin/gemini", ".bun/bin/gemini"],
    hint: "install it with npm install -g @google/gemini-cli",
};

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;

/// `--approval-mode` and `--yolo` exclude each other; `-i` would wait for input.
const RESERVED: &[&str] = &[
    "--output-format",
    "--outputFormat",
    "-o",
    "--approval-mode",
    "--approvalMode",
    "--resume",
    "-r",
    "--session-id",
    "--sessionId",
    "--prompt-interactive",
    "--promptInteractive",
    "-i",
    "--worktree",
    "-w",
];

/// The command of a new session, in the current folder. The variable prevents a second process.
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, RESERVED)?;
    let mut args: Vec<OsString> =
        ["-o", "stream-json", "--yolo", "--skip-trust"].map(OsString::from).into();
    if let Some(model) = &request.model {
        args.extend(["-m".into(), model.into()]);
    }
    args.extend(request.extra_args.iter().cloned());
    Ok(CommandLine::with_stdin_prompt(
        program,
        args,
        vec![("GEMINI_CLI_NO_RELAUNCH".into(), Value::Shown("true".into()))],
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
            model: Some("pro".into()),
            extra_args: vec!["--debug".into()],
            ..Request::default()
        };
        let line = command(Path::new("gemini"), &request).unwrap();
        assert_eq!(
            line.to_string(),
            "env GEMINI_CLI_NO_RELAUNCH=true gemini -o stream-json --yolo --skip-trust -m pro \
             --debug < (prompt of 5 bytes)"
        );
        assert_eq!(line.stdin, "do it");
    }

    #[test]
    fn without_a_model_it_is_its_own_choice() {
        let line = command(Path::new("gemini"), &Request::default()).unwrap();
        assert!(!line.args.contains(&"-m".into()));
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in
            ["--output-format=text", "-ojson", "--resume", "-r", "-i", "--approval-mode"]
        {
            let request = Request { extra_args: vec![argument.into()], ..Request::default() };
            let refused = command(Path::new("gemini"), &request);
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
