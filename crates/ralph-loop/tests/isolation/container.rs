//! A container confines as the sandbox of the operating system does: the same attacks, and the same honest work.

use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use assert_fs::TempDir;
use engine::isolation::{ContainerBackend, ContainerQuery, survey_container};
use isolation::Obstacle;
use os_sandbox::container::ContainerUser;
use supervise::Keeper;

use crate::os_sandbox_harness::Machine;
use crate::{
    os_sandbox_files as files, os_sandbox_honest_work as honest_work, os_sandbox_kernel as kernel,
    os_sandbox_network as network, os_sandbox_processes as processes,
    os_sandbox_secrets as secrets, podman,
};

#[test]
fn secrets_cannot_be_read() {
    secrets::secrets_are_refused(&Machine::in_container());
    secrets::credentials_stay_hidden(Machine::in_container());
    #[cfg(target_arch = "x86_64")]
    secrets::keys_are_missing(Machine::in_container());
    secrets::no_open_file_is_inherited(&Machine::in_container());
}

#[test]
fn sockets_of_the_host_are_missing() {
    let mut machine = Machine::in_container();
    secrets::socket_in_project_is_hidden(&mut machine);
    machine.fails_each(&[
        "test -e /run/docker.sock",
        "test -e /run/podman/podman.sock",
        "test -e /run/dbus/system_bus_socket",
        "test -e /tmp/.X11-unix",
        "test -n \"$SSH_AUTH_SOCK$DOCKER_HOST$DBUS_SESSION_BUS_ADDRESS$DISPLAY$WAYLAND_DISPLAY\"",
    ]);
}

#[test]
fn files_of_the_machine_and_those_that_decide_whether_work_counts_stay() {
    let machine = Machine::in_container();
    files::nothing_outside_changes(&machine);
    files::temporary_files_stay_inside(&machine);
    files::guarded_files_stay(&machine);
    // It has a system of its own, which goes with it.
    machine.works("touch /etc/ralph-test-from-a-container");
    assert!(!std::path::Path::new("/etc/ralph-test-from-a-container").exists());
}

#[test]
fn links_and_other_repositories_lead_nowhere() {
    files::links_stay_inside(Machine::in_container());
    files::no_history_of_another_repository(&Machine::in_container());
}

#[test]
fn the_kernel_and_the_terminal_are_closed() {
    let machine = Machine::in_container();
    kernel::kernel_refuses(&machine);
    kernel::no_rights(&machine);
    kernel::no_terminal(&machine);
}

#[test]
fn the_network_is_limited_to_what_is_allowed() {
    network::other_hosts_are_refused(Machine::in_container());
    network::allowed_hosts_and_ports_are_reached(Machine::in_container());
    network::refused_hosts_are_named(Machine::in_container());
    network::loopback_is_private(Machine::in_container());
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let send = network::datagram_to(&socket);
    network::no_datagram_leaves(Machine::in_container(), &send, &socket);
}

#[test]
fn processes_are_hidden_and_end_with_the_container_which_is_removed() {
    let machine = Machine::in_container();
    processes::other_processes_are_hidden(&machine);
    processes::processes_end(&machine, 30_200);
    processes::is_asked_first(&machine);
    assert_eq!(podman::containers(machine.project()), "");
}

/// A program that is killed leaves its container to be removed by another.
#[test]
fn a_killed_container_is_removed() {
    let machine = Machine::in_container();
    let stop = supervise::StopRequests::new();
    let (raised, ready) = (stop.clone(), machine.project().join("ready"));
    let killing = std::thread::spawn(move || {
        while !ready.exists() {
            std::thread::yield_now();
        }
        raised.raise(supervise::Stop::Now);
    });
    machine.inside_until("trap '' TERM INT; echo >ready; sleep 30299.5", &stop);
    killing.join().unwrap();
    processes::ends("30299.5");
    assert_eq!(podman::containers(machine.project()), "");
}

#[test]
fn only_allowed_variables_of_the_host_are_set() {
    let mut machine = Machine::in_container();
    machine.works("test -z \"$CARGO_MANIFEST_DIR$RUST_TEST_THREADS$CARGO_HOME$LD_LIBRARY_PATH\"");
    machine.sandbox.environment = vec!["CARGO_MANIFEST_DIR".into()];
    machine.works("test -n \"$CARGO_MANIFEST_DIR\"");
}

#[test]
fn honest_work_is_done_and_belongs_to_the_user() {
    let machine = Machine::in_container();
    honest_work::git_works(&machine);
    honest_work::caches_are_kept(&machine);
    honest_work::submodule_works(&Machine::in_container());
    honest_work::linked_work_tree_works(Machine::in_container());
    honest_work::folder_outside_works(Machine::in_container());
    honest_work::tests_with_a_server_pass(&Machine::in_container());
    honest_work::large_files_are_committed(&Machine::in_container());
    honest_work::node_project_works(&Machine::in_container());
    honest_work::database_of_the_host_is_used(Machine::in_container());
    machine.works("echo x >made");
    let owner = |name: &str| {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(machine.project().join(name)).unwrap();
        (found.uid(), found.gid())
    };
    assert_eq!(owner("made"), owner("src/main.rs"));
}

/// A stand-in for Docker Engine with the answers of the real one: `info` reports its mode.
fn docker(info: &str, rest: &str) -> Result<ContainerBackend, Obstacle> {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("docker");
    let script = format!("#!/bin/sh\ncase $1 in\ninfo) {info} ;;\n*) {rest} ;;\nesac\n");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let entry = PathBuf::from(env!("CARGO_BIN_EXE_ralph-loop"));
    survey_container(&ContainerQuery {
        keeper: &Keeper::at(&entry),
        path: None,
        image: "shop",
        engine: Some(program.to_str().unwrap()),
        options: &[],
        entry: &entry,
        readable: &[],
        user: (1000, 100),
    })
}

#[test]
fn files_belong_to_the_user_whether_docker_runs_as_root_or_not() {
    let owner = |options: &str| docker(&format!("echo '{options}'"), "true").unwrap().owner;
    let usual = "[name=apparmor name=seccomp,profile=builtin name=cgroupns]";
    assert_eq!(owner(usual), ContainerUser::User { uid: 1000, gid: 100 });
    let rootless = "[name=seccomp,profile=builtin name=rootless name=cgroupns]";
    assert_eq!(owner(rootless), ContainerUser::Root);
}

#[test]
fn a_docker_that_does_not_run_or_has_no_image_is_named_with_a_way_out() {
    let silent =
        "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2; exit 1";
    let Obstacle { why, fix } = docker(silent, "true").unwrap_err();
    assert!(why.contains("does not answer: Cannot connect to the Docker daemon"), "{why}");
    assert!(fix.unwrap().contains("docker info"));
    let missing = "echo 'Error response from daemon: No such image: shop' >&2; exit 1";
    let Obstacle { why, fix } = docker("echo '[]'", missing).unwrap_err();
    assert!(why.starts_with("image shop"), "{why}");
    assert!(fix.unwrap().contains("| docker build -t shop -`"));
}
