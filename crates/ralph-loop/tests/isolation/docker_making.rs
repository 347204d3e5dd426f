//! A sandbox is made once, set up, and used again.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use engine::isolation::docker::DockerNetwork;
use isolation::Availability;
use isolation::docker::Mount;

use crate::docker_harness::Machine;

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
    assert_eq!(machine.reported, Vec::<String>::new());
}

#[test]
fn the_calls_are_those_that_docker_documents() {
    for (mut machine, first) in [
        (Machine::with_sbx().with_git(), None),
        (Machine::with_docker().with_git(), Some("sandbox")),
    ] {
        machine.options.mounts = vec![Mount::read_only(machine.beside("bin"))];
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
fn claude_codes_files_link_to_the_state_folder_and_git_has_an_identity() {
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
fn another_identity_is_reported_and_other_folders_are_refused() {
    let mut machine = Machine::with_sbx().with_git();
    machine.prepare().unwrap();
    test_repo::git(machine.project(), &["config", "user.name", "b"]);
    machine.calls();
    machine.prepare().unwrap();
    assert_eq!(machine.commands(), ["version", "ls", "exec-root", "exec", "stop"]);
    machine.options.mounts = vec![Mount::read_only(machine.beside("bin"))];
    let refused = machine.prepare().unwrap_err();
    assert!(refused.to_string().contains("other mounts"), "{refused}");
    assert!(refused.hint().unwrap().contains("`sbx rm ralph-"), "{:?}", refused.hint());
    assert_eq!(machine.commands(), ["version", "ls"], "nothing is removed");
}

#[test]
fn a_removed_sandbox_is_created_again_and_an_unknown_one_is_kept() {
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

fn only(hosts: &[&str]) -> DockerNetwork {
    DockerNetwork::Only(hosts.iter().map(ToString::to_string).collect())
}

#[test]
fn docker_limits_the_network_of_the_sandbox_and_a_host_that_is_gone_needs_a_new_sandbox() {
    let mut machine = Machine::with_docker();
    machine.options.network = only(&["a.example.com", "localhost:4000"]);
    let name = machine.prepare().unwrap().name().to_owned();
    let calls = machine.calls();
    let limit = &calls.last().unwrap().words[1..];
    let documented = ["network", "proxy", &name, "--policy", "deny"];
    assert_eq!(limit[..5], documented);
    assert_eq!(limit[5..], ["--allow-host", "a.example.com", "--allow-host", "localhost:4000"]);
    machine.prepare().unwrap();
    assert!(!machine.commands().contains(&"network".to_owned()), "once");

    machine.options.network = DockerNetwork::Preferably(vec![
        "a.example.com".into(),
        "localhost:4000".into(),
        "b".into(),
    ]);
    machine.prepare().unwrap();
    let hosts = machine.stand_in.hosts(&name).unwrap().unwrap();
    assert!(hosts.contains(&"b".to_owned()), "{hosts:?}");

    machine.options.network = only(&["b"]);
    let error = machine.prepare().unwrap_err();
    assert!(error.to_string().contains("more allowed hosts than the settings"), "{error}");
    assert!(error.hint().unwrap().contains("docker sandbox rm"), "{:?}", error.hint());
}

#[test]
fn a_network_that_cannot_be_limited_keeps_a_run_that_asked_for_it_from_starting() {
    let mut machine = Machine::with_docker();
    machine.options.network = only(&["a"]);
    machine.stand_in.fail_at("network").unwrap();
    let error = machine.prepare().unwrap_err();
    assert!(error.to_string().starts_with("limiting the network of the sandbox failed"), "{error}");
    machine.stand_in.fail_at("").unwrap();
    machine.commands();
    machine.prepare().unwrap();
    assert!(machine.commands().contains(&"network".to_owned()), "the setup is done again");

    let mut machine = Machine::with_docker();
    machine.options.network = DockerNetwork::Preferably(vec!["a".into()]);
    machine.stand_in.fail_at("network").unwrap();
    machine.prepare().unwrap();
    let reported = machine.reported.concat();
    assert!(
        reported.starts_with("sessions are not limited to isolation.allowedHosts"),
        "{reported}"
    );

    let mut machine = Machine::with_sbx();
    machine.options.network = only(&["a.example.com", "b.example.com"]);
    let error = machine.prepare().unwrap_err();
    assert!(error.to_string().contains("for the whole machine"), "{error}");
    let hint = error.hint().unwrap();
    assert!(hint.contains("sbx policy allow network \"a.example.com,b.example.com\""), "{hint}");
    assert!(!machine.commands().contains(&"create".to_owned()), "nothing is made");
    let Availability::Missing(obstacle) = machine.survey() else { panic!("it is chosen") };
    assert!(obstacle.why.contains("for the whole machine"), "{obstacle:?}");
}

#[test]
fn sbx_runs_with_the_rules_of_the_machine_unless_hosts_were_asked_for_and_doctor_shows_it() {
    let mut machine = Machine::with_sbx();
    machine.options.network = DockerNetwork::Preferably(vec!["a.example.com".into()]);
    machine.prepare().unwrap();
    let Availability::Ready { by } = machine.survey() else { panic!("it is not ready") };
    assert!(
        by.ends_with("hosts are limited by `sbx policy ls`, not by isolation.allowedHosts"),
        "{by}"
    );
    machine.options.network = DockerNetwork::Unlimited;
    let Availability::Ready { by } = machine.survey() else { panic!("it is not ready") };
    assert_eq!(by, "sbx 0.39");
}
