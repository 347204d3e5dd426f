//! Rust: `cargo test`, plus clippy and rustfmt if the project configures them.

use super::{Detection, at, parse_toml};
use crate::scaffold::root_files::RootFiles;

const MANIFEST: &str = "Cargo.toml";

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    let Some(manifest) = parse_toml(files, MANIFEST, found) else { return };
    let is_workspace = manifest.get("workspace").is_some_and(toml::Value::is_table);
    if !is_workspace && !manifest.get("package").is_some_and(toml::Value::is_table) {
        found.note("Cargo.toml was ignored: no package and no workspace");
        return;
    }
    found.set_name(at(&manifest, &["package", "name"]).and_then(toml::Value::as_str));

    let (whole, source) = match is_workspace {
        true => (" --workspace", "Cargo.toml, a workspace"),
        false => ("", MANIFEST),
    };
    found.add(format!("cargo test{whole}"), source);

    let lints = [&["lints", "clippy"][..], &["workspace", "lints", "clippy"]];
    let in_manifest = lints.iter().any(|path| at(&manifest, path).is_some());
    let configured = match in_manifest {
        true => Some("Cargo.toml, lints.clippy"),
        false => files.first_of(&["clippy.toml", ".clippy.toml"]),
    };
    if let Some(source) = configured {
        found.add(format!("cargo clippy{whole} --all-targets -- -D warnings"), source);
    }
    if let Some(source) = files.first_of(&["rustfmt.toml", ".rustfmt.toml"]) {
        found.add("cargo fmt --all --check", source);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{commands, notes};

    #[test]
    fn a_package_is_tested_and_a_workspace_as_a_whole() {
        assert_eq!(commands(&[("Cargo.toml", "[package]\nname = \"x\"")]), ["cargo test"]);
        let both = "[workspace]\nmembers = [\"a\"]\n[package]\nname = \"x\"";
        assert_eq!(commands(&[("Cargo.toml", both)]), ["cargo test --workspace"]);
    }

    #[test]
    fn clippy_and_rustfmt_only_if_configured() {
        let clippy = "cargo clippy --all-targets -- -D warnings";
        let package = "[package]\nname = \"x\"\n";
        let lints = format!("{package}[lints.clippy]\nall = \"warn\"");
        assert_eq!(commands(&[("Cargo.toml", &lints)]), ["cargo test", clippy]);
        let rustc_lints = format!("{package}[lints.rust]\nunsafe_code = \"deny\"");
        assert_eq!(commands(&[("Cargo.toml", &rustc_lints)]), ["cargo test"]);
        let files = [("Cargo.toml", package), (".clippy.toml", ""), ("rustfmt.toml", "")];
        assert_eq!(commands(&files), ["cargo test", clippy, "cargo fmt --all --check"]);
        let workspace = [("Cargo.toml", "[workspace.lints.clippy]\nall = \"warn\"")];
        assert_eq!(
            commands(&workspace),
            ["cargo test --workspace", "cargo clippy --workspace --all-targets -- -D warnings"]
        );
    }

    #[test]
    fn a_manifest_without_a_package_is_reported() {
        let files = [("Cargo.toml", "[dependencies]\nserde = \"1\""), ("clippy.toml", "")];
        assert_eq!(commands(&files), [""; 0]);
        assert_eq!(notes(&files), ["Cargo.toml was ignored: no package and no workspace"]);
    }
}
