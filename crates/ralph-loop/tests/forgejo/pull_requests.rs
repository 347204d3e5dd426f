//! A run becomes a pull request on a real server.

use std::fs;

use assert_cmd::cargo::cargo_bin;
use forgejo_server::{ForgejoServer, User};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use super::Clone;

const IGNORED: &str = ".ralph-active\n.ralph/lock\n.ralph/state.*\n.ralph/runs/\n.ralph-tmp-*\n";

/// The clone of a repository with an issue, imported.
struct Project {
    server: ForgejoServer,
    owner: User,
    repository: String,
    clone: Clone,
}

impl Project {
    fn new() -> Self {
        let server = ForgejoServer::from_env();
        let owner = server.create_user("owner", false);
        let repository = owner.create_repository("shop");
        owner.create_issue(&repository, "Pay by card", "- [ ] Cards work", &["ralph"]);
        let clone = Clone::of(&owner, &repository);
        fs::write(clone.root().join(".gitignore"), IGNORED).unwrap();
        clone.call(None, &["init", "--yes", "--verify", "true", "--from-issue", "1"]);
        test_repo::commit_all(&clone.root());
        let project = Self { server, owner, repository, clone };
        project.git(&["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
        project
    }

    fn git(&self, args: &[&str]) -> String {
        test_repo::git(&self.clone.root(), args).trim().to_owned()
    }

    /// Exit code, standard output, standard error.
    fn call(&self, token: Option<&str>, args: &[&str]) -> (Option<i32>, String, String) {
        let (code, printed, error) = self.clone.output(token, args);
        assert!(!format!("{printed}{error}").contains(&self.owner.token), "{printed}{error}");
        (code, printed, error)
    }

    #[track_caller]
    fn succeeds(&self, args: &[&str]) -> String {
        let (code, printed, error) = self.call(Some(&self.owner.token), args);
        assert_eq!(code, Some(0), "{args:?}: {printed}{error}");
        printed
    }

    fn run(&self, token: Option<&str>, flags: &[&str]) -> (Option<i32>, String, String) {
        let agent = cargo_bin("simulated-agent");
        let run =
            ["run", "--agent-program", agent.to_str().unwrap(), "--base-checks=off", "-n", "9"];
        self.call(token, &[&run[..], flags].concat())
    }

    fn pulls(&self) -> Vec<Value> {
        let pulls = self.owner.get(&format!("/repos/{}/pulls?state=open", self.repository));
        pulls.as_array().unwrap().clone()
    }

    #[track_caller]
    fn pull(&self) -> Value {
        let mut pulls = self.pulls();
        assert_eq!(pulls.len(), 1, "{pulls:?}");
        pulls.remove(0)
    }

    fn branch(&self) -> String {
        self.git(&["rev-parse", "--abbrev-ref", "HEAD"])
    }

    /// The commit of the branch on the server.
    fn pushed(&self, branch: &str) -> String {
        let url = self.owner.remote(&self.repository);
        let listed = self.git(&["ls-remote", &url, &format!("refs/heads/{branch}")]);
        listed.split_whitespace().next().unwrap_or_default().to_owned()
    }

    fn events(&self) -> Vec<Value> {
        let runs = fs::read_dir(self.clone.root().join(".ralph/runs")).unwrap().flatten();
        let logs = runs.filter_map(|run| fs::read_to_string(run.path().join("events.jsonl")).ok());
        let lines: Vec<Value> = logs
            .flat_map(|log| {
                log.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>()
            })
            .collect();
        lines.into_iter().filter(|event: &Value| event["type"] == "pull-request").collect()
    }
}

#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn a_run_ends_with_a_draft_that_later_calls_update() {
    let project = Project::new();
    let (code, printed, error) = project.run(Some(&project.owner.token), &["--pr"]);
    assert_eq!(code, Some(0), "{printed}{error}");
    let branch = project.branch();
    let pull = project.pull();
    let url = pull["html_url"].as_str().unwrap();
    assert!(printed.contains(&format!("pull request opened: {url}")), "{printed}");
    let (title, body) = (pull["title"].as_str().unwrap(), pull["body"].as_str().unwrap());
    assert!(title.starts_with("WIP: "), "a draft: {title}");
    assert!(body.contains("| ISSUE-1 | Pay by card | done | 1 passed | 1 | 0 |"), "{body}");
    assert!(body.contains("\nCloses #1\n") && body.contains("<details>"), "{body}");
    assert_eq!((&pull["head"]["ref"], &pull["base"]["ref"]), (&json!(branch), &json!("main")));
    assert_eq!(project.pushed(&branch), project.git(&["rev-parse", "HEAD"]));
    let events = project.events();
    assert_eq!((events.len(), &events[0]["outcome"]), (1, &json!("created")));
    assert!(!format!("{events:?}").contains(&project.owner.token));
    let report = project.succeeds(&["report", "--format", "markdown"]);
    assert!(report.contains(&format!("- Pull request: {url}")), "{report}");

    // The second call changes nothing.
    let unchanged = format!("Pull request unchanged: {url}\n");
    assert_eq!(project.succeeds(&["pr"]), unchanged);
    assert_eq!(project.pull()["updated_at"], pull["updated_at"]);

    // What people write stays, and a damaged text is repaired.
    let path = format!("/repos/{}/pulls/{}", project.repository, pull["number"]);
    let theirs = format!("Mine.\n\n{}", body.replace("| done |", "| open |"));
    assert_eq!(project.owner.call("PATCH", &path, &json!({"body": theirs})).status, 201);
    assert_eq!(project.succeeds(&["pr"]), format!("Pull request updated: {url}\n"));
    assert_eq!(project.pull()["body"], format!("Mine.\n\n{body}"));

    assert_eq!(project.succeeds(&["pr", "--ready"]), format!("Pull request updated: {url}\n"));
    assert!(!project.pull()["title"].as_str().unwrap().starts_with("WIP"), "ready");
    project.owner.merge(&project.repository, pull["number"].as_u64().unwrap());
    assert_eq!(project.owner.issue(&project.repository, 1)["state"], "closed");
}

#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn failures_lose_nothing_and_a_dry_run_touches_nothing() {
    let project = Project::new();
    // A wrong token does not change the result of the run.
    let (code, printed, error) = project.run(Some("wrong"), &["--pr"]);
    assert_eq!(code, Some(0), "{printed}{error}");
    assert!(
        printed.contains("no pull request: Forgejo refused the access token (401)"),
        "{printed}"
    );
    assert!(printed.contains("`ralph-loop pr` tries again"), "{printed}");
    assert_eq!(project.events()[0]["outcome"], "failed");
    let branch = project.branch();
    assert_eq!((project.pushed(&branch), project.pulls().len()), (String::new(), 0));

