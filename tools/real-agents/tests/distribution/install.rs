//! What `scripts/install.sh` installs, and what it keeps.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

use crate::source_tree::SourceTree;
use crate::{BARE_PATH, PROGRAMS, VERSION, names, script, stderr, write_program, write_programs};

fn install(source: &SourceTree) -> Command {
    script(&source.root().join("scripts/install.sh"), &source.home())
}

fn install_from_programs(source: &SourceTree) -> Command {
    let mut command = install(source);
    command.arg("--from").arg(source.programs());
    command
}

fn uninstall(source: &SourceTree) -> Command {
    let mut command = install(source);
    command.arg("--uninstall");
    command
}

fn bin(source: &SourceTree) -> PathBuf {
    source.home().join(".local/bin")
}

/// Different files of the same version.
fn rebuild(folder: &Path) {
    for name in PROGRAMS {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + "# built again\n").unwrap();
    }
}

#[test]
fn programs_are_installed_and_removed_completely() {
    let source = SourceTree::new();
    for _ in ["first", "again"] {
        install_from_programs(&source).assert().success();
        assert_eq!(names(&bin(&source)), PROGRAMS);
    }
    script(&bin(&source).join("stop-guard"), &source.home())
        .assert()
        .success()
        .stdout(format!("stop-guard {VERSION}\n"));
    uninstall(&source).assert().success();
    assert_eq!(names(&bin(&source)), [""; 0]);
    assert_eq!(names(&source.home().join(".local/share")), [""; 0]);
    let nothing = uninstall(&source).assert().failure();
    assert!(stderr(&nothing).contains("nothing was installed"), "{}", stderr(&nothing));
}

#[test]
fn a_running_program_is_replaced_by_rename() {
    let source = SourceTree::new();
    install_from_programs(&source).assert().success();
    let mut running = std::fs::File::open(bin(&source).join("ralph-loop")).unwrap();
    rebuild(&source.programs());
    install_from_programs(&source).assert().success();
    let mut seen = String::new();
    running.read_to_string(&mut seen).unwrap();
    assert!(!seen.contains("built again"), "{seen}");
    let now = std::fs::read_to_string(bin(&source).join("ralph-loop")).unwrap();
    assert!(now.contains("built again"), "{now}");
}

