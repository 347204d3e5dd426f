//! Whether a change of a file changes how the tests of a framework run.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Framework;
use super::data::configuration;
use crate::PathPatterns;

/// What programs read that the user's command starts.
const READ_BY: [(&[&str], &[&str]); 4] = [
    (&["make", "gmake"], &["Makefile", "makefile", "GNUmakefile"]),
    (&["npm", "npx", "yarn", "pnpm", "bun"], &["package.json"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["rake"], &["Rakefile"]),
];

/// `before` and `after` are the texts of the file; empty where it does not exist. `custom` is the user's command.
pub fn configuration_changed(
    (framework, custom): (Framework, Option<&str>),
    path: &str,
    before: &str,
    after: &str,
) -> bool {
    if let (Framework::Custom, Some(command)) = (framework, custom) {
        let keys: &[&str] =
            if is_file(path, &["package.json"]) { &["scripts", "type"] } else { &[] };
        let is_same = match keys {
            [] => before == after,
            keys => !differs(path, keys, before, after),
        };
        return !is_same && is_named(command, path);
    }
    configuration(framework).iter().any(|file| {
        let pattern = match file.pattern.contains('/') {
            true => file.pattern.to_owned(),
            false => format!("**/{}", file.pattern),
        };
        let is_meant = PathPatterns::new(&[pattern]).is_ok_and(|pattern| pattern.matches(path));
        is_meant
            && before != after
            && (file.keys.is_empty() || differs(path, file.keys, before, after))
    })
}

fn is_file(path: &str, names: &[&str]) -> bool {
    path.rsplit('/').next().is_some_and(|name| names.contains(&name))
}

/// Whether the shell command names the file, or starts a program that reads it.
fn is_named(command: &str, path: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || "\"'`;|&()<>=$".contains(c);
    let mut words = command.split(is_end).filter(|word| !word.is_empty());
    words.any(|word| {
        let program = word.rsplit('/').next().unwrap_or(word);
        let reads = READ_BY.iter().any(|(by, files)| by.contains(&program) && is_file(path, files));
        let word = word.trim_start_matches("./");
        let is_end_of = |end: &str, whole: &str| {
            whole.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        // A command may change the folder first, and may name the folder of the project.
        reads || is_end_of(word, path) || is_end_of(path, word)
    })
}

/// A text that cannot be read counts as changed.
fn differs(path: &str, keys: &[&str], before: &str, after: &str) -> bool {
    let (Some(before), Some(after)) = (parsed(path, before), parsed(path, after)) else {
        return true;
    };
    let values = |of| keys.iter().flat_map(|key| found(of, key)).collect::<Vec<_>>();
    values(&before) != values(&after)
}

/// The values under `key`, whose parts are separated by dots; `*` is any part.
fn found<'v>(value: &'v Value, key: &str) -> Vec<(String, &'v Value)> {
    let (first, rest) =
        key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    let fields: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().map(|value| ("*".to_owned(), value)).collect(),
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (name, value) in fields {
        match (name == "*" && matches!(value, Value::Object(_)), rest) {
            // Each table of a list.
            (true, _) => all.extend(found(value, key)),
            _ if first != "*" && first != name => {}
            (false, None) => all.push((name, value)),
            (false, Some(rest)) => all.extend(found(value, rest)),
        }
    }
    all
}

fn parsed(path: &str, text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Object(Default::default()));
    }
    match path.rsplit('.').next()? {
        "toml" => toml::from_str(text).ok(),
        "cfg" | "ini" => Some(sections(text)),
        "xml" => elements(roxmltree::Document::parse(text).ok()?.root()),
        _ => serde_json::from_str(text).ok(),
    }
}

/// Each section with its lines.
fn sections(text: &str) -> Value {
    let mut sections: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        match line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(section) => name = section.trim().to_owned(),
            None => sections.entry(name.clone()).or_default().push(line.trim_end()),
        }
    }
    serde_json::to_value(sections).unwrap_or_default()
}

