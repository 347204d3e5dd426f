//! Secrets that are removed, and titles that stay. All secrets are invented and written in two halves, so
//! that secret scanners do not report them.

use super::*;

fn scrubber() -> Scrubber {
    let variables = [
        ("DEPLOY_TOKEN", "correct-horse-battery"),
        ("PWD", "/home/me/shop"),
        ("EDITOR", "emacs-nox"),
        ("API_KEY", "on"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Scrubber::new(["swordfish-of-settings".to_owned()], variables)
}

#[test]
fn every_pattern_compiles() {
    assert_eq!((SHAPED.len(), AFTER_NAMES.len()), (SHAPES.len(), NAMED.len()));
}

/// The rest of the longer one is still a secret.
#[test]
fn of_two_known_values_the_longer_one_is_removed_first() {
    let values = ["open-sesame", "open-sesame-please"].map(str::to_owned);
    assert_eq!(Scrubber::new(values, []).scrub("say open-sesame-please"), "say [redacted]");
}

#[test]
fn text_that_looks_like_a_secret_is_removed() {
    let letters = "Zq8vK3mW7xR2pT9nL5cB1dF6";
    let hex = "0123456789abcdef0123456789abcdef";
    for (start, secret) in [
        ("sk-ant-", letters),
        ("sk-proj-", letters),
        ("sk_live_", letters),
        ("ghp_", letters),
        ("github_pat_", letters),
        ("glpat-", letters),
        ("xoxb-", "123456789012-abcdefghij"),
        ("AKIA", "ABCDEFGHIJKLMNOP"),
        ("eyJhbGciOiJI", "UzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4"),
        ("Bearer ", letters),
        ("bearer ", "abc.def.ghi-12345678"),
        ("password=", "hunter2!"),
        ("API_KEY=", "short1"),
        ("token: ", letters),
        ("the secret is ", "Zq8vK3mW7xR2pT9nL5cB1dF6Zq8vK3mW7xR2pT9nL5cB1dF6"),
        ("https://me:", "pa55-word@example.com/x"),
        ("https://", "tokenonly7@example.com/x"),
        ("postgres://u:", "s3cr3t@db/x"),
        ("me:", "pa55word@example"),
        ("https://hooks.slack.com/services/", "T0/B0/abc"),
        ("see ", hex),
        ("", "correct-horse-battery"),
        ("x", "swordfish-of-settings"),
        ("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEpAIBAAKCAQEA\n"),
        ("1234567890:", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"),
    ] {
        let title = format!("Rotate {start}{secret} soon");
        let scrubbed = scrubber().scrub(&title);
        let core = secret.split('@').next().unwrap().trim();
        assert!(!scrubbed.contains(core), "{title} became {scrubbed}");
        assert!(scrubbed.contains(HIDDEN) && scrubbed.starts_with("Rotate "), "{scrubbed}");
    }
}

#[test]
fn ordinary_titles_are_unchanged() {
    for title in [
        "A cart that keeps its items",
        "As a user I can sign in with a token",
        "Key: improve the onboarding",
        "Password reset by mail",
        "token authentication internationalization",
        "The secret santa draw assigns all members",
        "Read the API key from the environment",
        "basic authentication for the admin page",
        "bearer authentication",
        "Fix src/server/http/connection_pool.rs:120",
        "Mail to support@example.com is answered",
        "Ratio 16:9 for pictures, 4:3 for the rest",
        "日本語の領収書 (receipts in the customer's own language)",
        "Revert 9fceb02d0a",
        "UUID 123e4567-e89b-12d3-a456 in the URL",
        "See https://example.com/issues/42?page=2",
        "Show me@10:30",
        "Turn on `on`, off `off`",
        "The shell opens in /home/me/shop with emacs-nox",
        "very-long-hyphenated-name-of-a-component-without-abbreviation",
    ] {
        assert_eq!(scrubber().scrub(title), title);
    }
}

#[test]
fn debug_does_not_show_known_secrets() {
    assert!(!format!("{:?}", scrubber()).contains("swordfish"));
}

#[test]
fn a_secret_with_invisible_characters_is_removed() {
    for gap in ['\u{200b}', '\u{2060}', '\u{feff}', '\u{ad}', '\u{200d}', '\u{e0041}'] {
        let known = format!("use correct-horse{gap}-battery");
        let shaped = format!("ghp_Zq8vK3mW{gap}7xR2pT9nL5cB1dF6");
        assert_eq!(scrubber().scrub(&known), "use [redacted]");
        assert_eq!(scrubber().scrub(&shaped), "[redacted]");
    }
}
