//! `ralph-loop pr` with the answers of GitHub, on loopback. The branch goes to a repository beside the project.

use events::samples::{RUN, a_run_with_failures, log};
use serde_json::{Value, json};

use crate::forge::{Forge, call, clone_of, output, reply};
use crate::project::Project;

const TOKEN: &str = "ghp_s3cret";
const FIND: &str = "/api/v3/repos/acme/shop/pulls?state=open&per_page=100&head=acme%3Aralph%2Fshop";
const ACCESS: &str = "/api/v3/repos/acme/shop";
const PULLS: &str = "/api/v3/repos/acme/shop/pulls";

fn access() -> Value {
    json!({"default_branch": "main", "archived": false, "permissions": {"push": true, "pull": true}})
}

/// As GitHub has it.
fn pull(title: &str, body: &str, draft: bool) -> Value {
    json!({"number": 7, "node_id": "PR_1", "state": "open", "draft": draft, "merged": false, "title": title,
        "body": body, "html_url": "https://forge.example/acme/shop/pull/7", "labels": [],
        "head": {"ref": "ralph/shop", "sha": "6dcb09b5", "repo": {"id": 1}},
        "base": {"ref": "main", "sha": "c5b97d5a", "repo": {"id": 1}}})
}

/// With a finished run whose branch exists.
fn finished(address: &str) -> Project {
    let project = clone_of(address);
    project.write(".ralph/settings.json", r#"{"forge": {"kind": "github"}}"#);
    project.write(&format!(".ralph/runs/{RUN}/events.jsonl"), &log(&a_run_with_failures()));
    let root = project.root();
    let bare = root.join("../bare.git");
    let bare = bare.to_str().unwrap();
    test_repo::git(&root, &["config", "user.name", "Ralph Tests"]);
    test_repo::git(&root, &["config", "user.email", "tests@localhost"]);
    test_repo::git(&root, &["commit", "--quiet", "--allow-empty", "-m", "work"]);
    test_repo::git(&root, &["branch", "ralph/shop"]);
    test_repo::git(&root, &["init", "--quiet", "--bare", bare]);
    test_repo::git(&root, &["config", "remote.origin.pushurl", bare]);
    project
}

fn pr(project: &Project, token: Option<&str>, flags: &[&str]) -> (Option<i32>, String, String) {
    let mut command = call(project, &[&["pr"], flags].concat());
    command.envs(token.map(|token| ("GH_ENTERPRISE_TOKEN", token)));
    output(command)
}

fn pushed(project: &Project) -> String {
    let listed = test_repo::git(&project.root(), &["ls-remote", "../bare.git", "refs/heads/*"]);
    listed.trim().to_owned()
}

#[test]
fn a_draft_is_opened_and_then_left_as_it_is() {
    let forge = Forge::new(
        [
            (ACCESS, vec![reply(200, &access())]),
            (FIND, vec![reply(200, &json!([]))]),
            (PULLS, vec![reply(201, &pull("shop: 6 stories", "", true))]),
        ]
        .into(),
    );
    let project = finished(&forge.address);
    let (code, printed, error) = pr(&project, Some(TOKEN), &[]);
    assert_eq!(code, Some(0), "{printed}{error}");
    assert_eq!(printed, "Pull request opened: https://forge.example/acme/shop/pull/7\n");
    let commit = test_repo::git(&project.root(), &["rev-parse", "ralph/shop"]);
    assert_eq!(pushed(&project), format!("{}\trefs/heads/ralph/shop", commit.trim()));
    let bodies = forge.bodies();
    let [sent] = &bodies[..] else { panic!("{bodies:?}") };
    assert_eq!(
        (&sent["draft"], &sent["head"], &sent["base"]),
        (&json!(true), &json!("ralph/shop"), &json!("main"))
    );
    assert_eq!(sent["title"], "shop: 6 stories");
    let body = sent["body"].as_str().unwrap().to_owned();
    assert!(body.contains("| US-001 | A cart that keeps its items | done |"), "{body}");
    assert!(forge.received().iter().all(|request| request.contains(&format!(" Bearer {TOKEN}"))));

    // People changed the title, wrote around the text, and git has a new remote.
    let theirs = format!("Look at the totals.\r\n\r\n{}", body.replace('\n', "\r\n"));
    let open = json!([pull("Carts", &theirs, false)]);
    let replies = [(ACCESS, vec![reply(200, &access())]), (FIND, vec![reply(200, &open)])];
    let forge = Forge::new(replies.into());
    let url = format!("http://someone:s3cret@{}/acme/shop.git", forge.address);
    test_repo::git(&project.root(), &["config", "remote.origin.url", &url]);
    let (code, printed, error) = pr(&project, Some(TOKEN), &["--json"]);
    assert_eq!(code, Some(0), "{printed}{error}");
    let json: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&json["outcome"], &json["number"]), (&json!("unchanged"), &json!(7)));
    assert!(forge.bodies().is_empty(), "nothing is sent");
}

