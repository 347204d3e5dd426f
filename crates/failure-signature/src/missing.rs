//! Extracts what a failure says could not be found. Showing the file, or its neighbours, may be
//! enough for a fix.
//!
//! Excludes missing commands, which no project file explains, and missing attributes of objects,
//! which are wrong uses of existing objects.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::pattern::compiled;
use crate::report_line::ReportLine;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "camelCase")]
pub enum Missing {
    /// A module, package or crate, as in the import.
    Module(String),
    /// A value, function, type or member.
    Name(String),
    /// A file, as in the message of the program.
    File(String),
}

const MOST: usize = 20;
const LONGEST: usize = 200;

type ToMissing = fn(String) -> Missing;

static PATTERNS: LazyLock<Vec<(ToMissing, Regex)>> = LazyLock::new(|| {
    let patterns: [(ToMissing, &str); 23] = [
        // Python
        (Missing::Module, r"No module named '([^']+)'"),
        (Missing::Name, r"cannot import name '([^']+)' from"),
        (Missing::Name, r"module '[^']+' has no attribute '([^']+)'"),
        (Missing::File, r"No such file or directory: '([^']+)'"),
        // Rust
        (Missing::Module, r"^error\[E0432\]: unresolved imports? `([^`]+)`"),
        (
            Missing::Module,
            r"(?:unresolved|undeclared) (?:crate or )?module(?: or unlinked crate)? `([^`]+)`",
        ),
        (Missing::Module, r"cannot find (?:module|crate)(?: or crate)? `([^`]+)`"),
        (
            Missing::Name,
            r"^error(?:\[E\d+\])?: cannot find (?:value|type|trait|struct|function|macro|attribute|derive|tuple|unit|const)[\w ,/]* `([^`]+)` in",
        ),
        (Missing::Name, r"use of undeclared type `([^`]+)`"),
        (Missing::Module, r"file not found for module `([^`]+)`"),
        (Missing::File, r"couldn't read `?([^`:]+)`?:"),
        // TypeScript, JavaScript
        (Missing::Name, r"Cannot find (?:name|namespace) '([^']+)'"),
        (Missing::Name, r"has no exported member (?:named )?'([^']+)'"),
        (Missing::Module, r"Cannot find (?:module|package) '([^']+)'"),
        (Missing::Module, r#"Failed to resolve import "([^"]+)""#),
        // also printed by Python and eslint
        (Missing::Name, r"(?:ReferenceError: |')([\w$]+)'? is not defined"),
        (Missing::File, r"ENOENT: no such file or directory, \w+ '([^']+)'"),
        // Go
        (Missing::Name, r"\.go:\d+:\d+: undefined: (\S+)"),
        (Missing::Module, r"(?:package|provides package) (\S+?)(?: is not in |;|: cannot find)"),
        (Missing::File, r"\b(?:open|stat|chdir|lstat) (\S+): no such file or directory"),
        // Ruby
        (Missing::Module, r"cannot load such file -- (\S+)"),
        (Missing::Name, r"undefined local variable or method [`']([^']+)'"),
        // shells and their tools
        (
            Missing::File,
            r"(?:: |cannot access |cannot open )'?([^\s:']+)'?: No such file or directory$",
        ),
    ];
    patterns.map(|(to_missing, text)| (to_missing, compiled(&[text]))).into()
});

pub(crate) fn missing(report: &[ReportLine]) -> Vec<Missing> {
    let mut found = Vec::new();
    for line in report {
        for (to_missing, pattern) in PATTERNS.iter() {
            let name = pattern.captures(&line.text).and_then(|found| found.get(1));
            if let Some(name) = name.filter(|name| name.len() <= LONGEST) {
                let missing = to_missing(name.as_str().to_owned());
                if !found.contains(&missing) {
                    found.push(missing);
                }
            }
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}
