//! Comments, labels, assignees and permissions.

use forge::{ForgeKind, Permission, Subject};
use serde_json::{Value, json};

use crate::support::{Forge, KINDS, ok, reply};

/// Methods and paths below the repository, with the bodies.
fn calls(forge: &Forge) -> Vec<(String, Value)> {
    let short = |call: &str| {
        let (method, path) = call.split_once(' ').unwrap();
        let path = path.rsplit_once("shop").map_or(path, |(_, path)| path);
        format!("{method} {path}")
    };
    forge.received().into_iter().map(|it| (short(&it.call), it.body)).collect()
}

fn call(call: &str, body: Value) -> (String, Value) {
    (call.to_owned(), body)
}

#[test]
fn comments_go_to_issues_and_pull_requests() {
    for kind in KINDS {
        let forge = Forge::new(kind, vec![reply(201, "{}"), reply(201, "{}")]);
        let client = forge.client();
        client.comment(Subject::Issue(12), "a").unwrap();
        client.comment(Subject::Pull(7), "b").unwrap();
        let (first, second) = match kind {
            ForgeKind::GitLab => ("POST /issues/12/notes", "POST /merge_requests/7/notes"),
            _ => ("POST /issues/12/comments", "POST /issues/7/comments"),
        };
        let expected = [call(first, json!({ "body": "a" })), call(second, json!({ "body": "b" }))];
        assert_eq!(calls(&forge), expected, "{kind}");
    }
}

#[test]
fn labels_are_added_and_created() {
    for kind in KINDS {
        let known = json!([{ "id": 3, "name": "Ralph" }]);
        let replies = match kind {
            ForgeKind::Forgejo => {
                vec![ok(&known), ok(&json!({ "id": 9, "name": "new" })), ok(&json!([]))]
            }
            _ => vec![ok(&json!([]))],
        };
        let forge = Forge::new(kind, replies);
        forge.client().add_labels(Subject::Issue(12), &["ralph", "new"]).unwrap();
        let expected = match kind {
            ForgeKind::GitHub => {
                vec![call("POST /issues/12/labels", json!({ "labels": ["ralph", "new"] }))]
            }
            ForgeKind::Forgejo => vec![
                call("GET /labels?limit=50", Value::Null),
                call("POST /labels", json!({ "name": "new", "color": "#1d76db" })),
                call("POST /issues/12/labels", json!({ "labels": [3, 9] })),
            ],
            ForgeKind::GitLab => vec![call("PUT /issues/12", json!({ "add_labels": "ralph,new" }))],
        };
        assert_eq!(calls(&forge), expected, "{kind}");
    }
}

#[test]
fn a_label_is_removed_if_it_is_there() {
    for kind in KINDS {
        let replies = match kind {
            ForgeKind::GitHub => vec![ok(&json!([])), reply(404, "{}")],
            ForgeKind::Forgejo => {
                let labels = ok(&json!([{ "id": 3, "name": "a b" }]));
                vec![labels, reply(204, ""), ok(&json!([]))]
            }
            ForgeKind::GitLab => vec![ok(&json!({})), ok(&json!({}))],
        };
        let forge = Forge::new(kind, replies);
        let client = forge.client();
        client.remove_label(Subject::Pull(7), "a b").unwrap();
        client.remove_label(Subject::Pull(7), "a b").unwrap();
        let found = calls(&forge);
        let expected = match kind {
            ForgeKind::GitHub => call("DELETE /issues/7/labels/a%20b", Value::Null),
            ForgeKind::Forgejo => call("DELETE /issues/7/labels/3", Value::Null),
            ForgeKind::GitLab => call("PUT /merge_requests/7", json!({ "remove_labels": "a b" })),
        };
        let at = usize::from(kind == ForgeKind::Forgejo);
        assert_eq!(found[at], expected, "{kind}");
    }
}

