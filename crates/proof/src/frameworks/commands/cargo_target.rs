//! The cargo target of a test file, as arguments of `cargo test`.

use std::path::Path;

use super::quoted;

/// Selects the target of `file`, a path from the package in `package`.
pub(super) fn arguments(file: &str, package: &Path) -> String {
    if let Some(rest) = file.strip_prefix("tests/") {
        let target = match rest.split_once('/') {
            Some((folder, _)) if package.join("tests").join(folder).join("main.rs").is_file() => {
                Some(folder)
            }
            Some(_) => None,
            None => rest.strip_suffix(".rs"),
        };
        if let Some(target) = target {
            return format!("--test {}", quoted(target));
        }
    }
    if let Some(rest) = file.strip_prefix("src/") {
        let library = package.join("src/lib.rs").is_file();
        let program = package.join("src/main.rs").is_file();
        if let Some(name) = rest.strip_prefix("bin/") {
            let name = name.split('/').next().unwrap_or(name);
            return format!("--bin {}", quoted(name.strip_suffix(".rs").unwrap_or(name)));
        }
        match (library, program) {
            (true, false) => return "--lib".to_owned(),
            (true, true) if rest == "lib.rs" => return "--lib".to_owned(),
            (false, true) => return "--bins".to_owned(),
            // A module can belong to both.
            _ => return "--lib --bins".to_owned(),
        }
    }
    "--tests".to_owned()
}
