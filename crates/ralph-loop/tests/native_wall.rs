//! The trial of Claude Code's own sandbox, with programs that only pretend to be bubblewrap: what the
//! real one does on this machine is not known to a test.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

use std::os::unix::fs::PermissionsExt;

use assert_fs::TempDir;
use assert_fs::prelude::*;
use engine::walls::survey_native;
use supervise::Keeper;
use walls::{Availability, Obstacle};

fn surveyed_with(bubblewrap: &str) -> Availability {
    let bin = TempDir::new().unwrap();
    for (name, script) in [("bwrap", bubblewrap), ("socat", "")] {
        let program = bin.child(name);
        program.write_str(&format!("#!/bin/sh\n{script}\n")).unwrap();
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(program.path(), runs).unwrap();
    }
    let keeper = Keeper::at(env!("CARGO_BIN_EXE_ralph-loop"));
    survey_native(&keeper, Some(bin.path().as_os_str()))
}

#[test]
fn a_bubblewrap_that_runs_its_command_is_ready() {
    let obedient = "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"";
    assert_eq!(surveyed_with(obedient), Availability::Ready { by: "bubblewrap".into() });
}

#[test]
fn a_bubblewrap_that_may_not_do_its_work_says_why() {
    let refusal = surveyed_with("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
    let Availability::Missing(Obstacle { why, fix }) = refusal else {
        panic!("{refusal:?}");
    };
    let start = "bubblewrap cannot run here: bwrap: setting up uid map: Permission denied";
    assert!(why.starts_with(start), "{why}");
    assert!(fix.is_some());
}

#[test]
fn the_trial_asks_for_namespaces_of_its_own() {
    let strict = "for wanted in --unshare-user --unshare-pid --unshare-net --proc; do \
                  case \" $* \" in *\" $wanted \"*) ;; *) echo no $wanted; exit 1;; esac; done";
    assert_eq!(surveyed_with(strict), Availability::Ready { by: "bubblewrap".into() });
}