#[test]
fn a_user_is_assigned_beside_others() {
    for kind in KINDS {
        let replies = match kind {
            ForgeKind::GitHub => vec![reply(201, "{}")],
            ForgeKind::Forgejo => vec![crate::support::fixture("forgejo-issue"), ok(&json!({}))],
            ForgeKind::GitLab => vec![ok(&json!([{ "id": 42 }])), ok(&json!({}))],
        };
        let forge = Forge::new(kind, replies);
        forge.client().assign(12, "ralph").unwrap();
        let expected = match kind {
            ForgeKind::GitHub => {
                call("POST /issues/12/assignees", json!({ "assignees": ["ralph"] }))
            }
            ForgeKind::Forgejo => {
                call("PATCH /issues/12", json!({ "assignees": ["hubot", "ralph"] }))
            }
            ForgeKind::GitLab => call("PUT /issues/12", json!({ "assignee_ids": [42] })),
        };
        assert_eq!(calls(&forge).last(), Some(&expected), "{kind}");
    }
}

#[test]
fn the_user_of_the_token_is_known() {
    for kind in KINDS {
        let forge = Forge::new(kind, vec![ok(&json!({ "login": "ralph", "username": "ralph" }))]);
        assert_eq!(forge.client().current_user().unwrap(), "ralph");
        let call = &forge.received()[0].call;
        assert!(call.ends_with("/user") && !call.contains("acme"), "{call}");
    }
}

#[test]
fn permissions_of_people_are_ordered() {
    use Permission::{Admin, None, Read, Write};
    assert!(Admin > Write && Write > Read && Read > None);
    for (word, level, expected) in [
        ("admin", 50, Admin),
        ("owner", 40, Admin),
        ("write", 30, Write),
        ("read", 20, Read),
        ("none", 5, None),
    ] {
        for kind in KINDS {
            let replies = match kind {
                ForgeKind::GitLab => {
                    vec![ok(&json!([{ "id": 42 }])), ok(&json!({ "access_level": level }))]
                }
                _ => vec![ok(&json!({ "permission": word, "user": {} }))],
            };
            let forge = Forge::new(kind, replies);
            assert_eq!(forge.client().permission("mona").unwrap(), expected, "{kind} {word}");
        }
    }
    for kind in KINDS {
        let stranger = if kind == ForgeKind::GitLab { ok(&json!([])) } else { reply(404, "{}") };
        let forge = Forge::new(kind, vec![stranger]);
        assert_eq!(forge.client().permission("who").unwrap(), None, "{kind}");
    }
}

#[test]
fn only_people_who_can_push_may_write() {
    for kind in KINDS {
        for (login, may) in [("Mona", true), ("eve", false)] {
            let (word, level) = if may { ("write", 30) } else { ("read", 20) };
            let replies = match kind {
                // The list leaves out users who can only read.
                ForgeKind::Forgejo => vec![ok(&json!([{ "login": "mona" }]))],
                ForgeKind::GitHub => vec![ok(&json!({ "permission": word }))],
                ForgeKind::GitLab => {
                    vec![ok(&json!([{ "id": 42 }])), ok(&json!({ "access_level": level }))]
                }
            };
            let forge = Forge::new(kind, replies);
            assert_eq!(forge.client().may_write(login).unwrap(), may, "{kind} {login}");
        }
    }
}

#[test]
fn the_rights_of_the_token_are_read() {
    for kind in KINDS {
        let permissions = match kind {
            ForgeKind::GitLab => {
                json!({ "project_access": null, "group_access": { "access_level": 30 } })
            }
            _ => json!({ "admin": false, "push": true, "pull": true }),
        };
        let repository = json!({ "default_branch": "main", "archived": false,
            "permissions": permissions });
        let answer = ok(&repository).with("X-OAuth-Scopes", "repo, read:org");
        let forge = Forge::new(kind, vec![answer, ok(&json!({ "archived": true }))]);
        let client = forge.client();
        let access = client.repository_access().unwrap();
        assert_eq!((access.permission, access.is_archived), (Permission::Write, false), "{kind}");
        assert_eq!(access.default_branch, "main");
        assert_eq!(access.scopes, Some(vec!["repo".to_owned(), "read:org".to_owned()]));
        let access = client.repository_access().unwrap();
        assert_eq!((access.permission, access.is_archived), (Permission::None, true), "{kind}");
        assert_eq!(access.scopes, None);
    }
}
