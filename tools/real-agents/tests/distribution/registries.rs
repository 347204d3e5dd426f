//! The files of `scripts/package.sh` for package managers, and the fields of Cargo.toml that they
//! read.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::source_tree::{RELEASED, SourceTree};
use crate::{BARE_PATH, PROGRAMS, TIME_LIMIT, VERSION, names, stderr};

const REPOSITORY: &str = "https://releases.invalid/owner/ralph";

fn url() -> String {
    format!("{REPOSITORY}/releases/download/v{VERSION}")
}

fn tar(arguments: &[&str], archive: &Path) -> String {
    let mut tar = Command::new("tar");
    tar.env_clear().env("PATH", BARE_PATH).args(arguments).arg(archive).timeout(TIME_LIMIT);
    let output = tar.arg("package").assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// The manifest of an npm package, and its other files.
fn npm_package(source: &SourceTree, name: &str) -> (Value, Vec<String>) {
    let archive = source.out().join(format!("{name}-{VERSION}.tgz"));
    let unpacked = tempfile::tempdir().unwrap();
    tar(&["-C", unpacked.path().to_str().unwrap(), "-xzf"], &archive);
    let package = unpacked.path().join("package");
    let manifest = std::fs::read(package.join("package.json")).unwrap();
    let rest = ["package.json", "README.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"];
    let mut files = names(&package);
    files.retain(|name| !rest.contains(&name.as_str()));
    (serde_json::from_slice(&manifest).unwrap(), files)
}

#[test]
fn npm_packages_hold_the_programs_of_their_platform() {
    let source = SourceTree::new();
    source.release(&url()).assert().success();
    let made = [("linux-x64", "linux", "x64"), ("darwin-arm64", "darwin", "arm64")];
    for (platform, os, cpu) in made {
        let (manifest, files) = npm_package(&source, &format!("ralph-loop-{platform}"));
        assert_eq!((&manifest["os"], &manifest["cpu"]), (&json!([os]), &json!([cpu])));
        assert_eq!(files, PROGRAMS);
    }
    let (manifest, files) = npm_package(&source, "ralph-loop-win32-x64");
    assert_eq!(manifest["os"], json!(["win32"]));
    assert_eq!(files, PROGRAMS.map(|name| format!("{name}.exe")));
}

/// A name in a registry may belong to another project.
#[test]
fn the_npm_package_of_a_release_depends_on_files_of_the_release() {
    let source = SourceTree::new();
    let dependencies = || npm_package(&source, "ralph-loop").0["optionalDependencies"].clone();
    source.release(&url()).assert().success();
    let file = |platform: &str| format!("{}/ralph-loop-{platform}-{VERSION}.tgz", url());
    let of_a_release = json!({
        "ralph-loop-darwin-arm64": file("darwin-arm64"),
        "ralph-loop-linux-x64": file("linux-x64"),
        "ralph-loop-win32-x64": file("win32-x64"),
    });
    assert_eq!(dependencies(), of_a_release);
    let sums = source.made("SHA256SUMS");
    for named in of_a_release.as_object().unwrap().values() {
        let name = named.as_str().unwrap().rsplit('/').next().unwrap();
        assert!(sums.lines().any(|line| line.ends_with(name)), "{name}: {sums}");
    }

    source.package().assert().success();
    assert_eq!(dependencies(), json!({}), "a package of one's own asks no registry");

    source.package().args(["--npm-scope", "owner"]).assert().success();
    assert_eq!(dependencies(), json!({ "@owner/ralph-loop-linux-x64": VERSION }));
    assert_eq!(
        npm_package(&source, "ralph-loop-linux-x64").0["name"],
        "@owner/ralph-loop-linux-x64"
    );
}

#[test]
fn the_formula_names_the_archives_and_their_digests() {
    let source = SourceTree::new();
    source.release(&url()).assert().success();
    let formula = source.made("ralph-loop.rb");
    let list = std::fs::read_to_string(source.released().join("native/archives.txt")).unwrap();
    for line in list.lines() {
        let [platform, sum, archive] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let named = format!("url \"{archive}\"\n      sha256 \"{sum}\"\n");
        assert_eq!(formula.contains(&named), !platform.starts_with("windows"), "{formula}");
    }
    assert!(formula.contains("on_macos do\n    on_arm do\n"), "{formula}");
    assert!(formula.contains("on_linux do\n    on_intel do\n"), "{formula}");
    assert!(PROGRAMS.iter().all(|name| formula.contains(name)), "{formula}");
    assert!(formula.contains(&format!("homepage \"{REPOSITORY}\"")), "{formula}");
    // Homebrew reads it with ruby, if installed.
    let mut ruby = Command::new("ruby");
    ruby.arg("-c").arg(source.out().join("ralph-loop.rb")).timeout(TIME_LIMIT);
    if let Ok(checked) = ruby.output() {
        assert!(checked.status.success(), "{formula}");
    }

    source.package().assert().success();
    assert!(!source.out().join("ralph-loop.rb").exists(), "its archives lie nowhere");
}

#[test]
fn cargo_binstall_looks_for_the_archives_by_their_names() {
    let source = SourceTree::new();
    let elsewhere = source.release(&url()).assert().success();
    assert!(stderr(&elsewhere).contains("cargo binstall will not find"), "{}", stderr(&elsewhere));
    let list = std::fs::read_to_string(source.released().join("native/archives.txt")).unwrap();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates");
    for name in PROGRAMS {
        let manifest = std::fs::read_to_string(crates.join(name).join("Cargo.toml")).unwrap();
        let line = |key: &str| manifest.lines().find_map(|line| line.strip_prefix(key));
        let template = line("pkg-url = ").unwrap().trim_matches('"');
        for (_, target) in RELEASED {
            let address = template
                .replace("{ repo }", REPOSITORY)
                .replace("{ version }", VERSION)
                .replace("{ target }", target);
            assert!(list.lines().any(|line| line.ends_with(&address)), "{name}: {address}\n{list}");
        }
        assert_eq!(line("bin-dir = "), Some("\"{ bin }{ binary-ext }\""), "{name}");
        assert_eq!(line("repository.workspace = "), Some("true"), "{name}");
        // Both would take a crate of this name from crates.io.
        assert_eq!(line("disabled-strategies = "), Some("[\"quick-install\", \"compile\"]"));
    }

    let workspace = source.root().join("Cargo.toml");
    let text = std::fs::read_to_string(&workspace).unwrap();
    let ours = text.replace("https://github.com/<owner>/<repo>", REPOSITORY);
    assert_ne!(ours, text);
    std::fs::write(&workspace, ours).unwrap();
    let there = source.release(&url()).assert().success();
    assert!(!stderr(&there).contains("BINSTALL"), "{}", stderr(&there));
}
