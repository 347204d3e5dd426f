//! Pull requests of all forges.

use forge::{ForgeError, ForgeKind, MergeMethod, Published, PullContent, PullRequest, PullState};
use serde_json::{Value, json};

use crate::support::{Forge, KINDS, Reply, fixture, fixture_text, ok, prefix, reply};

const SHA: &str = "6dcb09b5b57875f334f61aebed695e2e4193db5e";

fn pull(kind: ForgeKind) -> Value {
    serde_json::from_str(&fixture_text(&format!("{}-pull", prefix(kind)))).unwrap()
}

fn content() -> PullContent {
    PullContent {
        title: "Round sums once".into(),
        body: "Table\n\nCloses #12".into(),
        head: "ralph/sums".into(),
        base: "main".into(),
        draft: true,
    }
}

/// The list that [`forge::Client::find_pull`] asks for.
fn found(kind: ForgeKind) -> Reply {
    ok(&json!([pull(kind)]))
}

fn none() -> Reply {
    ok(&json!([]))
}

#[test]
fn the_open_pull_request_of_a_branch_is_found() {
    for kind in KINDS {
        let mut other_branch = pull(kind);
        let mut fork = pull(kind);
        if kind == ForgeKind::GitLab {
            other_branch["source_branch"] = json!("ralph/sum");
            fork["source_project_id"] = json!(99);
        } else {
            other_branch["head"]["ref"] = json!("ralph/sum");
            fork["head"]["repo"]["id"] = json!(99);
        }
        let list = ok(&json!([other_branch, fork, pull(kind)]));
        let forge = Forge::new(kind, vec![list, ok(&json!([other_branch, fork]))]);
        let client = forge.client();
        let found = client.find_pull("ralph/sums").unwrap().unwrap();
        let PullRequest { number, url, title, body, state, is_draft, head, base, labels, .. } =
            found;
        assert_eq!((number, state, is_draft), (7, PullState::Open, true), "{kind}");
        assert_eq!((head.as_str(), base.as_str()), ("ralph/sums", "main"), "{kind}");
        assert_eq!((found.head_sha.as_str(), found.is_from_here), (SHA, true), "{kind}");
        assert_eq!((title.as_str(), &labels[..]), ("Round sums once", &["ralph".to_owned()][..]));
        assert!(
            body.ends_with("Closes #12") && url.starts_with("https://forge.example/"),
            "{kind}"
        );
        assert_eq!(client.find_pull("ralph/sums").unwrap(), None, "{kind}");
        let expected = match kind {
            ForgeKind::GitHub => "GET /pulls?state=open&per_page=100&head=acme%3Aralph%2Fsums",
            ForgeKind::Forgejo => "GET /pulls?state=open&limit=50",
            ForgeKind::GitLab => {
                "GET /merge_requests?state=opened&per_page=100&source_branch=ralph%2Fsums"
            }
        };
        assert_eq!(forge.calls(), [expected, expected], "{kind}");
    }
}

#[test]
fn the_state_of_a_pull_request_is_read() {
    for kind in KINDS {
        let mut merged = pull(kind);
        let mut closed = pull(kind);
        match kind {
            ForgeKind::GitLab => {
                merged["state"] = json!("merged");
                closed["state"] = json!("closed");
                closed["draft"] = json!(false);
                closed["title"] = json!("Round");
            }
            _ => {
                merged["state"] = json!("closed");
                merged["merged_at"] = json!("2026-01-01T00:00:00Z");
                closed["state"] = json!("closed");
                closed["draft"] = json!(false);
                closed["title"] = json!("Round");
                // Its branch was deleted.
                closed["head"]["repo"] = Value::Null;
            }
        }
        let forge = Forge::new(kind, vec![ok(&merged), ok(&closed)]);
        let client = forge.client();
        assert_eq!(client.pull(7).unwrap().state, PullState::Merged, "{kind}");
        let closed = client.pull(7).unwrap();
        assert_eq!((closed.state, closed.is_draft), (PullState::Closed, false), "{kind}");
        let path = if kind == ForgeKind::GitLab { "/merge_requests/7" } else { "/pulls/7" };
        assert_eq!(forge.calls()[0], format!("GET {path}"));
    }
}

