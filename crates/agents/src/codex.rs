//! Codex: `codex exec`, its flags and its `--json` lines.

mod decoder;
mod failure;
mod item;
mod shell_words;

use std::ffi::OsStr;

use crate::adapter::Adapter;
use crate::{Abilities, CommandLine, Installed, Needs, RefusedArgument, Request, SignIn};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities {
            tokens: true,
            session_id: true,
            model: true,
            structured_output: true,
            usage_limits: true,
            ..Abilities::default()
        },
        installed: Installed {
            usual_places: &[".local/bin/codex", ".npm-global/bin/codex", ".bun/bin/codex"],
            hint: "install it with npm install -g @openai/codex",
        },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs {
            moved_by: Some(("CODEX_HOME", ".codex")),
            readable: &[
                ".codex/AGENTS.md",
                ".codex/AGENTS.override.md",
                ".codex/config.toml",
                ".codex/hooks.json",
                ".codex/prompts",
                ".codex/rules",
                ".codex/skills",
            ],
            writable: &[".codex/auth.json"],
            transcripts: &[".codex/sessions"],
            variables: &["CODEX_*", "OPENAI_*"],
            hosts: &["api.openai.com", "auth.openai.com", "chatgpt.com"],
            addresses: &["OPENAI_BASE_URL"],
            proxy: true,
            ..Needs::default()
        },
        reserved: RESERVED,
        arguments,
        decoder: |_| Box::<decoder::Decoder>::default(),
    }
}

/// Codex accepts none of its options twice, and its sandbox options have no effect while the sandbox is off.
const RESERVED: &str = "
    --json --experimental-json --output-last-message -o --cd -C --sandbox -s --full-auto
    --not-so-yolo --yolo --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check resume
    review
";

/// The position of the prompt; another one would be a second prompt.
const PROMPT: [&str; 2] = ["-", "--"];

/// The command of a new session. Codex's own sandbox is off, because in it an agent can neither commit nor use
/// the network.
fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    if let Some(place) = PROMPT.iter().find(|place| request.extra_args.iter().any(|a| a == *place))
    {
        return Err(RefusedArgument::Reserved((*place).to_owned()));
    }
    line.words("exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check");
    // Before our own options, because `--image` takes every word up to the next option, also the `-`.
    line.args.extend_from_slice(&request.extra_args);
    line.option("-m", request.model.as_ref());
    let folder = request.folder.as_os_str();
    line.option("-C", Some(if folder.is_empty() { OsStr::new(".") } else { folder }));
    line.words("-");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Agent;

    fn args(request: &Request) -> String {
        let line = Agent::Codex.command(Path::new("codex"), request).unwrap();
        line.args.join(OsStr::new(" ")).into_string().unwrap()
    }

    const FIRST: &str =
        "exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check";

    #[test]
    fn the_minimal_command() {
        let request =
            Request { prompt: "-do it".into(), folder: "/app".into(), ..Request::default() };
        assert_eq!(args(&request), format!("{FIRST} -C /app -"));
        assert_eq!(Agent::Codex.command(Path::new("codex"), &request).unwrap().stdin, "-do it");
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
            let refused = Agent::Codex
                .command(Path::new("codex"), &Request { extra_args, ..Request::default() });
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
