//! Builds the shell commands that run given tests and no others.

mod cargo_target;
mod package;
mod selection;

pub(super) use selection::named;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::data::spec;
use super::spec::Grouping;
use super::template::fill;
use super::{Framework, ProofError, TestRef};

/// More tests than this run in several commands: a command line has a limit.
const TESTS_PER_COMMAND: usize = 50;

/// What the user's settings say about running tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunnerOptions<'a> {
    /// The command for tests of `Framework::Custom`, with `{tests}` and `{junit}`.
    pub custom: Option<&'a str>,
}

/// A command that runs some of the tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    pub framework: Framework,
    /// For `sh -c`, in the project's root.
    pub command: String,
    /// Folder of the package, from the project's root; empty for the root itself.
    pub folder: String,
    /// The file that the framework writes; `None` if the results are in its output.
    pub report: Option<PathBuf>,
    pub tests: Vec<TestRef>,
}

impl TestCommand {
    /// The path of the test's file from the package's folder.
    pub(crate) fn file_in_package<'a>(&self, test: &'a TestRef) -> &'a str {
        in_package(&test.file, &self.folder)
    }
}

/// The commands that run exactly `tests`, each under its name. `reports` is an empty folder outside
/// of the project, as an absolute path: a report that is there before the run would count.
pub fn commands(
    tests: &[TestRef],
    options: &RunnerOptions<'_>,
    root: &Path,
    reports: &Path,
) -> Result<Vec<TestCommand>, ProofError> {
    let reports = reports.to_str().ok_or(ProofError::ReportsFolder)?;
    let mut groups: BTreeMap<(Framework, String, String), Vec<&TestRef>> = BTreeMap::new();
    for test in tests {
        test.check(root)?;
        let spec = spec(test.framework);
        let folder = package::folder(&test.file, spec.package_files, root);
        let file = in_package(&test.file, &folder);
        let group = match spec.grouping {
            Grouping::Package => String::new(),
            Grouping::File => file.to_owned(),
            Grouping::Folder => file.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned(),
            Grouping::CargoTarget => cargo_target::arguments(file, &root.join(&folder)),
        };
        let group = groups.entry((test.framework, folder, group)).or_default();
        if !group.contains(&test) {
            group.push(test);
        }
    }
    let mut commands = Vec::new();
    for ((framework, folder, group), tests) in groups {
        for tests in tests.chunks(TESTS_PER_COMMAND) {
            let number = commands.len() + 1;
            commands
                .push(command(framework, &folder, &group, tests, number, options, root, reports)?);
        }
    }
    Ok(commands)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one command, from one caller")]
fn command(
    framework: Framework,
    folder: &str,
    group: &str,
    tests: &[&TestRef],
    number: usize,
    options: &RunnerOptions<'_>,
    root: &Path,
    reports: &str,
) -> Result<TestCommand, ProofError> {
    let spec = spec(framework);
    let template =
        if framework == Framework::Custom { custom_template(options)? } else { spec.command };
    let report = spec
        .reader
        .file_extension()
        .map(|extension| format!("{reports}/{framework}-{number}.{extension}"));
    let command = fill(template, |placeholder| match placeholder {
        "root" => Some(format!("./{}", "../".repeat(depth(folder)))),
        "program" => Some(package::program(spec.programs, folder, root)),
        "report" | "junit" => report.as_deref().map(quoted),
        "files" => {
            let files = tests.iter().map(|test| in_package(&test.file, folder));
            Some(distinct(files).into_iter().map(quoted).collect::<Vec<_>>().join(" "))
        }
        "folder" => Some(quoted(&format!("./{group}"))),
        "target" => Some(group.to_owned()),
        "tests" => Some(selection::arguments(&spec.tests, tests, folder)),
        _ => None,
    });
    let command = if folder.is_empty() {
        command
    } else {
        format!("cd {} || exit 2; {command}", quoted(folder))
    };
    Ok(TestCommand {
        framework,
        command,
        folder: folder.to_owned(),
        report: report.map(PathBuf::from),
        tests: tests.iter().map(|test| (*test).clone()).collect(),
    })
}

fn custom_template<'a>(options: &RunnerOptions<'a>) -> Result<&'a str, ProofError> {
    let template = options.custom.ok_or(ProofError::NoCustomCommand)?;
    match ["{tests}", "{junit}"].into_iter().find(|placeholder| !template.contains(placeholder)) {
        Some(placeholder) => Err(ProofError::CustomPlaceholder(placeholder)),
        None => Ok(template),
    }
}

/// `items` without repetitions, in their order: a canary stays behind the tests.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// How many folders a package is below the root.
fn depth(folder: &str) -> usize {
    folder.split('/').filter(|part| !part.is_empty()).count()
}

fn in_package<'a>(file: &'a str, folder: &str) -> &'a str {
    file.strip_prefix(folder).map_or(file, |rest| rest.trim_start_matches('/'))
}

/// `text` as one word of the shell. Only a NUL cannot be quoted, and `TestRef::check` refuses it.
fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| "''".to_owned(), |quoted| quoted.into_owned())
}
