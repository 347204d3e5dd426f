//! What Claude Code is told, word for word: it passes over a key that it does not know, and then the
//! wall has a hole.

use std::path::Path;

use super::*;

fn settings(wall: &NativeWall) -> Value {
    let git = GitSettings { ignores: Path::new("/run/ignores"), there: 0 };
    wall.settings(&git, &["/p/.git/info".into()])
}

/// The lists are long, and have tests of their own.
fn without_lists(mut settings: Value) -> Value {
    for list in [
        "/sandbox/network/allowedDomains",
        "/sandbox/filesystem/allowWrite",
        "/sandbox/credentials/envVars",
        "/permissions/deny",
    ] {
        let taken = settings.pointer_mut(list).map(Value::take);
        assert!(taken.is_some_and(|list| list.is_array()), "{list} is not there");
    }
    settings
}

fn list(settings: &Value, pointer: &str) -> Vec<String> {
    let values = settings.pointer(pointer).and_then(Value::as_array).unwrap();
    values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_switches_are_those_that_close_every_way_out() {
    assert_eq!(
        without_lists(settings(&NativeWall::default())),
        json!({
            "sandbox": {
                "enabled": true,
                "failIfUnavailable": true,
                "allowUnsandboxedCommands": false,
                "network": {
                    "allowedDomains": null,
                    "strictAllowlist": true,
                    "allowLocalBinding": true,
                },
                "filesystem": {
                    "allowWrite": null,
                    "denyWrite": ["/p/.git/info"],
                    "allowRead": [],
                },
                "credentials": { "envVars": null },
            },
            "permissions": { "deny": null },
            "env": {
                "GIT_CONFIG_COUNT": "3",
                "GIT_CONFIG_KEY_0": "core.excludesFile",
                "GIT_CONFIG_VALUE_0": "/run/ignores",
                "GIT_CONFIG_KEY_1": "commit.gpgSign",
                "GIT_CONFIG_VALUE_1": "false",
                "GIT_CONFIG_KEY_2": "tag.gpgSign",
                "GIT_CONFIG_VALUE_2": "false",
            },
        })
    );
}

#[test]
fn what_the_user_adds_comes_after_the_packages_and_once() {
    let wall = NativeWall {
        allowed_domains: vec!["*.example.com".into(), "pypi.org".into()],
        writable: vec!["/srv/cache".into()],
        readable: vec!["/home/u/.ssh/signing".into()],
    };
    let settings = settings(&wall);
    let domains = list(&settings, "/sandbox/network/allowedDomains");
    assert_eq!(domains.len(), PACKAGE_HOSTS.len() + 1);
    assert_eq!(domains.last().unwrap(), "*.example.com");
    let writable = list(&settings, "/sandbox/filesystem/allowWrite");
    assert_eq!(writable.last().unwrap(), "/srv/cache");
    assert_eq!(writable.len(), PACKAGE_CACHES.len() + 1);
    assert_eq!(list(&settings, "/sandbox/filesystem/allowRead"), ["/home/u/.ssh/signing"]);
}

#[test]
fn credentials_are_closed_as_files_or_as_folders() {
    let rules = list(&settings(&NativeWall::default()), "/permissions/deny");
    for rule in [
        "Read(~/.ssh/**)",
        "Read(~/.netrc)",
        "Read(~/.claude/.credentials.json)",
        "Edit(./.claude/settings.json)",
        "Edit(./.git/hooks/**)",
    ] {
        assert!(rules.iter().any(|each| each == rule), "{rule} is not among {rules:?}");
    }
    assert_eq!(rules.len(), CREDENTIALS.len() + STARTED_BY_OTHERS.len());
}

#[test]
fn secrets_are_taken_from_the_environment_of_commands() {
    let settings = settings(&NativeWall::default());
    let variables = settings["sandbox"]["credentials"]["envVars"].as_array().unwrap();
    assert!(variables.contains(&json!({ "name": "ANTHROPIC_API_KEY", "mode": "deny" })));
    assert_eq!(variables.len(), SECRET_VARIABLES.len());
}

#[test]
fn no_place_that_programs_are_started_from_is_writable() {
    let started_from = [
        "~",
        "~/.cargo",
        "~/.cargo/bin",
        "~/.local",
        "~/.local/bin",
        "~/.local/share/pnpm",
        "~/.npm",
        "~/.gradle",
        "~/go",
        "~/go/bin",
        "~/.cache",
    ];
    for cache in PACKAGE_CACHES {
        assert!(cache.starts_with("~/"), "{cache}");
        assert!(!started_from.contains(&cache), "{cache}");
    }
}

#[test]
fn hosts_are_named_one_by_one_and_none_of_them_takes_what_anybody_sends() {
    for domain in PACKAGE_HOSTS {
        let plain =
            domain.chars().all(|letter| letter.is_ascii_lowercase() || ".-1".contains(letter));
        assert!(plain && domain.contains('.'), "{domain}");
        for open in ["github", "gitlab", "upload", "amazonaws", "googleapis"] {
            assert!(!domain.contains(open), "{domain}");
        }
    }
}