    let (code, printed, _) = project.call(None, &["pr", "--dry-run"]);
    assert_eq!(code, Some(0));
    assert!(printed.contains("\nCloses #1\n"), "{printed}");
    assert_eq!((project.pushed(&branch), project.pulls().len()), (String::new(), 0));

    project.owner.protect_branch(&project.repository, &branch, &[]);
    let (code, _, error) = project.call(Some(&project.owner.token), &["pr"]);
    assert_eq!(code, Some(5), "{error}");
    assert!(error.contains("is protected") && error.contains("the work is on branch"), "{error}");
    assert!(project.pulls().is_empty());
    let rule =
        format!("/repos/{}/branch_protections/{}", project.repository, branch.replace('/', "%2F"));
    assert_eq!(project.owner.call("DELETE", &rule, &Value::Null).status, 204);
    assert!(project.succeeds(&["pr"]).starts_with("Pull request opened: "));
    assert_eq!(project.pushed(&branch), project.git(&["rev-parse", "HEAD"]));

    // Without a token, a run that is to publish does not start.
    let (code, _, error) = project.run(None, &["--pr", "--fresh"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("no access token for Forgejo"), "{error}");
}

/// The settings allow the agent to change these, so nothing restores them.
#[test]
#[ignore = "needs RALPH_TEST_FORGEJO"]
fn an_agent_that_rewrites_the_remote_does_not_redirect_the_push() {
    let project = Project::new();
    let other = project.owner.create_repository("other");
    let elsewhere = project.owner.remote(&other);
    let settings = json!({"forge": {"kind": "forgejo"}, "isolation": {"kind": "guard"},
        "git": {"allow": ["remote.*", "url.*"]}});
    fs::write(project.clone.root().join(".ralph/settings.json"), settings.to_string()).unwrap();
    test_repo::commit_all(&project.clone.root());
    let script = format!(
        "git config remote.origin.url {elsewhere}; git config remote.origin.pushurl {elsewhere}; \
         git config url.{elsewhere}.insteadOf {}",
        project.owner.remote(&project.repository)
    );
    // The addresses have a token, which the output of the run must not have.
    let file = project.clone.dir.path().join("rewrite.sh");
    fs::write(&file, script).unwrap();
    let script = format!("sh {}", file.display());
    let implement =
        [Act::bash(script), Act::write("a.txt", "a"), Act::submit("done"), Act::commit("feat")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), implement);
    scenario.save(&project.clone.dir.path().join("scenario.json")).unwrap();

    let (code, printed, error) = project.run(Some(&project.owner.token), &["--pr"]);
    assert_eq!(code, Some(0), "{printed}{error}");
    let rewritten = project.git(&["config", "remote.origin.url"]);
    assert_eq!(rewritten, elsewhere, "the agent did rewrite it");
    assert_eq!(project.pull()["head"]["sha"], project.git(&["rev-parse", "HEAD"]));
    let there = project.owner.get(&format!("/repos/{other}"));
    assert_eq!(there["empty"], true, "{there}");
    let _ = &project.server;
}
