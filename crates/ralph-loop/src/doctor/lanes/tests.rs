//! Facts about clones and what they mean.

use super::*;

fn lanes(jobs: u64) -> LaneOptions {
    LaneOptions {
        dir: "/lanes/shop".into(),
        jobs,
        setup: Vec::new(),
        first_port: 20_000,
        sessions: None,
        checks: None,
    }
}

#[test]
fn an_old_git_cannot_merge_without_a_work_tree() {
    let judged = |text: &str| judge_git(&Ok(text.into()));
    assert_eq!(judged("git version 2.38.0"), None);
    assert_eq!(judged("git version 2.37.9").unwrap().state, CheckState::Problem);
}

#[test]
fn the_disk_must_hold_the_files_of_every_clone() {
    let state = |jobs, free| judge_space(&lanes(jobs), 10 * (jobs + 1), free).state;
    assert_eq!(state(3, 39), CheckState::Problem);
    assert_eq!(state(3, 40), CheckState::Warning);
    assert_eq!(state(3, 40 + LEAST_FREE), CheckState::Ok);
    let dir = assert_fs::TempDir::new().unwrap();
    let needs = |bytes| judge_dir(&lanes(1), dir.path().into(), bytes).state;
    assert_eq!((needs(None), needs(Some(u64::MAX))), (CheckState::Ok, CheckState::Problem));
    assert_eq!(judge_dir(&lanes(1), "/no/such/folder".into(), None).state, CheckState::Problem);
    assert_eq!(existing(&dir.path().join("a/b")), dir.path());
}

#[test]
fn a_program_that_setup_starts_must_be_installed() {
    let judged = |commands: &[&str]| {
        let commands: Vec<String> = commands.iter().map(ToString::to_string).collect();
        judge_setup(&commands, |program| program == "npm")
    };
    for fine in [&[][..], &["npm ci"], &["CI=1 npm ci"], &["cd web && pnpm i"], &["$TOOL x"]] {
        assert_eq!(judged(fine).state, CheckState::Ok, "{fine:?}");
    }
    let missing = judged(&["npm ci", "uv sync", "A=1 B=2 ./scripts/up.sh"]);
    assert_eq!(missing.found, "not in PATH: uv, ./scripts/up.sh");
}

#[test]
fn patterns_that_match_nothing_are_named() {
    assert_eq!(judge_include(2, &[]).state, CheckState::Ok);
    let check = judge_include(2, &[".env"]);
    assert_eq!(check.found, "these patterns match no ignored file: .env");
    assert_eq!(judge_no_include(&[]).state, CheckState::Ok);
    assert_eq!(judge_no_include(&[".env".into()]).state, CheckState::Warning);
}

#[test]
fn a_branch_that_is_checked_out_cannot_be_moved() {
    assert_eq!(judge_branch("ralph/x", None).state, CheckState::Ok);
    let check = judge_branch("ralph/x", Some("/my shop"));
    assert_eq!(check.fix, Some(Fix::run("git -C '/my shop' switch --detach")));
}

#[test]
fn submodules_are_counted() {
    assert_eq!(judge_submodules(""), None);
    let check = judge_submodules("[submodule \"a\"]\n\tpath = a\n[submodule \"b\"]\n").unwrap();
    assert!(check.found.starts_with("2 in .gitmodules"), "{check:?}");
}