/// Elements by their names; the same name several times is a list.
fn elements(node: roxmltree::Node<'_, '_>) -> Option<Value> {
    let mut fields = serde_json::Map::new();
    for child in node.children().filter(roxmltree::Node::is_element) {
        let value = elements(child)?;
        let list =
            fields.entry(child.tag_name().name()).or_insert_with(|| Value::Array(Vec::new()));
        list.as_array_mut()?.push(value);
    }
    let text = || node.text().unwrap_or_default().trim().to_owned();
    Some(if fields.is_empty() { Value::String(text()) } else { Value::Object(fields) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_changed(framework: Framework, path: &str, cases: &[(&str, &str, bool)]) {
        for (before, after, expected) in cases {
            let found = configuration_changed((framework, None), path, before, after);
            assert_eq!(found, *expected, "{path}: {before} → {after}");
        }
    }

    #[test]
    fn a_file_of_settings_counts_as_a_whole() {
        let cases = [("", "x", true), ("x", "", true), ("x", "y", true), ("x", "x", false)];
        assert_changed(Framework::Pytest, "conftest.py", &cases);
        assert_changed(Framework::Pytest, "a/b/conftest.py", &cases);
        assert_changed(Framework::Vitest, "vitest.config.ts", &cases);
        assert_changed(Framework::Pytest, "src/code.py", &[("x", "y", false)]);
    }

    #[test]
    fn of_files_that_product_work_changes_only_some_keys_count() {
        let json = r#"{"scripts": {"test": "jest", "build": "a"}, "dependencies": {}}"#;
        assert_changed(
            Framework::Jest,
            "web/package.json",
            &[
                (json, &json.replace("\"a\"", "\"b\""), false),
                (json, &json.replace("{}", r#"{"left-pad": "1"}"#), false),
                (json, &json.replace("\"jest\"", "\"true\""), true),
                (json, &json.replace("{\"scripts\"", "{\"jest\": {}, \"scripts\""), true),
                (json, "not json", true),
            ],
        );
        let toml = "[package]\nname = \"a\"\n[dependencies]\n[[test]]\nname = \"it\"\n";
        assert_changed(
            Framework::Cargo,
            "Cargo.toml",
            &[
                (toml, &toml.replace("[dependencies]", "[dependencies]\nserde = \"1\""), false),
                (
                    toml,
                    &toml.replace("[dependencies]", "[lib]\ntest = false\n[dependencies]"),
                    true,
                ),
                (toml, &format!("{toml}harness = false\n"), true),
                (toml, "[[test]]\nname = \"it\"", false),
            ],
        );
        assert_changed(
            Framework::Pytest,
            "setup.cfg",
            &[
                ("[metadata]\nname = a", "[metadata]\nname = b", false),
                ("[metadata]", "[metadata]\n[tool:pytest]\naddopts = --co", true),
            ],
        );
        let pom = "<project><build><x>1</x></build><dependencies/></project>";
        assert_changed(
            Framework::Maven,
            "pom.xml",
            &[
                (pom, &pom.replace("<dependencies/>", "<dependencies><a/></dependencies>"), false),
                (pom, &pom.replace('1', "2"), true),
            ],
        );
    }

    #[test]
    fn files_that_the_users_command_names_count() {
        for (command, path, expected) in [
            ("sh tests/run.sh {tests} {junit}", "tests/run.sh", true),
            ("cd app && ./ci/run --out={junit} \"$(cat ci/list)\"", "app/ci/run", true),
            ("cd app && ./ci/run --out={junit} \"$(cat ci/list)\"", "app/ci/list", true),
            ("make -C app test", "app/Makefile", true),
            ("/usr/bin/make -f=ci/test.mk", "ci/test.mk", true),
            ("npm test -- {tests}", "package.json", true),
            ("sh \"$PWD/ci/run.sh\" {tests}", "ci/run.sh", true),
            ("sh /home/me/project/ci/run.sh {tests}", "ci/run.sh", true),
            ("sh tests/run.sh", "tests/run.sh.txt", false),
            ("sh tests/run.sh", "other/run.sh", false),
            ("sh tests/run.sh", "Makefile", false),
            ("sh tests/run.sh", "mytests/run.sh", false),
        ] {
            let found = |custom, after| {
                configuration_changed((Framework::Custom, custom), path, "{}", after)
            };
            assert_eq!(found(Some(command), "changed"), expected, "{command}: {path}");
            assert!(!found(Some(command), "{}") && !found(None, "changed"), "{command}: {path}");
        }
        let package = |after| {
            let before = r#"{"scripts": {"test": "x"}}"#;
            let by = (Framework::Custom, Some("npm test"));
            configuration_changed(by, "package.json", before, after)
        };
        assert!(!package(r#"{"scripts": {"test": "x"}, "dependencies": {}}"#));
        assert!(package(r#"{"scripts": {"test": "true"}}"#));
    }
}