#[test]
fn a_dry_run_needs_no_token_and_no_network() {
    let project = finished("127.0.0.1:1");
    let (code, printed, error) = pr(&project, None, &["--dry-run"]);
    assert_eq!(code, Some(0), "{printed}{error}");
    let head = "shop: 6 stories\nralph/shop into the default branch of acme/shop\n\n<!-- ralph-loop: begin, run ";
    assert!(printed.starts_with(head), "{printed}");
    assert_eq!(pushed(&project), "");
}

/// Exit code, and the lines of standard error.
#[track_caller]
fn refused(project: &Project, token: Option<&str>, code: i32, parts: &[&str]) {
    let (found, printed, error) = pr(project, token, &[]);
    assert_eq!(found, Some(code), "{printed}{error}");
    for part in parts {
        assert!(error.contains(part), "{part}: {error}");
    }
    let safe = "\nnote: the work is on branch ralph/shop; `ralph-loop pr` tries again\n";
    assert!(error.ends_with(safe), "{error}");
}

#[test]
fn errors_say_what_helps_and_that_the_work_is_safe() {
    let offline = finished("127.0.0.1:1");
    refused(&offline, Some(TOKEN), 1, &["cannot reach the forge", "hint: check the network"]);
    refused(&offline, None, 2, &["no access token for GitHub", "GH_ENTERPRISE_TOKEN"]);
    assert_eq!(pushed(&offline), "");

    let message = |text: &str| json!({"message": text});
    for (status, text, code, expected) in [
        (401, "Bad credentials", 2, "refused the access token (401)"),
        (403, "Resource not accessible by personal access token", 2, "permission denied (403)"),
        (404, "Not Found", 2, "not found, or not visible with this access token (404)"),
        (502, "", 1, "the server failed (502)"),
    ] {
        let forge = Forge::new([(ACCESS, vec![reply(status, &message(text))])].into());
        let project = finished(&forge.address);
        refused(&project, Some(TOKEN), code, &[expected]);
        assert_eq!(pushed(&project), "", "nothing is pushed if the token cannot publish");
    }

    let read_only = json!({"default_branch": "main", "permissions": {"pull": true}});
    let forge = Forge::new([(ACCESS, vec![reply(200, &read_only)])].into());
    refused(&finished(&forge.address), Some(TOKEN), 2, &["may only read acme/shop", "your fork"]);

    let invalid = json!({"message": "Validation Failed", "errors": [{"message": "No commits between main and x"}]});
    let replies = [
        (ACCESS, vec![reply(200, &access())]),
        (FIND, vec![reply(200, &json!([]))]),
        (PULLS, vec![reply(422, &invalid)]),
    ];
    let forge = Forge::new(replies.into());
    refused(&finished(&forge.address), Some(TOKEN), 1, &["refused (422)", "No commits between"]);
}

#[test]
fn a_limit_of_requests_is_waited_for() {
    let limited =
        reply(429, &json!({"message": "API rate limit exceeded"})).with("Retry-After", "0");
    let replies = [
        (ACCESS, vec![limited, reply(200, &access())]),
        (FIND, vec![reply(200, &json!([]))]),
        (PULLS, vec![reply(201, &pull("shop", "", true))]),
    ];
    let forge = Forge::new(replies.into());
    let (code, printed, error) = pr(&finished(&forge.address), Some(TOKEN), &[]);
    assert_eq!(code, Some(0), "{printed}{error}");
    assert!(
        error.contains("GitHub limits the number of requests; wait 0 seconds; waiting 1 seconds"),
        "{error}"
    );
}

#[test]
fn a_refused_push_loses_nothing_and_exits_with_5() {
    use std::os::unix::fs::PermissionsExt;

    let forge = || {
        Forge::new(
            [(ACCESS, vec![reply(200, &access())]), (FIND, vec![reply(200, &json!([]))])].into(),
        )
    };
    let server = forge();
    let project = finished(&server.address);
    let hook = project.root().join("../bare.git/hooks/pre-receive");
    std::fs::write(&hook, "#!/bin/sh\necho 'protected branch hook declined' >&2\nexit 1\n")
        .unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    refused(&project, Some(TOKEN), 5, &["cannot push ralph/shop: the branch is protected"]);
    std::fs::remove_file(&hook).unwrap();

    let root = project.root();
    test_repo::git(&root, &["commit", "--quiet", "--allow-empty", "-m", "theirs"]);
    test_repo::git(&root, &["push", "--quiet", "origin", "HEAD:refs/heads/ralph/shop"]);
    let theirs = pushed(&project);
    refused(&project, Some(TOKEN), 5, &["it has other commits on the remote", "never overwritten"]);
    assert_eq!(pushed(&project), theirs);
    assert!(server.bodies().is_empty(), "no pull request without the branch");
}
