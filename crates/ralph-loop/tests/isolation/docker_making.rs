//! A sandbox is made once, set up, and used again.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use walls::docker::Mount;

use crate::docker_ground::Machine;

const MADE: [&str; 5] = ["version", "ls", "create", "exec-root", "exec"];

#[test]
fn it_is_made_and_set_up_once_and_used_again() {
    let mut machine = Machine::with_sbx().with_git();
    let sandbox = machine.prepare().unwrap();
    assert_eq!(machine.commands(), MADE);
    let again = machine.prepare().unwrap();
    assert_eq!(machine.commands(), ["version", "ls", "stop"]);
    assert_eq!(sandbox.name(), again.name());
    machine.prepare().unwrap();
    assert_eq!(machine.commands(), ["version", "ls"], "what is stopped is not stopped");
    assert_eq!(machine.told, Vec::<String>::new());
}

#[test]
fn the_calls_are_those_that_docker_documents() {
    for (mut machine, first) in [
        (Machine::with_sbx().with_git(), None),
        (Machine::with_docker().with_git(), Some("sandbox")),
    ] {
        machine.wall.mounts = vec![Mount::read_only(machine.beside("bin"))];
        let name = machine.prepare().unwrap().name().to_owned();
        let mut calls = machine.calls().into_iter().map(|call| call.words);
        let mut next = || {
            let words: Vec<String> = calls.next().unwrap();
            let own = words.strip_prefix(first.map(str::to_owned).as_slice()).unwrap();
            own.to_vec()
        };
        assert_eq!(next(), ["version"]);
        assert_eq!(next(), ["ls", "--json"]);
        let shown = |path: std::path::PathBuf| path.display().to_string();
        let (project, state) = (shown(machine.project().into()), shown(machine.state()));
        let plugin = format!("{}:ro", shown(machine.beside("bin")));
        assert_eq!(next(), ["create", "--name", &name, "claude", &project, &state, &plugin]);
        let link = next();
        assert_eq!(link[..6], ["exec", "-u", "root", &name, "bash", "-c"]);
        assert_eq!(link[7..], ["_", &state]);
        let identity = next();
        assert_eq!(identity[..4], ["exec", &name, "bash", "-c"]);
        assert_eq!(identity[5..], ["_", "a", "a@localhost"]);
    }
}

#[test]
fn claude_codes_files_lead_to_the_state_folder_and_git_knows_who_commits() {
    let mut machine = Machine::with_sbx();
    let name = machine.prepare().unwrap().name().to_owned();
    let home = machine.stand_in.home(&name);
    let state = machine.state();
    assert_eq!(fs::read_link(home.join(".claude")).unwrap(), state.join(".claude"));
    assert_eq!(fs::read_to_string(home.join(".claude.json")).unwrap(), "{}\n");
    let mode = fs::metadata(&state).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    let config = fs::read_to_string(home.join(".gitconfig")).unwrap();
    assert!(config.contains("name = Ralph Loop") && config.contains("ralph@localhost"), "{config}");
}

#[test]
fn a_setup_that_was_cut_off_is_done_again() {
    for step in ["exec-root", "exec"] {
        let mut machine = Machine::with_sbx();
        machine.stand_in.fail_at(step).unwrap();
        machine.prepare().unwrap_err();
        machine.stand_in.fail_at("").unwrap();
        machine.calls();
        let name = machine.prepare().unwrap().name().to_owned();
        assert_eq!(machine.commands(), ["version", "ls", "exec-root", "exec", "stop"], "{step}");
        let link = fs::read_link(machine.stand_in.home(&name).join(".claude")).unwrap();
        assert_eq!(link, machine.state().join(".claude"));
    }
}

#[test]
fn another_identity_is_told_and_other_folders_are_refused() {
    let mut machine = Machine::with_sbx().with_git();
    machine.prepare().unwrap();
    scratch_repo::git(machine.project(), &["config", "user.name", "b"]);
    machine.calls();
    machine.prepare().unwrap();
    assert_eq!(machine.commands(), ["version", "ls", "exec-root", "exec", "stop"]);
    machine.wall.mounts = vec![Mount::read_only(machine.beside("bin"))];
    let refused = machine.prepare().unwrap_err();
    assert!(refused.to_string().contains("other folders"), "{refused}");
    assert!(refused.hint().unwrap().starts_with("`sbx rm ralph-"), "{:?}", refused.hint());
    assert_eq!(machine.commands(), ["version", "ls"], "nothing is removed");
}

#[test]
fn one_that_its_owner_removed_is_made_anew_and_one_that_nobody_knows_is_left_alone() {
    let mut machine = Machine::with_sbx();
    let name = machine.prepare().unwrap().name().to_owned();
    let sandboxes = machine.beside("bin/stand-in/sandboxes");
    let kept = sandboxes.join(format!("{name}.json"));
    let aside = machine.beside("aside.json");
    fs::rename(&kept, &aside).unwrap();
    machine.calls();
    machine.prepare().unwrap();
    assert_eq!(machine.commands(), MADE);
    fs::remove_dir_all(machine.beside("home/.dclaude_state-sandboxes")).unwrap();
    machine.prepare().unwrap_err();
    assert_eq!(machine.commands(), ["version", "ls"]);
}

#[test]
fn a_name_that_only_begins_like_it_is_not_it() {
    let mut machine = Machine::with_sbx();
    let name = machine.prepare().unwrap().name().to_owned();
    let sandboxes = machine.beside("bin/stand-in/sandboxes");
    let longer = fs::read_to_string(sandboxes.join(format!("{name}.json")));
    let longer = longer.unwrap().replace(&name, &format!("{name}-2"));
    fs::write(sandboxes.join("longer.json"), longer).unwrap();
    fs::remove_file(sandboxes.join(format!("{name}.json"))).unwrap();
    machine.calls();
    machine.prepare().unwrap();
    assert_eq!(machine.commands(), MADE);
}
