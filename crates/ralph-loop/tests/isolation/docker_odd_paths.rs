//! Names that a shell would read otherwise reach the sandbox as they are.

use std::fs;

use isolation::Availability::Missing;
use isolation::docker::Mount;

use crate::docker_harness::Machine;

const ODD: [&str; 6] = [
    "a b",
    "it's \"so\"",
    "$(touch x) `touch y` ${HOME}",
    "-rf --help",
    "new\nline",
    "ümläut ; | & >z",
];

#[test]
fn projects_and_state_folders_of_any_name() {
    for odd in ODD {
        for cli in ["sbx", "docker"] {
            let mut machine = Machine::new(cli, odd).with_git();
            test_repo::git(
                machine.project(),
                &["config", "user.name", &format!("-x {odd}").replace('\n', " ")],
            );
            machine.options.state_folder = machine.beside("home").join(format!("state {odd}"));
            let sandbox = machine.prepare().unwrap();
            let name = sandbox.name();
            assert!(name.len() <= 63, "{name}");
            let create = machine
                .calls()
                .into_iter()
                .find(|call| call.words.iter().any(|word| word == "create"));
            let words = create.unwrap().words;
            assert!(words.contains(&machine.project().display().to_string()), "{words:?}");
            let home = machine.stand_in.home(name);
            let link = fs::read_link(home.join(".claude.json")).unwrap();
            assert_eq!(link, machine.options.state_folder.join(".claude.json"));
            let config = fs::read_to_string(home.join(".gitconfig")).unwrap();
            assert!(config.contains("-x "), "{config}");
            let beside: Vec<_> = fs::read_dir(machine.project()).unwrap().collect();
            assert_eq!(beside.len(), 2, "nothing of a name was run: {beside:?}");
        }
    }
}

#[test]
fn a_marker_in_a_folder_of_any_name_is_written_through() {
    for odd in ODD {
        let mut machine = Machine::new("docker", odd);
        let mut sandbox = machine.prepare().unwrap();
        let marker = machine.layout.marker();
        fs::write(&marker, "{\"on\": \"host\"}").unwrap();
        machine.calls();
        sandbox.before_session(machine.context(), &[machine.layout.marker()]).unwrap();
        let calls = machine.calls();
        let [call] = &calls[..] else { panic!("{calls:?}") };
        assert_eq!(call.input, "{\"on\": \"host\"}");
        assert_eq!(call.words.last().unwrap(), &marker.display().to_string());
        assert_eq!(fs::read_to_string(&marker).unwrap(), "{\"on\": \"host\"}");
    }
}

#[test]
fn a_colon_ends_a_path_and_is_refused() {
    let mut machine = Machine::new("sbx", "a:ro");
    let refused = machine.prepare().unwrap_err();
    assert!(refused.to_string().contains("colon"), "{refused}");
    assert_eq!((refused.exit_code(), machine.calls()), (2, vec![]));
    assert!(refused.hint().unwrap().contains("move the project"), "{:?}", refused.hint());
    let Missing(why) = machine.survey() else { panic!("{:?}", machine.survey()) };
    assert!(why.why.contains("colon") && why.fix.is_some(), "{why:?}");

    let mut machine = Machine::with_sbx();
    machine.options.mounts = vec![Mount::read_write("/cache:ro")];
    let Missing(why) = machine.survey() else { panic!("{:?}", machine.survey()) };
    assert!(why.why.starts_with("isolation.writablePaths: /cache:ro has a colon"), "{why:?}");
}
