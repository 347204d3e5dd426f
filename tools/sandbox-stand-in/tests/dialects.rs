//! The program answers in the dialect of the name it is called by.

#![cfg(unix)]

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use sandbox_stand_in::SandboxStandIn;

#[test]
fn each_name_has_its_version_and_its_network_command() {
    let dir = assert_fs::TempDir::new().unwrap();
    for (name, words, version) in [
        ("sbx", &["version"][..], "sbx version: v0."),
        ("docker", &["sandbox", "version"], "cli-plugin v0."),
    ] {
        let stand_in =
            SandboxStandIn::install(&cargo_bin("sandbox-stand-in"), dir.path(), name).unwrap();
        let output = Command::new(stand_in.program()).args(words).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && printed.contains(version), "{name}: {printed}");
    }
    let mut network = Command::new(dir.path().join("sbx"));
    network.args(["network", "proxy", "n", "--policy", "deny"]).assert().failure();
}
