//! Configuration files that decide which tests run and whether failures count.

mod ini;
mod makefile;
mod object;

use std::collections::HashSet;

use crate::language::split;
use crate::weakening::Weakening;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Config {
    /// pytest settings, in their own file or in a section of another.
    Pytest,
    /// Settings of Jest and Vitest.
    Script,
    PackageJson,
    Makefile,
}

impl Config {
    pub(crate) fn of(path: &str) -> Option<Self> {
        let (_, name) = split(path);
        match name {
            "pytest.ini" | ".pytest.ini" | "tox.ini" | "setup.cfg" | "pyproject.toml" => {
                Some(Self::Pytest)
            }
            "package.json" => Some(Self::PackageJson),
            "Makefile" | "makefile" | "GNUmakefile" => Some(Self::Makefile),
            _ => {
                let known = ["jest.config.", "vitest.config.", "vite.config.", "vitest.workspace."];
                known.iter().any(|start| name.starts_with(start)).then_some(Self::Script)
            }
        }
    }

    /// Exclusions that are new in this file. A file that did not exist before has none to report.
    pub(crate) fn compare(self, before: Option<&str>, after: Option<&str>) -> Vec<Weakening> {
        let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
        let before: HashSet<Weakening> = self.read(before).into_iter().collect();
        self.read(after).into_iter().filter(|new| !before.contains(new)).collect()
    }

    fn read(self, text: &str) -> Vec<Weakening> {
        match self {
            Self::Pytest => ini::read(text),
            Self::Script | Self::PackageJson => object::read(text),
            Self::Makefile => makefile::read(text),
        }
    }
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
