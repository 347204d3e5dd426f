//! How Codex is called.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::own_options::refuse;
use crate::{CommandLine, RefusedArgument, Request};

/// Codex takes none of its options twice, and a sandbox that is asked for while it is switched off
/// would only seem to be there.
const OWN: [&str; 15] = [
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

/// The prompt's place; a second one would be a second prompt.
const PROMPT: [&str; 2] = ["-", "--"];

/// The call of one fresh session. Its own sandbox is off, because in it an agent can neither commit
/// nor reach the network that a project's tests may need.
pub(crate) fn command(program: &Path, request: &Request) -> Result<CommandLine, RefusedArgument> {
    refuse(&request.extra_args, &OWN)?;
    if let Some(place) = PROMPT.iter().find(|place| request.extra_args.iter().any(|a| a == *place))
    {
        return Err(RefusedArgument::RunnersOwn((*place).to_owned()));
    }
    let mut args: Vec<OsString> =
        ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
            .map(OsString::from)
            .into();
    // Before our own options, for `--image` takes every word up to the next option: also the `-`.
    args.extend(request.extra_args.iter().cloned());
    if let Some(model) = &request.model {
        args.extend(["-m".into(), model.into()]);
    }
    args.extend(["-C".into(), folder(request).into(), "-".into()]);
    Ok(CommandLine::told(program, args, Vec::new(), request))
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
    fn the_least_call() {
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
    fn what_the_runner_sets_stays_as_it_is() {
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
            assert!(matches!(refused, Err(RefusedArgument::RunnersOwn(_))), "{argument}");
        }
    }
}
