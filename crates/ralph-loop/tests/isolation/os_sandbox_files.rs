//! Nothing outside the project can be written, nor what decides whether work counts.

use crate::os_sandbox_harness::Machine;

#[test]
fn nothing_outside_the_project_is_changed() {
    nothing_outside_changes(&Machine::new());
}

pub(crate) fn nothing_outside_changes(machine: &Machine) {
    let files = [".bashrc", ".profile", ".zshrc", ".config/systemd/user/x.service", ".ssh/config"];
    for file in files {
        machine.write(file, "as it was");
    }
    machine.write("beside/file", "as it was");
    for file in files {
        // The home is a folder of its own inside: writing works and reaches nothing.
        machine
            .inside(&format!("mkdir -p \"$(dirname \"$HOME/{file}\")\"; echo x >\"$HOME/{file}\""));
        assert_eq!(machine.read(file), "as it was", "{file}");
    }
    machine.inside("echo x >../beside/file; rm -rf ../beside; rm -rf \"$HOME/.bashrc\"");
    assert_eq!(machine.read("beside/file"), "as it was");
    assert_eq!(machine.read(".bashrc"), "as it was");
    let outside = std::env::current_exe().unwrap().with_file_name("written-from-a-sandbox");
    machine.inside(&format!("touch '{}'", outside.display()));
    assert!(!outside.exists());
}

#[test]
fn the_system_is_read_only() {
    let machine = Machine::new();
    for folder in ["/etc", "/usr/local/bin", "/var/spool", "/opt", "/"] {
        let trial = machine.inside(&format!("touch {folder}/ralph-test-from-a-sandbox"));
        assert!(trial.last_line.contains("Read-only file system"), "{folder}: {trial:?}");
    }
}

#[test]
fn temporary_files_are_private() {
    temporary_files_stay_inside(&Machine::new());
}

pub(crate) fn temporary_files_stay_inside(machine: &Machine) {
    let file = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    machine.refuses(&format!("test -e '{}'", file.path().display()));
    machine.works(
        "echo x >/tmp/left && echo x >/var/tmp/left && test -n \"$(cat \"$(mktemp)\" /tmp/left)\"",
    );
    machine.works("test ! -e /tmp/left");
}

#[test]
fn files_that_decide_whether_work_counts_cannot_be_written_renamed_or_removed() {
    guarded_files_stay(&Machine::new());
}

pub(crate) fn guarded_files_stay(machine: &Machine) {
    machine.write("shop/.git/hooks/pre-commit", "#!/bin/sh\n");
    let guarded = [
        ".git/config",
        ".git/hooks/pre-commit",
        ".git/info/exclude",
        ".ralph/state.json",
        ".ralph-active",
        ".claude/settings.json",
    ];
    for file in guarded {
        let before = machine.read(&format!("shop/{file}"));
        machine.fails_each(&[
            &format!("echo x >>{file}"),
            &format!("rm -f {file} && test ! -e {file}"),
            &format!("mv {file} away"),
            &format!("echo x >new && mv -f new {file}"),
            &format!("ln -f {file} link && echo x >>link"),
            &format!("sed -i s/a/b/ {file}"),
        ]);
        assert_eq!(machine.read(&format!("shop/{file}")), before, "{file}");
    }
    for folder in [".git", ".git/hooks", ".git/info", ".ralph"] {
        machine.works(&format!("! mv {folder} away && ! rmdir {folder} && test -e {folder}"));
    }
    machine.works("! touch .git/hooks/post-commit && ! touch .ralph/new && ! mkdir .git/info/x");
}

#[test]
fn links_lead_nowhere_outside() {
    links_stay_inside(Machine::new());
}

pub(crate) fn links_stay_inside(mut machine: Machine) {
    machine.write("secret", "secret");
    machine.refuses("ln -f ../secret here && grep -q secret here");
    machine.refuses("ln -sf \"$HOME/secret\" link && grep -q secret link");
    // A link in place of a folder that the next sandbox lays something over.
    std::os::unix::fs::symlink(machine.home(), machine.project().join("bin")).unwrap();
    machine.sandbox.writable = vec![machine.project().join("bin")];
    machine.set_variable("CARGO_HOME", machine.project().join("bin"));
    machine.refuses("grep -q secret bin/secret");
}

#[test]
fn a_second_check_gains_nothing_by_files_of_the_first() {
    no_history_of_another_repository(&Machine::new());
}

pub(crate) fn no_history_of_another_repository(machine: &Machine) {
    let other = machine.home().join("other");
    std::fs::create_dir(&other).unwrap();
    test_repo::init(&other);
    machine.write("other/.git/secret", "secret");
    // git would take the other repository for this one's history.
    machine.inside(&format!("echo '{}/.git' >.git/commondir", other.display()));
    assert!(machine.project().join(".git/commondir").exists());
    machine.refuses(&format!("grep -q secret '{}/.git/secret'", other.display()));
}
