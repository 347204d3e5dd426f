//! Builds the command of Codex.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::reserved_options::refuse;
use crate::{CommandLine, RefusedArgument, Request};

/// Codex accepts none of its options twice, and its sandbox options have no effect while the sandbox is off.
const RESERVED: [&str; 15] = [
    "--json",
    "--experimental-json",
    "--output-last-message",
    "-o",
    "--cd",
    "-C",
    "--sandbox",
    "-s",
    "--full-auto",
    "--not-so-yolo",
    "--yolo",
    "--dangerously-bypass-approvals-and-sandbox",
    "--skip-git-repo-check",
    "resume",
    "review",
];

/// The position of the prompt; another one would be a second prompt.
const PROMPT: [&str; 2] = ["-", "--"];

/// The command of a new session. Codex's own sandbox is off, because in it an agent can neither commit nor use
/// the network.
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, &RESERVED)?;
    if let Some(place) = PROMPT.iter().find(|place| request.extra_args.iter().any(|a| a == *place))
    {
        return Err(RefusedArgument::Reserved((*place).to_owned()));
    }
    let mut args: Vec<OsString> =
        ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
            .map(OsString::from)
            .into();
    // Before our own options, because `--image` takes every word up to the next option, also the `-`.
    args.extend(request.extra_args.iter().cloned());
    if let Some(model) = &request.model {
        args.extend(["-m".into(), model.into()]);
    }
    args.extend(["-C".into(), folder(request).into(), "-".into()]);
    Ok(CommandLine::with_stdin_prompt(program, args, Vec::new(), request))
}

fn folder(request: &Request) -> &OsStr {
    let folder = request.folder.as_os_str();
    if folder.is_empty() { OsStr::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(request: &Request) -> String {
        let line = command(Path::new("codex"), request).unwrap();
        line.args.join(OsStr::new(" ")).into_string().unwrap()
    }

    const FIRST: &str =
        "exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check";

    #[test]
    fn the_minimal_command() {
        let request =
            Request { prompt: "-do it".into(), folder: "/app".into(), ..Request::default() };
        assert_eq!(args(&request), format!("{FIRST} -C /app -"));
        assert_eq!(command(Path::new("codex"), &request).unwrap().stdin, "-do it");
        assert_eq!(args(&Request::default()), format!("{FIRST} -C . -"));
    }

    #[test]
    fn every_option() {
        let request = Request {
            folder: "/app".into(),
            model: Some("gpt".into()),
            extra_args: vec!["-c".into(), "x=1".into(), "-i".into(), "a.png".into()],
            ..Request::default()
        };
        assert_eq!(args(&request), format!("{FIRST} -c x=1 -i a.png -m gpt -C /app -"));
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in [
            "--json",
            "-o",
            "-olast.txt",
            "--output-last-message=x",
            "-C",
            "--cd=/",
            "resume",
            "-sread-only",
            "--sandbox",
            "--yolo",
            "-",
            "--",
        ] {
            let extra_args = vec!["--oss".into(), argument.into()];
            let refused =
                command(Path::new("codex"), &Request { extra_args, ..Request::default() });
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