#[test]
fn a_new_pull_request_is_a_draft() {
    for kind in KINDS {
        let created = ok(&pull(kind)).status(201);
        let forge = Forge::new(kind, vec![none(), created]);
        let (pull, published) = forge.client().publish_pull(&content()).unwrap();
        assert_eq!((pull.number, published), (7, Published::Created), "{kind}");
        let received = forge.received();
        let body = "Table\n\nCloses #12";
        let expected = match kind {
            ForgeKind::GitHub => json!({ "title": "Round sums once", "body": body,
                "head": "ralph/sums", "base": "main", "draft": true }),
            ForgeKind::Forgejo => json!({ "title": "WIP: Round sums once", "body": body,
                "head": "ralph/sums", "base": "main" }),
            ForgeKind::GitLab => json!({ "title": "Draft: Round sums once", "description": body,
                "source_branch": "ralph/sums", "target_branch": "main" }),
        };
        assert_eq!(received[1].body, expected, "{kind}");
        assert!(received[1].call.starts_with("POST "), "{}", received[1].call);
    }
}

#[test]
fn where_github_has_no_drafts_it_is_an_ordinary_one() {
    let refused = r#"{"message":"Draft pull requests are not supported in this repository."}"#;
    let replies = vec![none(), reply(422, refused), ok(&pull(ForgeKind::GitHub)).status(201)];
    let forge = Forge::new(ForgeKind::GitHub, replies);
    forge.client().publish_pull(&content()).unwrap();
    assert_eq!(forge.received()[2].body["draft"], json!(false));

    let other = reply(422, r#"{"message":"No commits between main and ralph/sums"}"#);
    let forge = Forge::new(ForgeKind::GitHub, vec![none(), other]);
    let error = forge.client().publish_pull(&content()).unwrap_err();
    assert!(matches!(error, ForgeError::Rejected { status: 422, .. }), "{error}");
}

#[test]
fn publishing_again_changes_only_what_differs() {
    for kind in KINDS {
        let forge = Forge::new(kind, vec![found(kind)]);
        let (_, published) = forge.client().publish_pull(&content()).unwrap();
        assert_eq!(published, Published::Unchanged, "{kind}");
        assert_eq!(forge.calls().len(), 1);

        let forge = Forge::new(kind, vec![found(kind), ok(&pull(kind))]);
        let other = PullContent { title: "New".into(), base: "next".into(), ..content() };
        let (_, published) = forge.client().publish_pull(&other).unwrap();
        assert_eq!(published, Published::Updated, "{kind}");
        let received = &forge.received()[1];
        let body = "Table\n\nCloses #12";
        let (call, expected) = match kind {
            ForgeKind::GitHub => ("PATCH", json!({ "title": "New", "body": body, "base": "next" })),
            ForgeKind::Forgejo => {
                ("PATCH", json!({ "title": "WIP: New", "body": body, "base": "next" }))
            }
            ForgeKind::GitLab => (
                "PUT",
                json!({ "title": "Draft: New", "description": body, "target_branch": "next" }),
            ),
        };
        assert!(received.call.starts_with(call), "{}", received.call);
        assert_eq!(received.body, expected, "{kind}");

        for other in [
            PullContent { title: "New".into(), ..content() },
            PullContent { body: "New".into(), ..content() },
        ] {
            let forge = Forge::new(kind, vec![found(kind), ok(&pull(kind))]);
            assert_eq!(forge.client().publish_pull(&other).unwrap().1, Published::Updated);
            let keys = forge.received()[1].body.as_object().unwrap().len();
            assert_eq!(keys, 2, "the base stays: {kind}");
        }
    }
}

#[test]
fn a_draft_is_marked_ready() {
    for kind in KINDS {
        let done = match kind {
            ForgeKind::GitHub => ok(&json!({ "data": { "markPullRequestReadyForReview": {} } })),
            _ => ok(&pull(kind)),
        };
        let forge = Forge::new(kind, vec![ok(&pull(kind)), done]);
        let client = forge.client();
        let mut pull = client.pull(7).unwrap();
        client.mark_ready(&pull).unwrap();
        let received = forge.received();
        if kind == ForgeKind::GitHub {
            assert_eq!(received[1].call, "POST /api/graphql");
            assert_eq!(received[1].body["variables"], json!({ "id": "PR_kwDO1" }));
        } else {
            assert_eq!(received[1].body, json!({ "title": "Round sums once" }), "{kind}");
        }
        pull.is_draft = false;
        client.mark_ready(&pull).unwrap();
        assert!(forge.received().is_empty(), "it is ready already");
    }
}

#[test]
fn a_merge_names_the_commit() {
    for kind in KINDS {
        let forge = Forge::new(kind, vec![ok(&json!({ "merged": true }))]);
        forge.client().merge_pull(7, SHA, MergeMethod::Squash).unwrap();
        let received = forge.received();
        let (call, expected) = match kind {
            ForgeKind::GitHub => (
                "PUT /api/v3/repos/acme/shop/pulls/7/merge",
                json!({ "sha": SHA, "merge_method": "squash" }),
            ),
            ForgeKind::Forgejo => (
                "POST /api/v1/repos/acme/shop/pulls/7/merge",
                json!({ "Do": "squash", "head_commit_id": SHA }),
            ),
            ForgeKind::GitLab => (
                "PUT /api/v4/projects/acme%2Fshop/merge_requests/7/merge",
                json!({ "sha": SHA, "squash": true }),
            ),
        };
        assert_eq!((received[0].call.as_str(), &received[0].body), (call, &expected), "{kind}");
    }
}

#[test]
fn a_merge_that_is_refused_says_why() {
    type Check = fn(&ForgeError) -> bool;
    let protected: Check = |error| matches!(error, ForgeError::BranchProtected { .. });
    let moved: Check = |error| matches!(error, ForgeError::HeadMoved { .. });
    let not_mergeable: Check = |error| matches!(error, ForgeError::NotMergeable { .. });
    for (kind, status, message, check) in [
        (ForgeKind::GitHub, 405, "Required status check \"ci\" is expected.", protected),
        (ForgeKind::GitHub, 405, "Pull Request is not mergeable", not_mergeable),
        (ForgeKind::GitHub, 409, "Head branch was modified. Review and try again.", moved),
        (ForgeKind::Forgejo, 409, "head out of date", moved),
        (ForgeKind::Forgejo, 405, "Please try again later", not_mergeable),
        (ForgeKind::Forgejo, 405, "Does not have enough approvals", protected),
        (ForgeKind::GitLab, 409, "SHA does not match HEAD of source branch", moved),
        (ForgeKind::GitLab, 422, "Branch cannot be merged", not_mergeable),
    ] {
        let refused = reply(status, &json!({ "message": message }).to_string());
        let forge = Forge::new(kind, vec![refused]);
        let error = forge.client().merge_pull(7, SHA, MergeMethod::Merge).unwrap_err();
        assert!(check(&error), "{kind} {message}: {error:?}");
        assert!(error.to_string().contains(message) && error.hint().is_some(), "{error}");
    }
}

#[test]
fn without_a_token_nothing_is_changed() {
    let forge = Forge::new(ForgeKind::Forgejo, vec![none(), fixture("forgejo-pull")]);
    let client = forge.client_with(None, crate::support::FAR);
    let error = client.publish_pull(&content()).unwrap_err();
    assert!(matches!(error, ForgeError::NoToken { .. }), "{error}");
    assert_eq!(forge.calls().len(), 1, "only the search");
}

#[test]
fn a_long_body_arrives_whole() {
    // Curl's configuration has at most 100 KB in a line.
    let body = format!("{}\n\"end\" \\", "é\"\n".repeat(60_000));
    let forge = Forge::new(ForgeKind::GitHub, vec![none(), fixture("github-pull")]);
    forge.client().publish_pull(&PullContent { body: body.clone(), ..content() }).unwrap();
    assert_eq!(forge.received()[1].body["body"], json!(body));
}
