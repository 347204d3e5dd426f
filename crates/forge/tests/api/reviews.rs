//! Review threads, replies, checks.

use forge::{CheckState, Comment, ForgeError, ForgeKind, Retry, Thread};
use serde_json::json;

use crate::support::{Forge, KINDS, fixture, ok, prefix, reply};

/// The answers with the threads of the fixtures.
fn threads(kind: ForgeKind) -> (Forge, Vec<Thread>) {
    let replies = match kind {
        ForgeKind::GitHub => vec![fixture("github-threads"), fixture("github-threads-2")],
        ForgeKind::Forgejo => vec![fixture("forgejo-reviews"), fixture("forgejo-review-comments")],
        ForgeKind::GitLab => vec![fixture("gitlab-pull"), fixture("gitlab-discussions")],
    };
    let forge = Forge::new(kind, replies);
    let threads = forge.client().threads(7).unwrap();
    (forge, threads)
}

/// `path:line resolved: author: text | …`.
fn shown(thread: &Thread) -> String {
    let line = thread.at.line.map_or_else(String::new, |line| format!(":{line}"));
    let comment = |comment: &Comment| {
        format!("{}: {}", comment.author.as_deref().unwrap_or("deleted"), comment.body.trim_end())
    };
    let comments: Vec<String> = thread.comments.iter().map(comment).collect();
    let path = thread.at.path.as_deref().unwrap_or("-");
    format!("{path}{line} {}: {}", thread.is_resolved, comments.join(" | "))
}

#[test]
fn threads_are_the_same_from_every_forge() {
    for kind in KINDS {
        let (_, threads) = threads(kind);
        let shown: Vec<String> = threads.iter().map(shown).collect();
        let mut expected = vec![
            "- false: mona: Please split it.",
            "src/sum.rs:12 false: mona: Rename it. | deleted: Why?",
            "src/sum.rs:3 true: hubot: Typo.",
        ];
        if kind == ForgeKind::GitLab {
            expected.remove(0);
        }
        assert_eq!(shown, expected, "{kind}");
        for thread in &threads {
            let place = serde_json::to_value(&thread.at).unwrap();
            assert_eq!(serde_json::from_value::<forge::ThreadPlace>(place).unwrap(), thread.at);
            assert!(thread.at.url.starts_with("https://forge.example/acme/shop/"), "{kind}");
        }
    }
    let (forge, found) = threads(ForgeKind::GitHub);
    assert!(found[1].is_outdated && !found[2].is_outdated);
    assert_eq!(found[1].comments[0].association.as_deref(), Some("COLLABORATOR"));
    let received = forge.received();
    assert_eq!(received[0].call, "POST /api/graphql");
    let variables = json!({ "owner": "acme", "name": "shop", "number": 7, "after": null });
    assert_eq!(received[0].body["variables"], variables);
    assert_eq!(received[1].body["variables"]["after"], json!("Y3Vyc29yOjE"));
}

#[test]
fn a_reply_goes_to_the_thread_or_names_it() {
    for kind in KINDS {
        let (_, threads) = threads(kind);
        let thread = threads.iter().find(|thread| thread.at.line == Some(12)).unwrap();
        let forge = Forge::new(kind, vec![reply(201, "{}")]);
        forge.client().reply(7, &thread.at, "Done in abc.").unwrap();
        let received = forge.received();
        let (call, body) = match kind {
            ForgeKind::GitHub => {
                ("POST /api/v3/repos/acme/shop/pulls/7/comments/101/replies", "Done in abc.")
            }
            ForgeKind::Forgejo => (
                "POST /api/v1/repos/acme/shop/issues/7/comments",
                "Reply to [src/sum.rs:12](https://forge.example/acme/shop/pulls/7#issuecomment-12):\n\nDone in abc.",
            ),
            ForgeKind::GitLab => (
                "POST /api/v4/projects/acme%2Fshop/merge_requests/7/discussions/6a9c1750b37d/notes",
                "Done in abc.",
            ),
        };
        assert_eq!(
            (received[0].call.as_str(), &received[0].body),
            (call, &json!({ "body": body }))
        );
    }
    let (_, threads) = threads(ForgeKind::GitHub);
    let forge = Forge::new(ForgeKind::GitHub, vec![reply(201, "{}")]);
    forge.client().reply(7, &threads[0].at, "Split.").unwrap();
    assert_eq!(forge.calls(), ["POST /issues/7/comments"]);
}

#[test]
fn another_review_is_requested() {
    for kind in KINDS {
        let forge = Forge::new(kind, vec![reply(201, "{}")]);
        forge.client().request_review(7, &["mona", "hubot"]).unwrap();
        let received = forge.received();
        let expected = match kind {
            ForgeKind::GitLab => json!({ "body": "/request_review @mona @hubot" }),
            _ => json!({ "reviewers": ["mona", "hubot"] }),
        };
        assert_eq!(received[0].body, expected, "{kind}");
    }
}

