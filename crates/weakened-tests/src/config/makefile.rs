//! Reads test targets of a Makefile whose failures are ignored.

use super::{is_silenced, silenced};

pub(super) fn read(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut target = None;
    for line in text.lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            let command = recipe.trim_start_matches(['@', '+', ' ']);
            let failures_pass = command.starts_with('-');
            // `echo` may accompany the tests.
            let talks = command.starts_with("echo");
            if let Some(name) = target
                && (failures_pass || !talks && is_silenced(command))
            {
                found.push(silenced(name, recipe.trim()));
            }
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            target = test_target(line);
        }
    }
    found
}

fn test_target(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim();
    let is_test = name == "test" || name == "tests" || name.starts_with("test-");
    (is_test && !rest.starts_with('=')).then_some(name)
}
