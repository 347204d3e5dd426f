//! Detection of the sandbox without changes.

use std::fs;

use isolation::Availability::{Missing, OnRequest, Ready};

use crate::docker_harness::Machine;

#[test]
fn it_is_not_chosen_automatically_without_a_sign_in() {
    let mut machine = Machine::with_sbx().with_git();
    let OnRequest { by, why } = machine.survey() else { panic!("{:?}", machine.survey()) };
    assert_eq!(by, "sbx 0.39");
    assert!(why.fix.unwrap().contains("`sbx run --name ralph-"));
    assert!(!machine.state().exists(), "a look changes nothing");
    machine.prepare().unwrap();
    assert!(matches!(machine.survey(), Ready { .. }));

    let signed_in = Machine::with_docker().with_git();
    fs::create_dir_all(signed_in.state().join(".claude")).unwrap();
    fs::write(signed_in.state().join(".claude/.credentials.json"), "{}").unwrap();
    let Ready { by } = signed_in.survey() else { panic!("{:?}", signed_in.survey()) };
    assert_eq!(by, "docker sandbox");
}

#[test]
fn a_missing_part_is_reported_with_a_hint() {
    let machine = Machine::with_sbx();
    fs::remove_file(machine.stand_in.program()).unwrap();
    let Missing(why) = machine.survey() else { panic!() };
    assert_eq!(why.why, "neither `sbx` nor `docker sandbox` is installed");
    assert!(why.fix.unwrap().contains("`sbx login`"));

    let machine = Machine::with_sbx();
    machine.stand_in.fail_at("ls").unwrap();
    let Missing(why) = machine.survey() else { panic!() };
    assert!(why.why.starts_with("listing the sandboxes failed"), "{}", why.why);
}

#[test]
fn a_docker_without_sandboxes_is_none() {
    let machine = Machine::with_docker();
    machine.stand_in.fail_at("version").unwrap();
    let Missing(why) = machine.survey() else { panic!() };
    assert!(why.why.starts_with("neither"), "{}", why.why);
}

#[test]
fn a_repository_around_the_project_would_not_be_seen() {
    let machine = Machine::new("sbx", "repo/app");
    test_repo::init(&machine.beside("repo"));
    let Missing(why) = machine.survey() else { panic!() };
    assert!(why.why.contains("repository is outside"), "{}", why.why);
}
