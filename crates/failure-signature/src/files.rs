//! Extracts the project's source files that an output names.

use crate::paths;
use crate::pattern::Pattern;
use crate::report_line::ReportLine;

const MOST: usize = 20;

/// Names may contain non-ASCII letters, but not the arrows and marks that tools print before them.
static SOURCE: Pattern = Pattern::new(&[
    r"(?:[A-Za-z]:)?[\w@.+~/\\\u{aa}-\u{1fff}\u{3040}-\u{d7ff}-]*[\w\u{aa}-\u{1fff}\u{3040}-\u{d7ff}-]\.(?:rs|pyi?|[mc]?[jt]sx?|vue|svelte|go|java|kt|swift|scala|c|h|cc|cpp|hpp|cs|rb|php|exs?|sh|sql|s?css|html|json|toml|ya?ml|proto)\b",
]);

pub(crate) fn files(report: &[ReportLine]) -> Vec<String> {
    let mut found = Vec::new();
    for line in report {
        for path in SOURCE.find_iter(&line.text) {
            let path = path.as_str().replace('\\', "/");
            if path.contains("//") || paths::is_of_others(&path) || paths::is_temporary(&path) {
                continue;
            }
            let path = own(&path);
            if found.len() < MOST && !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

fn own(path: &str) -> String {
    let absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
    if absolute { paths::shortened(path) } else { path.trim_start_matches("./").to_owned() }
}
