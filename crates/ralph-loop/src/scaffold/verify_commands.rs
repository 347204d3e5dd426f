//! Detects the check commands of a project from its files. Never guesses a command that may not exist.
//!
//! Pure: turns the files of the root into commands with their sources. Only the folders `test` and `tests` are
//! searched, and nothing is run.

mod cargo;
mod deno;
mod go;
mod jvm;
mod make;
mod node;
mod python;
mod shell;

use serde::Serialize;

pub(super) use node::locked_manager;

use super::root_files::RootFiles;

/// A command, and the file that shows that it exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct DetectedCheck {
    pub(crate) command: String,
    pub(crate) source: String,
}

/// The detected commands, with notes about ignored files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Detection {
    pub(crate) commands: Vec<DetectedCheck>,
    pub(crate) notes: Vec<String>,
    /// The name of the project.
    #[serde(skip)]
    pub(crate) name: Option<String>,
}

impl Detection {
    fn add(&mut self, command: impl Into<String>, source: impl Into<String>) {
        self.commands.push(DetectedCheck { command: command.into(), source: source.into() });
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The first manifest with a name wins.
    fn set_name(&mut self, name: Option<&str>) {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        self.name = self.name.take().or(name.map(str::to_owned));
    }
}

pub(crate) fn detect(files: &RootFiles) -> Detection {
    let mut found = Detection { notes: files.unreadable.clone(), ..Detection::default() };
    cargo::detect(files, &mut found);
    node::detect(files, &mut found);
    python::detect(files, &mut found);
    go::detect(files, &mut found);
    deno::detect(files, &mut found);
    jvm::detect(files, &mut found);
    shell::detect(files, &mut found);
    // Last, because its targets often only call commands detected before.
    make::detect(files, &mut found);
    found
}

fn parse_toml(files: &RootFiles, name: &str, found: &mut Detection) -> Option<toml::Table> {
    match files.text(name)?.parse::<toml::Table>() {
        Ok(table) => Some(table),
        Err(error) => {
            let why = error.message().lines().next().unwrap_or_default();
            found.note(format!("{name} was ignored: not valid TOML ({why})"));
            None
        }
    }
}

/// The value at a path of keys.
fn at<'t>(table: &'t toml::Table, path: &[&str]) -> Option<&'t toml::Value> {
    let (first, rest) = path.split_first()?;
    let value = table.get(*first)?;
    if rest.is_empty() { Some(value) } else { at(value.as_table()?, rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn commands(files: &[(&str, &str)]) -> Vec<String> {
        detect(&RootFiles::of(files)).commands.into_iter().map(|found| found.command).collect()
    }

    pub(super) fn notes(files: &[(&str, &str)]) -> Vec<String> {
        detect(&RootFiles::of(files)).notes
    }

    #[test]
    fn ecosystems_combine_and_the_first_name_counts() {
        let files = [
            ("go.mod", "module example.com/x\n"),
            ("package.json", r#"{"name": "web", "scripts": {"test": "vitest run"}}"#),
            ("Cargo.toml", "[package]\nname = \"shop\""),
        ];
        assert_eq!(commands(&files), ["cargo test", "npm test", "go test ./...", "go vet ./..."]);
        let found = detect(&RootFiles::of(&files));
        assert_eq!(found.name.as_deref(), Some("shop"));
        assert_eq!(found.commands[1].source, "package.json, script test");
    }

    #[test]
    fn an_empty_project_has_no_checks_and_no_complaints() {
        assert_eq!(detect(&RootFiles::of(&[])), Detection::default());
    }

    #[test]
    fn one_broken_file_does_not_hide_the_others() {
        let files = [
            ("Cargo.toml", "[package\nname ="),
            ("package.json", "{\"scripts\": "),
            ("pyproject.toml", "= ="),
            ("go.mod", "module x"),
        ];
        assert_eq!(commands(&files), ["go test ./...", "go vet ./..."]);
        let notes = notes(&files);
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[0].starts_with("Cargo.toml was ignored: not valid TOML ("));
        assert!(notes[1].starts_with("package.json was ignored: not valid JSON ("));
        assert!(notes[2].starts_with("pyproject.toml was ignored: not valid TOML ("));
    }

    #[test]
    fn values_of_the_wrong_kind_are_passed_over() {
        let files = [
            ("Cargo.toml", "package = 1\nworkspace = \"x\""),
            ("package.json", r#"{"name": 7, "scripts": ["test"], "packageManager": {}}"#),
            ("pyproject.toml", "tool = 1\nproject = []\ndependency-groups = \"x\""),
        ];
        assert_eq!(commands(&files), [""; 0]);
    }
}
