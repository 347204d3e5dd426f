//! What a user learns if a call fails.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, UNIX_EPOCH};

use forge::{Client, Curl, ForgeError, ForgeKind, Retry, Token};

use crate::support::{FAR, Forge, Reply, TOKEN, curl, fixture, reply};

/// The error of reading an issue, with its hint.
fn failure(kind: ForgeKind, answer: Reply) -> (ForgeError, String) {
    failure_with(kind, answer, Some(TOKEN))
}

fn failure_with(kind: ForgeKind, answer: Reply, token: Option<&str>) -> (ForgeError, String) {
    let forge = Forge::new(kind, vec![answer]);
    let error = forge.client_with(token, FAR).issue(12).unwrap_err();
    let hint = error.hint().unwrap_or_default();
    let shown = format!("{error} {error:?} {hint}");
    assert!(!shown.contains(TOKEN), "{shown}");
    (error, hint)
}

#[test]
fn the_token_is_in_the_header_and_in_no_argument() {
    for (kind, expected) in [
        (ForgeKind::GitHub, "Bearer t0ken-of-mine"),
        (ForgeKind::Forgejo, "token t0ken-of-mine"),
        (ForgeKind::GitLab, "Bearer t0ken-of-mine"),
    ] {
        let forge = Forge::new(kind, vec![reply(404, "{}")]);
        let client = forge.client();
        client.issue(12).unwrap_err();
        let received = forge.received();
        assert_eq!(received[0].authorization, expected);
        assert!(!received[0].processes.contains(TOKEN), "{}", received[0].processes);
        if cfg!(target_os = "linux") {
            assert!(received[0].processes.contains("curl -q --config -"));
        }
        assert!(!format!("{client:?}").contains(TOKEN));
    }
}

