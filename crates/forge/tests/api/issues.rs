//! Issues of all forges.

use forge::{ForgeError, ForgeKind, Issue};
use serde_json::{Value, json};

use crate::support::{Forge, KINDS, fixture, fixture_text, ok, prefix};

/// The issue of the fixtures with another number.
fn numbered(kind: ForgeKind, number: u64) -> Value {
    let mut issue: Value =
        serde_json::from_str(&fixture_text(&format!("{}-issue", prefix(kind)))).unwrap();
    issue[if kind == ForgeKind::GitLab { "iid" } else { "number" }] = json!(number);
    issue
}

#[test]
fn one_issue_is_the_same_value_from_every_forge() {
    for kind in KINDS {
        let forge = Forge::new(kind, vec![fixture(&format!("{}-issue", prefix(kind)))]);
        let issue = forge.client().issue(12).unwrap();
        let url = match kind {
            ForgeKind::GitLab => "https://forge.example/acme/shop/-/issues/12",
            _ => "https://forge.example/acme/shop/issues/12",
        };
        let expected = Issue {
            number: 12,
            title: "Round sums once".into(),
            body: "Sums are rounded twice.\n\n- [ ] One rounding".into(),
            labels: vec!["ralph".into(), "priority: high".into()],
            milestone: Some("v1.0".into()),
            url: url.into(),
            is_open: true,
            author: Some("mona".into()),
            assignees: vec!["hubot".into()],
            is_pull_request: false,
        };
        assert_eq!(issue, expected, "{kind}");
        assert_eq!(forge.calls(), ["GET /issues/12"], "{kind}");
    }
}

#[test]
fn issues_with_a_label_come_from_all_pages_and_without_pull_requests() {
    for kind in KINDS {
        let mut other = numbered(kind, 5);
        other["labels"] = json!([]);
        let mut pull = numbered(kind, 6);
        pull["pull_request"] = json!({ "url": "u" });
        let last = if kind == ForgeKind::GitLab { other.clone() } else { pull };
        let next = "<http://elsewhere.example/x?page=2&labels=Ralph>; rel=\"next\"";
        let first = ok(&json!([numbered(kind, 9), other])).with("Link", next);
        let second = ok(&json!([numbered(kind, 3), last]))
            .with("Link", "<http://elsewhere.example/x?page=1>; rel=\"prev\"");
        let forge = Forge::new(kind, vec![first, second]);
        let issues = forge.client().issues_with_label("Ralph").unwrap();
        let numbers: Vec<u64> = issues.iter().map(|issue| issue.number).collect();
        assert_eq!(numbers, [3, 9], "{kind}");
        let calls = forge.calls();
        let first = match kind {
            ForgeKind::GitHub => {
                "GET /issues?state=open&sort=created&direction=asc&per_page=100&labels=Ralph"
            }
            ForgeKind::Forgejo => "GET /issues?state=open&type=issues&limit=50&labels=Ralph",
            ForgeKind::GitLab => {
                "GET /issues?state=opened&order_by=created_at&sort=asc&per_page=100&labels=Ralph"
            }
        };
        assert_eq!(calls, [first, "GET /issues?page=2&labels=Ralph"], "{kind}");
    }
}

#[test]
fn issues_of_a_milestone_are_found_by_its_title() {
    for kind in KINDS {
        let mut other = numbered(kind, 2);
        other["milestone"] = Value::Null;
        let list = ok(&json!([numbered(kind, 1), other]));
        let milestones = json!([{ "id": 70, "title": "v0.9" }, { "id": 71, "title": "v1.0" }]);
        let mut milestones = milestones;
        if kind == ForgeKind::GitHub {
            milestones[1]["number"] = json!(4);
        }
        let (replies, expected) = match kind {
            ForgeKind::GitHub => (
                vec![ok(&milestones), list],
                vec!["GET /milestones?state=all&per_page=100", "milestone=4"],
            ),
            ForgeKind::Forgejo => (
                vec![ok(&milestones), list],
                vec!["GET /milestones?state=all&limit=50", "milestones=v1.0"],
            ),
            ForgeKind::GitLab => (vec![list], vec!["milestone=v1.0"]),
        };
        let forge = Forge::new(kind, replies);
        let issues = forge.client().issues_of_milestone("V1.0").unwrap();
        let numbers: Vec<u64> = issues.iter().map(|issue| issue.number).collect();
        assert_eq!(numbers, [1], "{kind}");
        let calls = forge.calls();
        assert_eq!(calls.len(), expected.len(), "{calls:?}");
        for (call, end) in calls.iter().zip(expected) {
            assert!(call.to_lowercase().ends_with(&end.to_lowercase()), "{call}");
        }
    }
}

#[test]
fn an_unknown_milestone_is_an_error() {
    let forge = Forge::new(ForgeKind::Forgejo, vec![ok(&json!([]))]);
    let error = forge.client().issues_of_milestone("gone").unwrap_err();
    assert!(matches!(error, ForgeError::NoSuch { .. }), "{error}");
    assert_eq!(error.to_string(), "Forgejo has no milestone \"gone\"");
}
