//! `doctor --checks` runs the checks of the project inside and outside their sandbox and compares the results.

use std::os::unix::fs::symlink;

use crate::setup::DoctorSetup;

fn setup(check: &str) -> DoctorSetup {
    let setup = DoctorSetup::with_project();
    setup.change_tasks("sh test.sh", check);
    setup.install("bwrap");
    setup.install("cat");
    setup
}

impl DoctorSetup {
    /// Links a program of this machine into the PATH of the test.
    fn install(&self, name: &str) {
        let path = std::env::var_os("PATH").unwrap();
        let mut folders = std::env::split_paths(&path);
        let program = folders.find_map(|folder| folder.join(name).canonicalize().ok()).unwrap();
        symlink(program, self.bin().join(name)).unwrap();
    }
}

#[test]
fn a_check_that_passes_only_outside_is_a_warning_with_the_setting() {
    let setup = setup("cat ../home/fixture");
    std::fs::write(setup.home().join("fixture"), "x").unwrap();
    let output = setup.call(&["doctor", "--json", "--no-self-test", "--checks"]);
    let [state, found, fix] = output.about("check");
    assert_eq!(state, "warning", "{}", output.stdout);
    assert_eq!(
        found,
        "`cat ../home/fixture` passes outside the sandbox, but fails with exit code 1 inside it"
    );
    assert_eq!(fix, "allow the items above in .ralph/settings.json");
    let notes = output.line("check")["notes"].to_string();
    assert!(notes.contains("add it to isolation.readablePaths"), "{notes}");
    assert_eq!(output.about("isolation of checks")[0], "ok");
    setup.write(".ralph/settings.json", r#"{"isolation": {"readablePaths": ["~/fixture"]}}"#);
    setup.commit();
    let output = setup.call(&["doctor", "--json", "--no-self-test", "--checks"]);
    assert_eq!(
        output.about("check")[1],
        "`cat ../home/fixture` passes in the sandbox",
        "{}",
        output.stdout
    );
}

#[test]
fn checks_run_only_on_request() {
    let setup = setup("touch started");
    let output = setup.doctor();
    assert_eq!(output.about("isolation of checks")[0], "ok", "{}", output.stdout);
    assert!(!setup.project().join("started").exists());
}

#[test]
fn a_missing_bubblewrap_is_a_warning_with_a_fix() {
    let setup = DoctorSetup::with_project();
    let output = setup.doctor();
    let [state, found, fix] = output.about("isolation of checks");
    assert_eq!(state, "warning", "{}", output.stdout);
    assert_eq!(found, "checks run without a sandbox: bwrap is not in PATH");
    assert!(fix.contains("bubblewrap"), "{fix}");
}
