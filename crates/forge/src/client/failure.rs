//! What an answer other than 2xx means.

use serde_json::Value;

use super::answer::Answer;
use super::request::Request;
use crate::{ForgeError, ForgeKind};

const MOST_MESSAGES: usize = 10;

/// Parts of messages by which forges say that rules of the branch forbid a merge.
const PROTECTED: [&str; 8] = [
    "protected branch",
    "branch protection",
    "required status check",
    "approving review",
    "enough approvals",
    "must be approved",
    "rule violations",
    "not allowed to merge",
];

/// For an answer other than 2xx.
pub(super) fn of(
    answer: &Answer,
    request: &Request,
    kind: ForgeKind,
    has_token: bool,
) -> ForgeError {
    let call = request.call();
    if let Some(retry) = answer.rate_limit() {
        return ForgeError::RateLimited { kind, retry };
    }
    let messages = messages(&answer.body);
    match answer.status {
        401 if !has_token => ForgeError::NoToken { kind },
        401 => ForgeError::Unauthorized { kind },
        403 => {
            let needs = needed_permission(answer);
            ForgeError::Forbidden { call, message: messages.join("; "), needs }
        }
        404 => ForgeError::NotFound { call, has_token },
        status @ 400..500 => ForgeError::Rejected { call, status, messages },
        status => ForgeError::Server { call, status },
    }
}

/// For the answer to a merge, where more is known about some statuses.
pub(crate) fn of_merge(error: ForgeError) -> ForgeError {
    let (status, message) = match &error {
        ForgeError::Rejected { status, messages, .. } => (*status, messages.join("; ")),
        ForgeError::Forbidden { message, .. } => (403, message.clone()),
        _ => return error,
    };
    let text = message.to_ascii_lowercase();
    let is_protected = PROTECTED.iter().any(|part| text.contains(part));
    let is_moved = text.contains("head") && status == 409;
    match status {
        403 | 405 | 406 | 409 | 422 if is_protected => ForgeError::BranchProtected { message },
        409 if is_moved => ForgeError::HeadMoved { message },
        405 | 406 | 409 | 422 => ForgeError::NotMergeable { message },
        _ => error,
    }
}

/// GitHub names the permissions of fine-grained tokens, and the scopes of classic ones.
fn needed_permission(answer: &Answer) -> Option<String> {
    let names = ["x-accepted-github-permissions", "x-accepted-oauth-scopes"];
    let named = names.iter().find_map(|name| answer.header(name)).map(sanitize::plain);
    named.or_else(|| {
        // GitLab, by RFC 6750.
        let challenge = answer.header("www-authenticate")?;
        let (_, scope) = challenge.split_once("scope=\"")?;
        scope.split('"').next().map(sanitize::plain)
    })
}

/// The messages in the error answers of all three forges.
pub(crate) fn messages(body: &[u8]) -> Vec<String> {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut found = Vec::new();
    for key in ["message", "error_description", "error", "errors"] {
        collect(&json[key], &mut found);
    }
    found.dedup();
    found.truncate(MOST_MESSAGES);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.trim().is_empty() => found.push(sanitize::plain(text.trim())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => match (fields.get("message"), fields.get("field")) {
            (Some(message), _) => collect(message, found),
            (None, Some(Value::String(field))) => {
                let code = fields.get("code").and_then(Value::as_str).unwrap_or("invalid");
                found.push(sanitize::plain(&format!("{field}: {code}")));
            }
            (None, _) => {
                for (name, value) in fields {
                    let before = found.len();
                    collect(value, found);
                    for text in &mut found[before..] {
                        *text = sanitize::plain(&format!("{name}: {text}"));
                    }
                }
            }
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_forges_are_read() {
        for (body, expected) in [
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom",
                "message":"No commits between main and x"},{"field":"head","code":"invalid"},"plain"]}"#,
                vec![
                    "Validation Failed",
                    "No commits between main and x",
                    "head: invalid",
                    "plain",
                ],
            ),
            (
                r#"{"message":"user should be a collaborator","url":"u"}"#,
                vec!["user should be a collaborator"],
            ),
            (r#"{"message":{"base":["is gone","is old"]}}"#, vec!["base: is gone", "base: is old"]),
            (r#"{"message":["Another open merge request"]}"#, vec!["Another open merge request"]),
            (
                r#"{"error":"insufficient_scope","error_description":"more"}"#,
                vec!["more", "insufficient_scope"],
            ),
            ("<html>", vec![]),
            (r#"{"message":"a\u001b[31mb"}"#, vec!["a\u{fffd}[31mb"]),
        ] {
            assert_eq!(messages(body.as_bytes()), expected, "{body}");
        }
        let many = format!(
            r#"{{"errors":{}}}"#,
            serde_json::json!((0..99).map(|n| n.to_string()).collect::<Vec<_>>())
        );
        assert_eq!(messages(many.as_bytes()).len(), MOST_MESSAGES);
    }

    #[test]
    fn a_refused_merge_is_told_apart() {
        let kind = |status, message: &str| {
            let messages = vec![message.to_owned()];
            of_merge(ForgeError::Rejected { call: "PUT x".into(), status, messages })
        };
        let protected = "Required status check \"ci\" is expected.";
        assert!(matches!(kind(405, protected), ForgeError::BranchProtected { .. }));
        for part in PROTECTED {
            let found = kind(422, &format!("It {}.", part.to_uppercase()));
            assert!(matches!(found, ForgeError::BranchProtected { .. }), "{part}");
        }
        assert!(matches!(
            kind(405, "Does not have enough approvals"),
            ForgeError::BranchProtected { .. }
        ));
        assert!(matches!(kind(409, "Head branch was modified."), ForgeError::HeadMoved { .. }));
        assert!(matches!(
            kind(409, "SHA does not match HEAD of source branch"),
            ForgeError::HeadMoved { .. }
        ));
        assert!(matches!(
            kind(405, "Pull Request is not mergeable"),
            ForgeError::NotMergeable { .. }
        ));
        assert!(matches!(kind(400, "x"), ForgeError::Rejected { .. }));
    }
}
