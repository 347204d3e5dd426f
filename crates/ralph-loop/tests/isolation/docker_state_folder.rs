//! The folder with Claude Code's files for sandboxes.

use std::fs;
use std::os::unix::fs::symlink;

use isolation::Availability;
use isolation::docker::Mount;

use crate::docker_harness::Machine;

#[test]
fn valid_files_are_kept_and_invalid_ones_are_moved_away_and_reported() {
    let mut machine = Machine::with_sbx();
    let state = machine.state();
    fs::create_dir(&state).unwrap();
    let json = state.join(".claude.json");
    fs::write(&json, "{\"signed\":\"in\"}").unwrap();
    machine.prepare().unwrap();
    assert_eq!(fs::read_to_string(&json).unwrap(), "{\"signed\":\"in\"}");
    assert_eq!(machine.reported, Vec::<String>::new());
    for (number, broken) in ["", "{", "[]", "null"].iter().enumerate() {
        fs::write(&json, broken).unwrap();
        machine.prepare().unwrap();
        assert_eq!(fs::read_to_string(&json).unwrap(), "{}\n");
        let aside = state.join(format!(".claude.json.broken-{}", number + 1));
        assert_eq!(fs::read_to_string(&aside).unwrap(), *broken);
        assert!(machine.reported.last().unwrap().contains(&aside.display().to_string()));
    }
}

#[test]
fn a_link_of_the_agent_is_moved_away() {
    let mut machine = Machine::with_sbx();
    machine.prepare().unwrap();
    let (json, own) = (machine.state().join(".claude.json"), machine.beside("home/.profile"));
    fs::write(&own, "{\"sound\": 1}").unwrap();
    fs::remove_file(&json).unwrap();
    symlink(&own, &json).unwrap();
    machine.prepare().unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), "{\"sound\": 1}");
    assert_eq!(fs::read_to_string(&json).unwrap(), "{}\n");
    assert!(!json.is_symlink());
    assert_eq!(machine.reported.len(), 1);
}

#[test]
fn the_users_own_things_are_never_shown() {
    let mut machine = Machine::with_sbx();
    fs::create_dir(machine.beside("home/.claude")).unwrap();
    symlink(machine.beside("home/.claude"), machine.beside("sly")).unwrap();
    for state in
        ["home", "home/.claude", "home/.claude/sandboxes", "sly", "sly/new", "project/state", ""]
    {
        machine.options.state_folder = machine.beside(state);
        let refused = machine.prepare().unwrap_err();
        assert!(
            refused.to_string().contains("cannot be the sandbox state folder"),
            "{state}: {refused}"
        );
        assert_eq!(refused.exit_code(), 2);
        assert_eq!(machine.calls(), vec![], "{state}");
    }
}

#[test]
fn a_project_around_the_users_settings_is_refused() {
    let mut machine = Machine::new("sbx", "home");
    fs::create_dir(machine.beside("home/.claude")).unwrap();
    machine.options.state_folder = machine.beside("state");
    let refused = machine.prepare().unwrap_err();
    assert!(refused.to_string().contains("your own ~/.claude"), "{refused}");
}

#[test]
fn writable_paths_exclude_files_of_the_user_the_hooks_and_the_run() {
    let mut machine = Machine::with_sbx();
    machine.options.hooks = Some(machine.hooks());
    fs::create_dir(machine.beside("home/.claude")).unwrap();
    fs::create_dir(machine.beside("home/.cache")).unwrap();
    symlink(machine.beside("home/.claude"), machine.beside("sly")).unwrap();
    for (path, opened) in [
        ("home/.claude", "your own ~/.claude"),
        ("home/.claude/skills", "your own ~/.claude"),
        ("home", "your own ~/.claude"),
        ("sly", "your own ~/.claude"),
        ("", "your own ~/.claude"),
        ("home/.dclaude_state-hooks/bin", "its own hooks"),
        ("home/.dclaude_state-sandboxes", "the records of sandboxes"),
    ] {
        let path = machine.beside(path);
        machine.options.mounts = vec![Mount::read_write(&path)];
        let refused = machine.prepare().unwrap_err();
        let words = refused.to_string();
        let named = format!("isolation.writablePaths: {} would expose {opened}", path.display());
        assert!(words.starts_with(&named), "{words}");
        assert_eq!((refused.exit_code(), machine.calls()), (2, vec![]));
        assert!(matches!(machine.survey(), Availability::Missing(_)), "{words}");
        machine.calls();
    }
    machine.options.mounts = vec![Mount::read_write(machine.beside("home/.cache"))];
    machine.prepare().unwrap();
}

#[test]
fn a_link_in_place_of_the_users_settings_is_out_of_reach_like_what_it_leads_to() {
    let mut machine = Machine::with_sbx();
    fs::create_dir_all(machine.beside("dotfiles/claude")).unwrap();
    symlink(machine.beside("dotfiles/claude"), machine.beside("home/.claude")).unwrap();
    for path in ["dotfiles", "home"] {
        machine.options.mounts = vec![Mount::read_write(machine.beside(path))];
        let refused = machine.prepare().unwrap_err().to_string();
        assert!(refused.contains("your own ~/.claude"), "{path}: {refused}");
    }
}
