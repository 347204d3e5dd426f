//! Python: pytest, tox or unittest, ruff and mypy, each if the project configures it or depends on it.

use toml::{Table, Value};

use super::{Detection, at, parse_toml};
use crate::scaffold::root_files::RootFiles;

const MANIFEST: &str = "pyproject.toml";
const LOCK_FILES: [(&str, &str); 3] =
    [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run ")];

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    let manifest = parse_toml(files, MANIFEST, found).unwrap_or_default();
    for path in [&["project", "name"][..], &["tool", "poetry", "name"]] {
        found.set_name(at(&manifest, path).and_then(Value::as_str));
    }
    let locked = LOCK_FILES.iter().find(|(name, _)| files.has(name));
    let run = locked.map_or("", |(_, run)| run);

    let configured = |tool: &str, in_manifest: &'static str, names: &[&'static str]| {
        let section = at(&manifest, &["tool", tool]);
        section.map(|_| in_manifest).or_else(|| files.first_of(names))
    };
    let pytest =
        configured("pytest", "pyproject.toml, tool.pytest", &["pytest.ini", ".pytest.ini"])
            .or_else(|| depends_on(&manifest, "pytest").then_some("pyproject.toml, a dependency"));
    if let Some(source) = pytest {
        found.add(format!("{run}pytest"), source);
    } else if let Some(source) =
        configured("tox", "pyproject.toml, tool.tox", &["tox.ini", "tox.toml"])
    {
        found.add(format!("{run}tox"), source);
    } else if let Some(test) = files.find(is_unit_test) {
        let from =
            test.rsplit_once('/').map_or(String::new(), |(folder, _)| format!(" -s {folder}"));
        let python = if run.is_empty() { "python3" } else { "python" };
        found.add(format!("{run}{python} -m unittest discover{from}"), test);
    }
    let ruff = configured("ruff", "pyproject.toml, tool.ruff", &["ruff.toml", ".ruff.toml"]);
    if let Some(source) = ruff {
        found.add(format!("{run}ruff check"), source);
    }
    if let Some(mypy) = at(&manifest, &["tool", "mypy"]).and_then(Value::as_table) {
        // mypy needs a target if the settings name none.
        let has_targets =
            ["files", "packages", "modules"].iter().any(|key| mypy.contains_key(*key));
        let target = if has_targets { "" } else { " ." };
        found.add(format!("{run}mypy{target}"), "pyproject.toml, tool.mypy");
    }
}

/// The files that `unittest` discovers.
fn is_unit_test(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.starts_with("test") && file.ends_with(".py")
}

/// In any place where Python tools declare dependencies.
fn depends_on(manifest: &Table, name: &str) -> bool {
    let lists = [
        &["project", "dependencies"][..],
        &["project", "optional-dependencies"],
        &["dependency-groups"],
        &["tool", "uv", "dev-dependencies"],
        &["tool", "pdm", "dev-dependencies"],
    ];
    let tables = [&["tool", "poetry", "dependencies"][..], &["tool", "poetry", "dev-dependencies"]];
    let groups = at(manifest, &["tool", "poetry", "group"]).and_then(Value::as_table);
    let grouped = groups.into_iter().flat_map(|groups| groups.values());
    lists.iter().filter_map(|path| at(manifest, path)).any(|value| lists_requirement(value, name))
        || tables.iter().filter_map(|path| at(manifest, path)).any(|table| has_key(table, name))
        || grouped.filter_map(|group| group.get("dependencies")).any(|table| has_key(table, name))
}

/// An array of requirements, or a table of such arrays.
fn lists_requirement(value: &Value, name: &str) -> bool {
    match value {
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).any(|requirement| requires(requirement, name))
        }
        Value::Table(groups) => groups.values().any(|group| lists_requirement(group, name)),
        _ => false,
    }
}

/// `pytest>=8`, `pytest[extra]`, `pytest ; python_version > "3.9"`, but not `pytest-cov`.
fn requires(requirement: &str, name: &str) -> bool {
    let end = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let required = requirement.trim().split(end).next().unwrap_or_default();
    required.eq_ignore_ascii_case(name)
}

fn has_key(value: &Value, name: &str) -> bool {
    value.as_table().is_some_and(|table| table.contains_key(name))
}

#[cfg(test)]
mod tests {
    use super::super::tests::commands;

    #[test]
    fn without_pytest_tox_or_unittest() {
        assert_eq!(commands(&[("tox.ini", "")]), ["tox"]);
        assert_eq!(commands(&[("pyproject.toml", "[tool.tox]\nenv_list = []")]), ["tox"]);
        let tests = ("tests/test_cart.py", "");
        assert_eq!(commands(&[tests]), ["python3 -m unittest discover -s tests"]);
        assert_eq!(commands(&[("test_cart.py", "")]), ["python3 -m unittest discover"]);
        let uv = [tests, ("uv.lock", "")];
        assert_eq!(commands(&uv), ["uv run python -m unittest discover -s tests"]);
        assert_eq!(commands(&[tests, ("pytest.ini", "")]), ["pytest"]);
        assert_eq!(commands(&[("tests/cart.py", ""), ("testing.md", "")]), [""; 0]);
    }

    #[test]
    fn pytest_if_configured_or_a_dependency() {
        for manifest in [
            "[tool.pytest.ini_options]\naddopts = \"-q\"",
            "[project]\ndependencies = [\"pytest>=8\"]",
            "[project.optional-dependencies]\ndev = [\"PyTest[x]; python_version > '3.9'\"]",
            "[dependency-groups]\ndev = [{include-group = \"x\"}, \"pytest\"]",
            "[tool.uv]\ndev-dependencies = [\"pytest ~= 8.0\"]",
            "[tool.poetry.dev-dependencies]\npytest = \"^8\"",
            "[tool.poetry.group.test.dependencies]\npytest = { version = \"^8\" }",
        ] {
            assert_eq!(commands(&[("pyproject.toml", manifest)]), ["pytest"], "{manifest}");
        }
        assert_eq!(commands(&[("pytest.ini", "")]), ["pytest"]);
    }

    #[test]
    fn plugins_of_pytest_are_not_pytest() {
        let manifest = "[project]\ndependencies = [\"pytest-cov\", \"flask\"]";
        assert_eq!(commands(&[("pyproject.toml", manifest)]), [""; 0]);
    }

    #[test]
    fn ruff_and_mypy_if_configured() {
        let manifest = "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true";
        assert_eq!(commands(&[("pyproject.toml", manifest)]), ["ruff check", "mypy ."]);
        let targets = "[tool.mypy]\nfiles = [\"src\"]";
        assert_eq!(commands(&[("pyproject.toml", targets)]), ["mypy"]);
        assert_eq!(commands(&[("ruff.toml", "")]), ["ruff check"]);
    }

    #[test]
    fn commands_run_with_the_tool_of_the_lock_file() {
        let manifest = "[tool.pytest.ini_options]\n[tool.ruff]";
        for (lock, run) in [("uv.lock", "uv run"), ("poetry.lock", "poetry run")] {
            let found = commands(&[("pyproject.toml", manifest), (lock, "")]);
            assert_eq!(found, [format!("{run} pytest"), format!("{run} ruff check")]);
        }
    }
}
