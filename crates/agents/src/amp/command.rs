//! Builds the command of Amp.

use std::ffi::OsString;
use std::path::Path;

use crate::reserved_options::refuse;
use crate::{CommandLine, RefusedArgument, Request};

/// `threads` would continue an old session.
const RESERVED: [&str; 6] =
    ["-x", "--execute", "--stream-json", "--stream-json-input", "threads", "--"];

/// It works in its current folder and has no flag for a model; `--mode` can be an extra argument.
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, &RESERVED)?;
    let mut args: Vec<OsString> =
        ["--stream-json", "--dangerously-allow-all"].map(OsString::from).into();
    args.extend(request.extra_args.iter().cloned());
    // Last, because it takes the next word as the prompt.
    args.push("-x".into());
    Ok(CommandLine::with_stdin_prompt(program, args, Vec::new(), request))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let line = command(Path::new("/opt/amp"), &request(&["--mode", "rush"])).unwrap();
        assert_eq!(line.program, Path::new("/opt/amp"));
        assert_eq!(line.args, ["--stream-json", "--dangerously-allow-all", "--mode", "rush", "-x"]);
        assert_eq!(line.stdin, "-do it");
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in ["-x", "--execute=now", "--stream-json-input", "threads", "--"] {
            let refused = command(Path::new("amp"), &request(&[argument]));
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
