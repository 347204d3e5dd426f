//! Builds the command of Claude Code.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::{CommandLine, RefusedArgument, Request, Servers, Value};

/// Variables that a surrounding Claude Code sets for its tools and hooks, which would make the run a part of that
/// session, and variables that disable hooks.
const REMOVED: &str = "
    AI_AGENT CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH
    CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SAFE_MODE
    CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SESSION_KIND
    CLAUDE_CODE_SESSION_NAME CLAUDE_CODE_SIMPLE CLAUDE_CODE_SSE_PORT CLAUDE_EFFORT CLAUDE_ENV_FILE
    CLAUDE_PID CLAUDE_PLUGIN_DATA CLAUDE_PLUGIN_ROOT CLAUDE_PROJECT_DIR
";

/// The command of a new session.
pub(super) fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    request.extra_args.iter().try_for_each(|argument| accept(argument, request))?;
    line.environment = environment();
    line.words("-p --output-format stream-json --verbose --include-hook-events");
    line.words("--dangerously-skip-permissions");
    line.option("--session-id", Some(&request.session_id));
    line.option("--plugin-dir", request.plugin_dir.as_ref());
    line.option("--settings", request.settings.as_ref());
    line.option("--model", request.model.as_ref());
    line.option("--fallback-model", request.fallback_model.as_ref());
    line.option("--max-turns", request.max_turns.map(|turns| turns.to_string()));
    line.option("--max-budget-usd", request.max_budget_usd.map(|dollars| dollars.to_string()));
    line.option("--json-schema", request.answer_schema);
    line.option("--append-system-prompt-file", request.system_prompt_file.as_ref());
    if let Servers::Only(file) = &request.servers {
        line.option("--mcp-config", file.as_ref());
        line.words("--strict-mcp-config");
    }
    line.args.extend_from_slice(&request.extra_args);
    Ok(())
}

/// An interactive session on the caller's terminal. It asks the user for permissions, so it gets no flag to skip
/// them. The prompt is its first message.
pub(crate) fn interactive(program: &Path, request: &Request) -> CommandLine {
    let (program, environment) = (program.to_owned(), environment());
    let mut line = CommandLine { program, environment, ..CommandLine::default() };
    line.option("--model", request.model.as_ref());
    line.args.extend_from_slice(&request.extra_args);
    line.words("--");
    line.args.push(request.prompt.as_str().into());
    line
}

fn environment() -> Vec<(OsString, Value)> {
    REMOVED.split_whitespace().map(|name| (name.into(), Value::Removed)).collect()
}

