//! `doctor --checks` runs the checks of the project inside and outside their sandbox and compares the results.

use std::os::unix::fs::symlink;

use crate::clinic::Clinic;

fn clinic(check: &str) -> Clinic {
    let clinic = Clinic::with_project();
    clinic.change_tasks("sh test.sh", check);
    clinic.install("bwrap");
    clinic.install("cat");
    clinic
}

impl Clinic {
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
    let clinic = clinic("cat ../home/fixture");
    std::fs::write(clinic.home().join("fixture"), "x").unwrap();
    let told = clinic.call(&["doctor", "--json", "--no-self-test", "--checks"]);
    let [state, found, fix] = told.about("check");
    assert_eq!(state, "warning", "{}", told.stdout);
    assert_eq!(
        found,
        "`cat ../home/fixture` passes outside the sandbox, but fails with exit code 1 inside it"
    );
    assert_eq!(fix, "allow the items below in .ralph/settings.json");
    let notes = told.line("check")["notes"].to_string();
    assert!(notes.contains("add it to isolation.readablePaths"), "{notes}");
    assert_eq!(told.about("isolation of checks")[0], "ok");
    clinic.write(".ralph/settings.json", r#"{"isolation": {"readablePaths": ["~/fixture"]}}"#);
    clinic.commit();
    let told = clinic.call(&["doctor", "--json", "--no-self-test", "--checks"]);
    assert_eq!(
        told.about("check")[1],
        "`cat ../home/fixture` passes in the sandbox",
        "{}",
        told.stdout
    );
}

#[test]
fn checks_run_only_on_request() {
    let clinic = clinic("touch started");
    let told = clinic.doctor();
    assert_eq!(told.about("isolation of checks")[0], "ok", "{}", told.stdout);
    assert!(!clinic.project().join("started").exists());
}

#[test]
fn a_missing_bubblewrap_is_a_warning_with_a_fix() {
    let clinic = Clinic::with_project();
    let told = clinic.doctor();
    let [state, found, fix] = told.about("isolation of checks");
    assert_eq!(state, "warning", "{}", told.stdout);
    assert_eq!(found, "checks run without a sandbox: bwrap is not in PATH");
    assert!(fix.contains("bubblewrap"), "{fix}");
}
