//! JavaScript and TypeScript: scripts of package.json that check, run with the project's package manager. Not `build`,
//! which leaves files.

use serde_json::Value;

use super::Detection;
use crate::scaffold::root_files::RootFiles;

const MANIFEST: &str = "package.json";
/// Of synonyms, the first that exists.
const SCRIPTS: [&[&str]; 4] =
    [&["test"], &["lint"], &["typecheck", "type-check", "check-types"], &["check"]];
const LOCK_FILES: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

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
    let manager = manager(&manifest, files);
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
            let command = match (manager, name) {
                ("npm", "test") => "npm test".to_owned(),
                // `bun test` would be bun's own test runner.
                _ => format!("{manager} run {name}"),
            };
            found.add(command, format!("{MANIFEST}, script {name}"));
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

/// The package manager with its lock file, if that is there.
pub(in crate::scaffold) fn locked_manager(
    files: &RootFiles,
) -> Option<(&'static str, &'static str)> {
    let manifest = files.text(MANIFEST).and_then(|text| serde_json::from_str(text).ok());
    let manager = manager(&manifest.unwrap_or_default(), files);
    LOCK_FILES.iter().copied().find(|(lock, of)| *of == manager && files.has(lock))
}

/// The declared package manager, else the one of the lock file.
fn manager(manifest: &Value, files: &RootFiles) -> &'static str {
    let declared = manifest["packageManager"].as_str().unwrap_or_default().split('@').next();
    let declared = LOCK_FILES.iter().find(|(_, manager)| declared == Some(manager));
    let locked = || LOCK_FILES.iter().find(|(name, _)| files.has(name));
    declared.or_else(locked).map_or("npm", |(_, manager)| manager)
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