#[test]
fn refused_tokens_and_missing_ones_are_told_apart() {
    let bad = || reply(401, r#"{"message":"Bad credentials"}"#);
    let (error, hint) = failure(ForgeKind::GitHub, bad());
    assert!(matches!(error, ForgeError::Unauthorized { .. }), "{error}");
    assert!(hint.contains("GH_TOKEN or GITHUB_TOKEN"), "{hint}");
    let (error, hint) = failure_with(ForgeKind::GitLab, bad(), None);
    assert!(matches!(error, ForgeError::NoToken { .. }), "{error}");
    assert!(hint.contains("GITLAB_TOKEN"), "{hint}");
}

#[test]
fn a_missing_permission_is_named() {
    let answer = reply(403, r#"{"message":"Resource not accessible by personal access token"}"#);
    let (error, hint) =
        failure(ForgeKind::GitHub, answer.with("X-Accepted-GitHub-Permissions", "issues=read"));
    assert!(error.to_string().ends_with("(403): Resource not accessible by personal access token"));
    assert_eq!(hint, "give the access token the permission issues=read");
    let gitlab = reply(403, r#"{"error":"insufficient_scope"}"#)
        .with("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"api\"");
    let (error, hint) = failure(ForgeKind::GitLab, gitlab);
    assert!(matches!(&error, ForgeError::Forbidden { needs: Some(needs), .. } if needs == "api"));
    assert!(hint.contains("permission api"));
    let (error, _) = failure(ForgeKind::Forgejo, reply(403, r#"{"message":"no"}"#));
    assert!(matches!(error, ForgeError::Forbidden { needs: None, .. }), "{error}");
}

#[test]
fn not_found_says_that_it_may_be_invisible() {
    let (error, hint) = failure(ForgeKind::Forgejo, reply(404, r#"{"message":"Not Found"}"#));
    let text = error.to_string();
    assert!(text.contains("/repos/acme/shop/issues/12: not found, or not visible"), "{text}");
    assert!(hint.contains("access token has the repository"), "{hint}");
    let (_, hint) = failure_with(ForgeKind::GitHub, reply(404, "{}"), None);
    assert!(hint.contains("a private repository needs an access token"), "{hint}");
}

#[test]
fn the_messages_of_a_refusal_are_shown() {
    let (error, _) = failure(ForgeKind::GitHub, fixture("github-422").status(422));
    let text = error.to_string();
    assert!(
        text.ends_with(
            "refused (422): Validation Failed; A pull request already exists for acme:ralph/sums."
        ),
        "{text}"
    );
}

#[test]
fn a_limit_on_requests_has_its_end() {
    let answer = reply(403, r#"{"message":"API rate limit exceeded"}"#)
        .with("X-RateLimit-Remaining", "0")
        .with("X-RateLimit-Reset", "1900000000");
    let (error, _) = failure(ForgeKind::GitHub, answer);
    let at = Retry::At(UNIX_EPOCH + Duration::from_secs(1_900_000_000));
    assert!(matches!(error, ForgeError::RateLimited { retry: Some(retry), .. } if retry == at));
    assert!(error.to_string().ends_with("until 2030-03-17 17:46:40 UTC"), "{error}");
    let (error, _) = failure(ForgeKind::GitLab, reply(429, "").with("Retry-After", "30"));
    assert!(error.to_string().ends_with("wait 30 seconds") && error.is_temporary(), "{error}");
}

#[test]
fn a_failed_server_and_a_wrong_answer_are_errors() {
    let (error, _) = failure(ForgeKind::GitHub, reply(502, "<html>"));
    assert!(matches!(error, ForgeError::Server { status: 502, .. }) && error.is_temporary());
    for text in ["<html>login</html>", "[]", "{\"number\":1}"] {
        let (error, hint) = failure(ForgeKind::GitHub, reply(200, text));
        assert!(matches!(error, ForgeError::NotUnderstood { .. }), "{text}: {error}");
        assert!(hint.contains("kind of the forge"), "{hint}");
    }
}

#[test]
fn a_redirect_is_followed_only_on_the_same_server() {
    let moved = reply(301, "").with("Location", "/api/v3/repositories/7/issues/12");
    let forge = Forge::new(ForgeKind::GitHub, vec![moved, fixture("github-issue")]);
    assert_eq!(forge.client().issue(12).unwrap().number, 12);
    assert_eq!(forge.received()[1].call, "GET /api/v3/repositories/7/issues/12");

    let other = Forge::new(ForgeKind::GitHub, vec![fixture("github-issue")]);
    let elsewhere = format!("http://{}/x", other.address);
    let (error, _) = failure(ForgeKind::GitHub, reply(302, "").with("Location", &elsewhere));
    assert!(matches!(&error, ForgeError::Redirected { to, .. } if elsewhere.starts_with(to)));
    assert!(other.received().is_empty(), "the token reached another server");

    let to_itself = || reply(302, "").with("Location", "/x");
    let forge = Forge::new(ForgeKind::GitHub, (0..5).map(|_| to_itself()).collect());
    let error = forge.client().issue(12).unwrap_err();
    assert!(matches!(error, ForgeError::Redirected { .. }), "{error}");
    assert_eq!(forge.received().len(), 4);
}

#[test]
fn a_huge_answer_is_refused() {
    let huge = format!("[\"{}\"]", "x".repeat(17 * 1024 * 1024));
    let (error, _) = failure(ForgeKind::GitHub, reply(200, &huge));
    assert!(matches!(error, ForgeError::TooLarge { .. }), "{error}");
}

#[test]
fn a_forge_that_cannot_be_reached_is_an_error() {
    let forge = Forge::new(ForgeKind::GitHub, vec![]);
    let missing = Curl { program: None, ..curl(FAR) };
    let client = Client::new(forge.repository(), Token::new(TOKEN), missing);
    assert!(matches!(client.issue(12).unwrap_err(), ForgeError::NoCurl));
    let missing = Curl { program: Some("/no/such/curl".into()), ..curl(FAR) };
    let client = Client::new(forge.repository(), Token::new(TOKEN), missing);
    assert!(matches!(client.issue(12).unwrap_err(), ForgeError::NoCurl));

    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut repository = forge.repository();
    repository.api = format!("http://{}/api/v3", silent.local_addr().unwrap());
    let soon = curl(Duration::from_millis(300));
    let client = Client::new(repository.clone(), Token::new(TOKEN), soon);
    let error = client.issue(12).unwrap_err();
    assert_eq!(error.to_string(), "cannot reach the forge: timed out after 0.3 seconds");

    drop(silent);
    let client = Client::new(repository.clone(), Token::new(TOKEN), curl(FAR));
    let error = client.issue(12).unwrap_err();
    assert_eq!(error.to_string(), "cannot reach the forge: cannot connect to the server");
    assert!(error.is_temporary());

    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    repository.api = format!("https://{}/api/v3", plain.local_addr().unwrap());
    let answer = std::thread::spawn(move || {
        let (mut stream, _) = plain.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        // Until the client closes it.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let client = Client::new(repository, Token::new(TOKEN), curl(FAR));
    let error = client.issue(12).unwrap_err();
    assert_eq!(error.to_string(), "cannot reach the forge: TLS connection to the server failed");
    answer.join().unwrap();
}
