//! JavaScript and TypeScript: scripts of package.json that check, run with the project's package manager. Not `build`,
//! which leaves files.

use serde_json::Value;

use super::Detection;
use crate::scaffold::root_files::RootFiles;

const MANIFEST: &str = "package.json";
/// Of synonyms, the first that exists.
const SCRIPTS: [&[&str]; 4] =
    [&["test"], &["lint"], &["typecheck", "type-check", "check-types"], &["check"]];
const LOCK_FILES: [(&str, Manager); 6] = [
    ("pnpm-lock.yaml", Manager::Pnpm),
    ("yarn.lock", Manager::Yarn),
    ("bun.lock", Manager::Bun),
    ("bun.lockb", Manager::Bun),
    ("package-lock.json", Manager::Npm),
    ("npm-shrinkwrap.json", Manager::Npm),
];

#[derive(Debug, Clone, Copy)]
enum Manager {
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    let Some(text) = files.text(MANIFEST) else { return };
    let manifest: Value = match serde_json::from_str(text) {
        Ok(manifest) => manifest,
        Err(error) => {
            found.note(format!("{MANIFEST} was ignored: not valid JSON ({error})"));
            return;
        }
    };
    found.set_name(manifest["name"].as_str());
    let manager = Manager::of(&manifest, files);
    for names in SCRIPTS {
        let script =
            names.iter().find_map(|name| Some((*name, manifest["scripts"][name].as_str()?)));
        let Some((name, script)) = script.filter(|(_, script)| is_real_script(script)) else {
            continue;
        };
        if watches(script) {
            found.note(format!(
                "script {name} of {MANIFEST} was skipped: it watches and never ends"
            ));
        } else {
            found.add(manager.run(name), format!("{MANIFEST}, script {name}"));
        }
    }
}

/// `npm init` writes a test that always fails.
fn is_real_script(script: &str) -> bool {
    !script.trim().is_empty() && !script.contains("no test specified")
}

fn watches(script: &str) -> bool {
    script.split_whitespace().any(|word| {
        matches!(word, "--watch" | "--watchAll" | "--watch=true" | "--watchAll=true" | "watch")
    })
}

impl Manager {
    /// The declared manager, else the one of the lock file.
    fn of(manifest: &Value, files: &RootFiles) -> Self {
        let declared = manifest["packageManager"].as_str().unwrap_or_default();
        match declared.split('@').next() {
            Some("npm") => return Self::Npm,
            Some("pnpm") => return Self::Pnpm,
            Some("yarn") => return Self::Yarn,
            Some("bun") => return Self::Bun,
            _ => {}
        }
        let locked = LOCK_FILES.iter().find(|(name, _)| files.has(name));
        locked.map_or(Self::Npm, |(_, manager)| *manager)
    }

    fn run(self, script: &str) -> String {
        match (self, script) {
            (Self::Npm, "test") => "npm test".to_owned(),
            (Self::Npm, script) => format!("npm run {script}"),
            (Self::Pnpm, script) => format!("pnpm run {script}"),
            (Self::Yarn, script) => format!("yarn run {script}"),
            // `bun test` would be bun's own test runner.
            (Self::Bun, script) => format!("bun run {script}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{commands, notes};

    const SCRIPTS: &str = r#"{"scripts": {"test": "jest", "lint": "eslint .", "build": "tsc",
        "type-check": "tsc --noEmit", "check": "true", "start": "node ."}}"#;

    #[test]
    fn scripts_that_check_run_through_npm() {
        assert_eq!(
            commands(&[("package.json", SCRIPTS)]),
            ["npm test", "npm run lint", "npm run type-check", "npm run check"]
        );
    }

    #[test]
    fn the_package_manager_is_the_one_of_the_lock_file() {
        for (lock, expected) in [
            ("pnpm-lock.yaml", "pnpm run test"),
            ("yarn.lock", "yarn run test"),
            ("bun.lock", "bun run test"),
            ("bun.lockb", "bun run test"),
            ("package-lock.json", "npm test"),
        ] {
            assert_eq!(commands(&[("package.json", SCRIPTS), (lock, "")])[0], expected, "{lock}");
        }
    }

    #[test]
    fn a_declared_package_manager_beats_the_lock_file() {
        let manifest = r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "jest"}}"#;
        assert_eq!(commands(&[("package.json", manifest), ("yarn.lock", "")]), ["pnpm run test"]);
    }

    #[test]
    fn an_empty_or_default_script_is_not_a_check() {
        let manifest = r#"{"scripts": {"lint": " ", "check": null,
            "test": "echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(commands(&[("package.json", manifest)]), [""; 0]);
    }

    #[test]
    fn a_watching_script_is_not_a_check() {
        let manifest = r#"{"scripts": {"test": "jest --watch", "lint": "eslint watch-tower/"}}"#;
        assert_eq!(commands(&[("package.json", manifest)]), ["npm run lint"]);
        assert_eq!(
            notes(&[("package.json", manifest)]),
            ["script test of package.json was skipped: it watches and never ends"]
        );
    }
}
