//! A real Forgejo server does what tests of forges need of it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forgejo_server::{ForgejoServer, User};
use serde_json::{Value, json};

/// Set in a process that only holds a server.
const HOLDS: &str = "RALPH_TEST_HOLDS_FORGEJO";

/// A repository with `main`, and a branch with a change to one file.
struct Pushed {
    folder: tempfile::TempDir,
    repository: String,
    /// Of the branch `ralph/change`.
    commit: String,
}

impl Pushed {
    fn new(owner: &User) -> Self {
        let repository = owner.create_repository("app");
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| test_repo::git(folder.path(), args);
        test_repo::init(folder.path());
        test_repo::commit_all(folder.path());
        git(&["checkout", "-q", "-b", "ralph/change"]);
        std::fs::write(folder.path().join("file"), "line\n").unwrap();
        let commit = test_repo::commit_all(folder.path());
        git(&["push", "-q", &owner.remote(&repository), "main", "ralph/change"]);
        Self { folder, repository, commit }
    }
}

#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn a_merged_pull_request_closes_its_issue() {
    let server = ForgejoServer::from_env();
    let owner = server.create_user("owner", false);
    let Pushed { folder, repository, .. } = Pushed::new(&owner);
    let issue = owner.create_issue(&repository, "Add a file", "With a line.", &["ready"]);
    assert_eq!(owner.issue(&repository, issue)["labels"][0]["name"], "ready");
    assert_eq!(owner.label(&repository, "ready"), owner.label(&repository, "ready"));
    let body = format!("Closes #{issue}");
    let pull = owner.create_pull(&repository, "ralph/change", "Add a file", &body);
    assert_eq!(owner.issue(&repository, issue)["state"], "open");
    owner.merge(&repository, pull);
    assert_eq!(owner.pull(&repository, pull)["merged"], true);
    assert_eq!(owner.issue(&repository, issue)["state"], "closed");
    let merged = owner.pull(&repository, pull)["merge_commit_sha"].as_str().unwrap().to_owned();
    let remote = test_repo::git(folder.path(), &["ls-remote", &owner.remote(&repository), "main"]);
    assert!(remote.starts_with(&merged), "{remote}");
}

#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn others_review_and_statuses_count_for_a_protected_branch() {
    let server = ForgejoServer::from_env();
    let (owner, guest) = (server.create_user("owner", false), server.create_user("guest", false));
    let Pushed { folder, repository, commit } = Pushed::new(&owner);
    let pull = guest_pull(&owner, &guest, &repository);
    owner.protect_branch(&repository, "main", &["checks"]);
    let remote = owner.remote(&repository);
    let refused = std::panic::catch_unwind(|| {
        test_repo::git(folder.path(), &["push", "-q", &remote, "ralph/change:main"])
    });
    let refused = refused.unwrap_err();
    let refused = refused.downcast_ref::<String>().unwrap();
    assert!(refused.contains("Not allowed to push to protected branch main"), "{refused}");
    let path = format!("/repos/{repository}/pulls/{pull}/merge");
    let merge = json!({ "Do": "merge" });
    let refused = owner.call("POST", &path, &merge);
    assert_eq!(refused.status, 405, "{refused:?}");
    assert!(refused.body.contains("Not all required status checks successful"), "{refused:?}");
    owner.set_status(&repository, &commit, "checks", "success");
    owner.merge(&repository, pull);
    assert_eq!(owner.pull(&repository, pull)["merged_by"]["login"], "owner");
}

/// A pull request with a comment and a review of another user.
fn guest_pull(owner: &User, guest: &User, repository: &str) -> u64 {
    let pull = owner.create_pull(repository, "ralph/change", "WIP: Add a file", "");
    assert_eq!(owner.pull(repository, pull)["mergeable"], false);
    let title = json!({ "title": "Add a file" });
    owner.call("PATCH", &format!("/repos/{repository}/pulls/{pull}"), &title);
    let comment = guest.comment(repository, pull, "A question");
    let path = format!("/repos/{repository}/issues/comments/{comment}");
    assert_eq!(owner.get(&path)["user"]["login"], "guest");
    let permission = || {
        let path = format!("/repos/{repository}/collaborators/guest/permission");
        owner.get(&path)["permission"].clone()
    };
    assert_eq!(permission(), "read");
    owner.add_collaborator(repository, "guest", "write");
    assert_eq!(permission(), "write");
    let comments = json!([{ "path": "file", "new_position": 1, "body": "Why?" }]);
    let review = json!({ "event": "REQUEST_CHANGES", "body": "Almost", "comments": comments });
    let review = guest.review(repository, pull, &review);
    let path = format!("/repos/{repository}/pulls/{pull}/reviews/{review}/comments");
    let comments = owner.get(&path);
    assert_eq!(comments[0]["body"], "Why?");
    assert_eq!(comments[0]["position"], 1);
    assert_eq!(comments[0]["resolver"], Value::Null);
    pull
}

#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn it_ends_with_its_value() {
    let server = ForgejoServer::from_env();
    assert!(answers(&server.url()));
    let (url, folder) = (server.url(), server.folder().to_owned());
    drop(server);
    assert!(!answers(&url));
    assert!(!folder.exists());
}

#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn it_ends_with_a_killed_program() {
    if std::env::var_os(HOLDS).is_some() {
        let server = ForgejoServer::from_env();
        writeln!(std::io::stderr(), "{}", server.url()).unwrap();
        loop {
            std::thread::park();
        }
    }
    // A killed program does not remove its folders.
    let folder = tempfile::tempdir().unwrap();
    let mut holder = this_test_again(folder.path());
    let lines = BufReader::new(holder.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = { lines }.find(|line| line.starts_with("http://")).unwrap();
    assert!(answers(&url), "{url}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while answers(&url) {
        assert!(Instant::now() < deadline, "{url}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where this test starts itself")]
fn this_test_again(temporary: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "it_ends_with_a_killed_program", "--nocapture"])
        .env(HOLDS, "yes")
        .env("TMPDIR", temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn answers(url: &str) -> bool {
    TcpStream::connect(url.trim_start_matches("http://")).is_ok()
}

#[test]
fn a_program_that_is_no_server_is_reported_at_once() {
    let begin = Instant::now();
    let error = ForgejoServer::start(Path::new("no-such-server")).unwrap_err().to_string();
    assert!(error.starts_with("no-such-server did not start: "), "{error}");
    assert!(error.contains("not found"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}