fn accept(argument: &OsStr, request: &Request) -> Result<(), RefusedArgument> {
    let argument = argument.to_string_lossy();
    let name = argument.split('=').next().unwrap_or_default();
    let is_reserved = match name {
        "--bare" | "--safe-mode" => return Err(RefusedArgument::SwitchesHooksOff(name.to_owned())),
        "--output-format" | "--input-format" | "--session-id" | "--resume" | "-r"
        | "--continue" | "-c" => true,
        // A second one would replace the runner's.
        "--json-schema" => request.answer_schema.is_some(),
        // The last one replaces all others, and with them the sandbox.
        "--settings" => request.settings.is_some(),
        _ => false,
    };
    if is_reserved { Err(RefusedArgument::Reserved(name.to_owned())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;

    fn args(request: &Request) -> String {
        let line = Agent::Claude.command(Path::new("claude"), request).unwrap();
        line.args.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn the_minimal_command() {
        let request =
            Request { prompt: "do it".into(), session_id: "id".into(), ..Request::default() };
        assert_eq!(
            args(&request),
            "-p --output-format stream-json --verbose --include-hook-events \
             --dangerously-skip-permissions --session-id id"
        );
        let line = Agent::Claude.command(Path::new("/opt/claude"), &request).unwrap();
        assert_eq!(line.program, Path::new("/opt/claude"));
        assert_eq!(line.stdin, "do it");
    }

    #[test]
    fn a_session_with_a_person_asks_before_it_acts() {
        let request = Request {
            prompt: "- plan it".into(),
            model: Some("opus".into()),
            extra_args: vec!["--effort".into(), "high".into()],
            ..Request::default()
        };
        let line = interactive(Path::new("claude"), &request);
        assert_eq!(line.args, ["--model", "opus", "--effort", "high", "--", "- plan it"]);
        assert_eq!(line.stdin, "");
    }

    #[test]
    fn every_option() {
        let request = Request {
            model: Some("opus".into()),
            max_turns: Some(7),
            max_budget_usd: Some(0.000_000_25),
            plugin_dir: Some("/plug".into()),
            settings: Some("{}".into()),
            fallback_model: Some("sonnet".into()),
            answer_schema: Some("{}"),
            system_prompt_file: Some("/skills.md".into()),
            servers: Servers::Only(Some("/mcp.json".into())),
            extra_args: vec!["--effort".into(), "high".into()],
            ..Request::default()
        };
        let tail = "--plugin-dir /plug --settings {} --model opus --fallback-model sonnet --max-turns 7 \
                    --max-budget-usd 0.00000025 --json-schema {} --append-system-prompt-file \
                    /skills.md --mcp-config /mcp.json --strict-mcp-config --effort high";
        assert!(args(&request).ends_with(tail), "{}", args(&request));
    }

    #[test]
    fn no_servers_need_no_file() {
        let request = Request { servers: Servers::Only(None), ..Request::default() };
        let args = args(&request);
        assert!(
            args.ends_with(" --strict-mcp-config") && !args.contains("--mcp-config "),
            "{args}"
        );
    }

    #[test]
    fn a_schema_of_the_runners_is_not_replaced_and_without_one_the_users_counts() {
        let mut request =
            Request { extra_args: vec!["--json-schema={}".into()], ..Request::default() };
        assert!(Agent::Claude.command(Path::new("claude"), &request).is_ok());
        request.answer_schema = Some("{}");
        let refused = Agent::Claude.command(Path::new("claude"), &request);
        assert!(matches!(refused, Err(RefusedArgument::Reserved(_))));
    }

    #[test]
    fn settings_of_the_runners_are_not_replaced_and_without_any_the_users_count() {
        let mut request = Request { extra_args: vec!["--settings".into()], ..Request::default() };
        assert!(Agent::Claude.command(Path::new("claude"), &request).is_ok());
        request.settings = Some("{}".into());
        let refused = Agent::Claude.command(Path::new("claude"), &request);
        assert!(matches!(refused, Err(RefusedArgument::Reserved(_))));
    }

    #[test]
    fn a_surrounding_session_is_left_behind() {
        let line = Agent::Claude.command(Path::new("claude"), &Request::default()).unwrap();
        for name in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SIMPLE"] {
            assert!(line.environment.contains(&(name.into(), Value::Removed)), "{name}");
        }
    }

    #[test]
    fn hooks_cannot_be_switched_off_by_extra_arguments() {
        for argument in ["--bare", "--safe-mode", "--bare=true"] {
            let extra_args = vec!["--effort".into(), "high".into(), argument.into()];
            let refused = Agent::Claude
                .command(Path::new("claude"), &Request { extra_args, ..Request::default() });
            assert!(matches!(refused, Err(RefusedArgument::SwitchesHooksOff(_))), "{argument}");
        }
    }

    #[test]
    fn options_of_the_runner_cannot_be_replaced() {
        for argument in ["--output-format=text", "--session-id", "-c", "--resume"] {
            let extra_args = vec![argument.into()];
            let refused = Agent::Claude
                .command(Path::new("claude"), &Request { extra_args, ..Request::default() });
            assert!(matches!(refused, Err(RefusedArgument::Reserved(_))), "{argument}");
        }
    }
}