#[test]
fn a_program_from_another_source_is_neither_replaced_nor_removed() {
    let source = SourceTree::new();
    let other = bin(&source).join("stop-guard");
    std::fs::create_dir_all(bin(&source)).unwrap();
    std::fs::write(&other, "mine").unwrap();
    let refused = install_from_programs(&source).assert().failure();
    assert!(
        stderr(&refused).contains("stop-guard exists and was not installed"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(names(&bin(&source)), ["stop-guard"]);

    std::fs::remove_file(&other).unwrap();
    install_from_programs(&source).assert().success();
    std::fs::write(&other, "mine").unwrap();
    let kept = uninstall(&source).assert().success();
    assert!(stderr(&kept).contains("this script did not install it"), "{}", stderr(&kept));
    assert_eq!(names(&bin(&source)), ["stop-guard"]);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
}

#[test]
fn an_interrupted_upgrade_can_be_repeated() {
    let source = SourceTree::new();
    install_from_programs(&source).assert().success();
    rebuild(&source.programs());
    // It stops between two programs.
    let tools = source.home().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let mv = "#!/bin/sh\ncase $* in *bin/context-monitor) exit 1 ;; esac\nexec /bin/mv \"$@\"\n";
    write_program(&tools.join("mv"), mv);
    let path = format!("{}:{BARE_PATH}", tools.display());
    install_from_programs(&source).env("PATH", path).assert().failure();
    let is_new = |name: &str| {
        std::fs::read_to_string(bin(&source).join(name)).unwrap().contains("built again")
    };
    assert_eq!((is_new("stop-guard"), is_new("context-monitor")), (true, false));

    install_from_programs(&source).assert().success();
    assert!(is_new("stop-guard") && is_new("context-monitor"));
    uninstall(&source).assert().success();
    assert_eq!(names(&bin(&source)), [""; 0]);
}

#[test]
fn a_failed_installation_keeps_the_old_programs() {
    let source = SourceTree::new();
    std::fs::remove_file(source.root().join("Cargo.toml")).unwrap();
    let nothing_to_install = install(&source).assert().failure();
    assert!(stderr(&nothing_to_install).contains("no programs"), "{nothing_to_install}");
    assert_eq!(names(&bin(&source)), [""; 0]);
    assert_eq!(names(&source.home().join(".local")), ["bin"]);

    install_from_programs(&source).assert().success();
    write_programs(&source.programs(), "", "0.0.0");
    let refused = install_from_programs(&source).assert().failure();
    assert!(stderr(&refused).contains(VERSION), "{}", stderr(&refused));
    assert_eq!(names(&bin(&source)), PROGRAMS);
    uninstall(&source).assert().success();
    assert_eq!(names(&bin(&source)), [""; 0]);
}

#[test]
fn a_path_without_the_folder_is_reported() {
    let source = SourceTree::new();
    let errors = stderr(&install_from_programs(&source).assert().success());
    let line = format!("export PATH=\"{}:$PATH\"", bin(&source).display());
    assert!(errors.contains(&line), "{errors}");

    let first = source.home().join("elsewhere");
    write_programs(&first, "", "0.0.0");
    let path = |folders: &[&Path]| {
        let folders = folders.iter().map(|folder| folder.display().to_string());
        folders.chain([BARE_PATH.to_owned()]).collect::<Vec<_>>().join(":")
    };
    let behind = path(&[&first, &bin(&source)]);
    let errors = stderr(&install_from_programs(&source).env("PATH", behind).assert().success());
    assert!(errors.contains(&format!("{}/ralph-loop", first.display())), "{errors}");
    let before = path(&[&bin(&source), &first]);
    let errors = stderr(&install_from_programs(&source).env("PATH", before).assert().success());
    assert_eq!(errors.lines().count(), 1, "{errors}");
    let with_slash = path(&[&bin(&source).join("")]);
    let errors = stderr(&install_from_programs(&source).env("PATH", with_slash).assert().success());
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn leftovers_of_a_killed_installation_are_removed() {
    let source = SourceTree::new();
    // No process has this id.
    let left = bin(&source).join(".ralph-install.999999999.x");
    for mut next in [install_from_programs(&source), uninstall(&source)] {
        std::fs::create_dir_all(&left).unwrap();
        next.assert().success();
        assert!(!left.exists());
    }
}

#[test]
fn a_copy_failure_is_reported_with_its_reason() {
    let source = SourceTree::new();
    let cp = source.home().join("tools/cp");
    std::fs::create_dir_all(cp.parent().unwrap()).unwrap();
    write_program(&cp, "#!/bin/sh\necho 'cp: no space left' >&2\nexit 1\n");
    let path = format!("{}:{BARE_PATH}", cp.parent().unwrap().display());
    let errors = stderr(&install_from_programs(&source).env("PATH", path).assert().failure());
    assert!(errors.contains("no space left") && errors.contains("could not be copied"), "{errors}");
    assert!(!errors.contains("has no programs"), "{errors}");
}

#[test]
fn without_cksum_nothing_is_changed() {
    let source = SourceTree::new();
    install_from_programs(&source).assert().success();
    let other = bin(&source).join("stop-guard");
    std::fs::write(&other, "mine").unwrap();
    let tools = source.home().join("tools");
    std::fs::create_dir(&tools).unwrap();
    for tool in "sh dirname uname mkdir mktemp cp chmod rm rmdir mv cat grep sed".split(' ') {
        let real = BARE_PATH.split(':').map(|folder| Path::new(folder).join(tool));
        let real = real.into_iter().find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(real, tools.join(tool)).unwrap();
    }
    for mut command in [install_from_programs(&source), uninstall(&source)] {
        let errors = stderr(&command.env("PATH", &tools).assert().failure());
        assert!(errors.contains("cksum is not installed"), "{errors}");
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
}

#[test]
fn a_prefix_without_a_name_is_refused() {
    let source = SourceTree::new();
    install_from_programs(&source).args(["--prefix", ""]).assert().code(2);
    assert!(!bin(&source).exists());
}

#[test]
fn an_unpacked_release_installs_its_own_programs() {
    let source = SourceTree::new();
    let target = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", machine) => format!("{machine}-apple-darwin"),
        (_, machine) => format!("{machine}-unknown-linux-musl"),
    };
    source.package_for(&target, &source.programs()).assert().success();
    let mut made = std::fs::read_dir(source.out()).unwrap().map(|entry| entry.unwrap().path());
    let tree = made.find(|path| path.is_dir()).unwrap();
    std::fs::remove_dir_all(source.root()).unwrap();
    let prefix = source.home().join("a prefix");
    script(&tree.join("scripts/install.sh"), &source.home())
        .arg("--prefix")
        .arg(&prefix)
        .assert()
        .success();
    assert_eq!(names(&prefix.join("bin")), PROGRAMS);
}
