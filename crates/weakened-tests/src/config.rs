//! Configuration files that decide which tests run and whether failures count.

mod ini;
mod makefile;
mod object;

use std::collections::HashSet;

use crate::language::split;
use crate::unit::shown;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Config {
    /// pytest settings, in their own file or in a section of another.
    Pytest,
    /// package.json, and settings of Jest and Vitest.
    Object,
    Makefile,
}

impl Config {
    pub(crate) fn of(path: &str) -> Option<Self> {
        let (_, name) = split(path);
        match name {
            "pytest.ini" | ".pytest.ini" | "tox.ini" | "setup.cfg" | "pyproject.toml" => {
                Some(Self::Pytest)
            }
            "package.json" => Some(Self::Object),
            "Makefile" | "makefile" | "GNUmakefile" => Some(Self::Makefile),
            _ => {
                let known = ["jest.config.", "vitest.config.", "vite.config.", "vitest.workspace."];
                known.iter().any(|start| name.starts_with(start)).then_some(Self::Object)
            }
        }
    }

    /// Exclusions that are new in this file. A file that did not exist before has none to report.
    pub(crate) fn compare(self, before: Option<&str>, after: Option<&str>) -> Vec<String> {
        let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
        let before: HashSet<String> = self.read(before).into_iter().collect();
        self.read(after).into_iter().filter(|new| !before.contains(new)).collect()
    }

    fn read(self, text: &str) -> Vec<String> {
        match self {
            Self::Pytest => ini::read(text),
            Self::Object => object::read(text),
            Self::Makefile => makefile::read(text),
        }
    }
}

fn left_out(setting: &str) -> String {
    format!("now excludes tests: `{}`", shown(setting))
}

fn silenced(name: &str, command: &str) -> String {
    let (name, command) = (shown(name), shown(command));
    format!("`{name}` now succeeds even if tests fail: `{command}`")
}

/// Whether a shell command succeeds even if its tests fail.
fn is_silenced(command: &str) -> bool {
    let command = command.trim();
    let words: Vec<&str> = command.split_whitespace().collect();
    let pair = |first: &str, then: &str| words.windows(2).any(|pair| pair == [first, then]);
    let first = words.first().copied().unwrap_or_default();
    pair("||", "true")
        || pair("||", ":")
        || pair("||", "echo")
        || pair("exit", "0")
        || matches!(first, "true" | ":")
        || first == "echo" && !["&&", "||", ";", "|"].iter().any(|and| command.contains(and))
}
