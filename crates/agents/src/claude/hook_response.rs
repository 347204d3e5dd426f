//! `system/hook_response` lines: the answer of a hook, with the same rules as Claude Code.

use crate::one_line::one_line;
use crate::raw::{Object, Raw};
use crate::{HookAnswer, HookVerdict};

/// A hook with this exit code blocks; its standard error is the reason.
const BLOCKING_EXIT: i32 = 2;

pub(super) fn decode(response: &Object<'_>) -> HookAnswer {
    let event = response["hook_event"].string().unwrap_or_default();
    let stderr = response["stderr"].text().unwrap_or_default().trim().to_owned();
    let exit_code = response["exit_code"].parse();
    let verdict = match (exit_code, response["outcome"].text().as_deref()) {
        (Some(BLOCKING_EXIT), _) => HookVerdict::Blocked { reason: stderr.clone() },
        (Some(0) | None, Some("success")) => {
            from_stdout(&event, &response["stdout"].text().unwrap_or_default())
        }
        (exit_code, outcome) => HookVerdict::Failed { why: failure(exit_code, outcome, &stderr) },
    };
    let name = response["hook_name"].string().unwrap_or_default();
    HookAnswer { event, name, exit_code, verdict, stderr }
}

fn from_stdout(event: &str, stdout: &str) -> HookVerdict {
    let stdout = stdout.trim();
    if stdout.starts_with('{')
        && let Ok(output) = serde_json::from_str(stdout)
    {
        return answered(&output);
    }
    // Only for these two events plain text reaches the model.
    match event {
        "SessionStart" | "UserPromptSubmit" if !stdout.is_empty() => {
            HookVerdict::Informed { context: stdout.to_owned() }
        }
        _ => HookVerdict::Silent,
    }
}

fn answered(output: &Object<'_>) -> HookVerdict {
    let specific = output["hookSpecificOutput"].fields();
    let blocked =
        |reason: Raw<'_>| HookVerdict::Blocked { reason: reason.string().unwrap_or_default() };
    if output["decision"].is("block") {
        blocked(output["reason"])
    } else if specific["permissionDecision"].is("deny") {
        blocked(specific["permissionDecisionReason"])
    } else if output["continue"].flag() == Some(false) {
        blocked(output["stopReason"])
    } else if let Some(message) = output["systemMessage"].string() {
        HookVerdict::Warned { message }
    } else if let Some(context) = specific["additionalContext"].string() {
        HookVerdict::Informed { context }
    } else {
        HookVerdict::Silent
    }
}

fn failure(exit_code: Option<i32>, outcome: Option<&str>, stderr: &str) -> String {
    let words = one_line(stderr);
    if !words.is_empty() {
        return words;
    }
    match exit_code {
        Some(code) if code != 0 => format!("exit code {code}"),
        _ => outcome.unwrap_or("no outcome").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(event: &str, stdout: &str, stderr: &str, rest: &str) -> HookVerdict {
        let (stdout, stderr) = (serde_json::json!(stdout), serde_json::json!(stderr));
        let line = format!(
            r#"{{"hook_event":"{event}","hook_name":"x","stdout":{stdout},"stderr":{stderr},{rest}}}"#
        );
        decode(&serde_json::from_str(&line).unwrap()).verdict
    }

    fn stop_verdict(stdout: &str) -> HookVerdict {
        verdict("Stop", stdout, "", r#""exit_code":0,"outcome":"success""#)
    }

    #[test]
    fn meanings_of_hook_answers() {
        let blocked = |reason: &str| HookVerdict::Blocked { reason: reason.into() };
        assert_eq!(stop_verdict(""), HookVerdict::Silent);
        assert_eq!(stop_verdict("just words"), HookVerdict::Silent);
        assert_eq!(stop_verdict("{}"), HookVerdict::Silent);
        assert_eq!(stop_verdict("{broken"), HookVerdict::Silent);
        assert_eq!(stop_verdict(r#"{"decision":"block","reason":"no"}"#), blocked("no"));
        assert_eq!(stop_verdict(r#"{"decision":"approve","reason":"no"}"#), HookVerdict::Silent);
        assert_eq!(stop_verdict(r#"{"continue":false,"stopReason":"enough"}"#), blocked("enough"));
        assert_eq!(
            stop_verdict(
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"rm"}}"#
            ),
            blocked("rm")
        );
        assert_eq!(
            stop_verdict(r#"{"systemMessage":"mind"}"#),
            HookVerdict::Warned { message: "mind".into() }
        );
        assert_eq!(
            stop_verdict(r#"{"hookSpecificOutput":{"additionalContext":"52%"}}"#),
            HookVerdict::Informed { context: "52%".into() }
        );
    }

    #[test]
    fn plain_words_count_at_the_start_of_a_session() {
        let ok = r#""exit_code":0,"outcome":"success""#;
        assert_eq!(
            verdict("SessionStart", "hello\n", "", ok),
            HookVerdict::Informed { context: "hello".into() }
        );
        assert_eq!(verdict("SessionStart", "", "", ok), HookVerdict::Silent);
    }

    #[test]
    fn leaving_with_two_blocks() {
        assert_eq!(
            verdict("Stop", "", "not yet\n", r#""exit_code":2,"outcome":"error""#),
            HookVerdict::Blocked { reason: "not yet".into() }
        );
    }

    #[test]
    fn a_failed_hook_has_a_reason() {
        let failed =
            |stderr: &str, rest: &str| verdict("Stop", r#"{"decision":"block"}"#, stderr, rest);
        let why = |why: &str| HookVerdict::Failed { why: why.into() };
        assert_eq!(
            failed("sh: x: not found\n", r#""exit_code":127,"outcome":"error""#),
            why("sh: x: not found")
        );
        assert_eq!(failed("", r#""exit_code":1,"outcome":"error""#), why("exit code 1"));
        assert_eq!(failed("", r#""outcome":"cancelled""#), why("cancelled"));
        assert_eq!(failed("", r#""exit_code":0,"outcome":"error""#), why("error"));
        assert_eq!(failed("", r#""exit_code":0"#), why("no outcome"));
    }
}
