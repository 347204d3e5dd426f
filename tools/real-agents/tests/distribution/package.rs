//! The output of `scripts/package.sh`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assert_cmd::Command;

use crate::source_tree::{RELEASED, SourceTree};
use crate::{BARE_PATH, PROGRAMS, TIME_LIMIT, VERSION, names, stderr, write_programs};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn two_folders_give_the_same_bytes() {
    let sums = [0o022, 0o077].map(|mask| {
        let source = SourceTree::new();
        for name in PROGRAMS {
            let age = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(mask);
            let program = std::fs::File::open(source.programs().join(name)).unwrap();
            program.set_modified(age).unwrap();
        }
        let notes = source.root().join("CHANGELOG.md");
        let permissions = std::fs::Permissions::from_mode(0o666 & !u32::try_from(mask).unwrap());
        std::fs::set_permissions(notes, permissions).unwrap();
        let mut package = source.package();
        if mask == 0o077 {
            package.env("GZIP", "-1").env("ZIPOPT", "-0").env("TAR_OPTIONS", "--nonsense");
        }
        package.assert().success();
        source.made("SHA256SUMS")
    });
    assert_eq!(sums[0], sums[1]);
    // The archive, the zip and two npm packages.
    assert_eq!(sums[0].lines().count(), 4, "{}", sums[0]);
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.env_clear().env("PATH", BARE_PATH).env("HOME", folder).current_dir(folder);
    git.args(["-c", "user.name=a", "-c", "user.email=a@b.invalid"]).args(arguments);
    git.timeout(TIME_LIMIT).assert().success();
}

#[test]
fn a_source_inside_another_repository_is_packed() {
    let source = SourceTree::new();
    git(source.root().parent().unwrap(), &["init", "-q"]);
    source.package().assert().success();
    assert_eq!(names(&source.packaged().join("bin")), PROGRAMS);
}

#[test]
fn a_clone_on_windows_has_scripts_that_a_shell_can_read() {
    let source = SourceTree::new();
    source.package().assert().success();
    let tree = source.packaged();
    git(&tree, &["init", "-q"]);
    git(&tree, &["add", "--all", "--force"]);
    git(&tree, &["commit", "-qm", "a release"]);
    git(&tree, &["clone", "-qc", "core.autocrlf=true", ".", "clone"]);
    for file in ["bin/stop-guard", "scripts/native.sh", "hooks/hooks.json"] {
        assert!(!std::fs::read(tree.join("clone").join(file)).unwrap().contains(&b'\r'), "{file}");
    }
}

#[test]
fn the_tree_contains_only_runtime_files() {
    let source = SourceTree::new();
    source.package().assert().success();
    let tree = source.packaged();
    let mut expected = vec![
        ".claude-plugin",
        ".gitattributes",
        "CHANGELOG.md",
        "LICENSE",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "bin",
        "hooks",
        "native",
        "scripts",
    ];
    if source.root().join("skills").exists() {
        expected.push("skills");
    }
    assert_eq!(names(&tree), expected);
    assert_eq!(names(&tree.join("bin")), PROGRAMS);
    assert_eq!(names(&tree.join("native")), ["linux-x64"]);
    assert_eq!(names(&tree.join("native/linux-x64")), PROGRAMS);
    for file in ["bin/stop-guard", "native/linux-x64/stop-guard", "scripts/install.sh"] {
        assert_eq!(mode(&tree.join(file)), 0o755, "{file}");
    }
    assert_eq!(mode(&tree.join("hooks/hooks.json")), 0o644);
}

#[test]
fn every_script_that_the_tree_calls_is_in_it() {
    let source = SourceTree::new();
    source.package().assert().success();
    let tree = source.packaged();
    let callers = ["bin", "scripts", "hooks"].map(|folder| tree.join(folder));
    for folder in callers {
        for caller in names(&folder) {
            let text = std::fs::read_to_string(folder.join(&caller)).unwrap();
            for called in text.split("scripts/").skip(1) {
                let end = called.find(|c: char| !c.is_ascii_lowercase() && !"-.".contains(c));
                let called = &called[..end.unwrap_or(called.len())];
                assert!(
                    !called.ends_with(".sh") || tree.join("scripts").join(called).exists(),
                    "{caller} calls {called}"
                );
            }
        }
    }
}

#[test]
fn programs_of_another_version_are_not_packed() {
    let source = SourceTree::new();
    write_programs(&source.programs(), "", "0.0.0");
    // Only programs for this machine can be run.
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    if cfg!(target_os = "linux") {
        let refused = source.package_for(&target, &source.programs()).assert().failure();
        assert!(stderr(&refused).contains("version"), "{}", stderr(&refused));
    }
}

#[test]
fn a_version_that_differs_between_the_manifests_is_refused() {
    let source = SourceTree::new();
    source.package_script().arg("--version").assert().success().stdout(format!("{VERSION}\n"));
    let manifest = source.root().join(".claude-plugin/plugin.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace(VERSION, "9.9.9")).unwrap();
    for only_asked in [true, false] {
        let mut command = source.package();
        if only_asked {
            command.arg("--version");
        }
        let refused = command.assert().failure();
        assert!(stderr(&refused).contains("9.9.9"), "{}", stderr(&refused));
    }
}

#[test]
fn one_tree_serves_all_platforms() {
    let source = SourceTree::new();
    let url = "https://releases.invalid/v1";
    source.release(url).assert().success();

    let tree = source.released();
    assert_eq!(
        names(&tree.join("native")),
        ["archives.txt", "linux-x64", "macos-arm64", "windows-x64"]
    );
    for name in PROGRAMS {
        assert!(tree.join(format!("bin/{name}.exe")).exists(), "{name}");
    }
    let sums = source.made("SHA256SUMS");
    let list = std::fs::read_to_string(tree.join("native/archives.txt")).unwrap();
    let expected: String = RELEASED
        .iter()
        .map(|(platform, target)| {
            let archive = format!("ralph-{VERSION}-{target}.tar.gz");
            let sum = sums.lines().find_map(|line| line.strip_suffix(&archive)).unwrap().trim();
            format!("{platform} {sum} {url}/{archive}\n")
        })
        .collect();
    assert_eq!(list, expected);
    assert!(sums.contains(&format!("ralph-{VERSION}.zip\n")), "{sums}");
}