#[test]
fn the_conversation_has_comments_of_people() {
    for kind in KINDS {
        let comment = json!({ "id": 1, "body": "Nice work.", "html_url": "u",
            "user": { "login": "hubot" }, "author_association": "NONE" });
        let replies = match kind {
            ForgeKind::GitLab => vec![fixture("gitlab-pull"), fixture("gitlab-discussions")],
            _ => vec![ok(&json!([comment]))],
        };
        let forge = Forge::new(kind, replies);
        let found = forge.client().conversation(7).unwrap();
        let shown: Vec<_> = found.iter().map(|it| (it.author.as_deref(), &it.body[..])).collect();
        assert_eq!(shown, [(Some("hubot"), "Nice work.")], "{kind}");
    }
}

#[test]
fn errors_of_graphql_are_told_apart() {
    type Check = fn(&ForgeError) -> bool;
    let cases: [(&str, Check); 4] = [
        ("NOT_FOUND", |error| matches!(error, ForgeError::NotFound { .. })),
        ("FORBIDDEN", |error| matches!(error, ForgeError::Forbidden { .. })),
        ("RATE_LIMITED", |error| {
            matches!(error, ForgeError::RateLimited { retry: Some(Retry::After(_)), .. })
        }),
        ("OTHER", |error| matches!(error, ForgeError::Rejected { .. })),
    ];
    for (kind, check) in cases {
        let answer = json!({ "data": null, "errors": [{ "type": kind, "message": "no" }] });
        let forge = Forge::new(ForgeKind::GitHub, vec![ok(&answer)]);
        let error = forge.client().threads(7).unwrap_err();
        assert!(check(&error), "{kind}: {error:?}");
    }
}

#[test]
fn checks_are_combined() {
    for kind in KINDS {
        let replies = match kind {
            ForgeKind::GitHub => vec![fixture("github-status"), fixture("github-check-runs")],
            ForgeKind::Forgejo => vec![fixture("forgejo-status")],
            ForgeKind::GitLab => vec![fixture("gitlab-statuses")],
        };
        let forge = Forge::new(kind, replies);
        let checks = forge.client().checks("6dcb09b5").unwrap();
        let shown: Vec<_> = checks.checks.iter().map(|it| (&it.name[..], it.state)).collect();
        use CheckState::{Failed, Passed, Pending};
        let expected = match kind {
            ForgeKind::GitHub => vec![
                ("ci/lint", Passed),
                ("ci/deploy", Failed),
                ("test", Failed),
                ("docs", Passed),
                ("build", Pending),
            ],
            ForgeKind::Forgejo => vec![("ci/lint", Passed), ("test", Failed), ("build", Pending)],
            ForgeKind::GitLab => {
                vec![("ci/lint", Passed), ("test", Failed), ("flaky", Passed), ("build", Pending)]
            }
        };
        assert_eq!(shown, expected, "{kind}");
        assert_eq!(checks.state(), Some(Failed));
        assert_eq!(checks.checks[0].url.as_deref(), Some("https://ci.example/1"), "{kind}");
        let test = checks.failed().find(|check| check.name == "test").unwrap();
        assert_eq!(test.description, "3 tests failed", "{kind}");
    }
}

#[test]
fn a_commit_without_checks_has_no_state_and_a_pending_one_is_pending() {
    for kind in KINDS {
        let (none, pending) = match kind {
            ForgeKind::GitLab => {
                (vec![ok(&json!([]))], vec![ok(&json!([{ "name": "a", "status": "created" }]))])
            }
            _ => {
                let status = |list| ok(&json!({ "state": "pending", "statuses": list }));
                let key = if kind == ForgeKind::GitHub { "state" } else { "status" };
                let (mut none, mut pending) = (
                    vec![status(json!(null))],
                    vec![status(json!([{ "context": "a", (key): "pending" },
                        { "context": "b", (key): "success" }]))],
                );
                if kind == ForgeKind::GitHub {
                    none.push(ok(&json!({ "check_runs": [] })));
                    pending.push(ok(&json!({ "check_runs": [] })));
                }
                (none, pending)
            }
        };
        let state = |replies| Forge::new(kind, replies).client().checks("abc").unwrap().state();
        assert_eq!(state(none), None, "{}", prefix(kind));
        assert_eq!(state(pending), Some(CheckState::Pending), "{}", prefix(kind));
    }
}

#[test]
fn statuses_come_from_all_pages() {
    let page = |name: &str| ok(&json!({ "statuses": [{ "context": name, "status": "success" }] }));
    let first = page("a").with("Link", "<http://elsewhere.example/?page=2>; rel=\"next\"");
    let forge = Forge::new(ForgeKind::Forgejo, vec![first, page("b")]);
    assert_eq!(forge.client().checks("abc").unwrap().checks.len(), 2);
    assert_eq!(
        forge.calls(),
        ["GET /commits/abc/status?limit=50&page=1", "GET /commits/abc/status?limit=50&page=2"]
    );
}
