//! What a framework's entry in `data/` consists of.

use super::FailureKind;
use super::reports::Reader;

/// Everything that differs between frameworks.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Files that show that a project uses the framework.
    pub(crate) signs: &'static [Sign],
    /// Files that mark the folder of a package. Commands run in the package of the test's file.
    pub(crate) package_files: &'static [&'static str],
    /// How to start the framework: the first entry whose file exists in the package or above it.
    pub(crate) programs: &'static [Program],
    /// The shell command. `{program}`, `{report}`, `{files}`, `{target}` and `{tests}` are replaced.
    pub(crate) command: &'static str,
    pub(crate) tests: Selection,
    /// Which tests run in one command.
    pub(crate) grouping: Grouping,
    /// The name under which the report lists a test. Same placeholders as `Selection::each`.
    pub(crate) reported_as: &'static str,
    pub(crate) reader: Reader,
    /// What a failure's text says about its kind. The first that occurs counts.
    pub(crate) failures: &'static [KindSign],
    pub(crate) configuration: &'static [ConfigurationFile],
    pub(crate) canary: Option<&'static CanarySpec>,
}

/// A file whose existence, or whose text, shows that a project uses a framework.
#[derive(Debug)]
pub(crate) struct Sign {
    /// Path from the project's root; `*` in the last part stands for any text.
    pub(crate) file: &'static str,
    /// Text that the file contains; empty if the file alone is enough.
    pub(crate) text: &'static str,
}

#[derive(Debug)]
pub(crate) struct Program {
    /// Path from the package's folder or one above it; empty for the default.
    pub(crate) file: &'static str,
    /// `{up}` is the path to the folder in which the file was found.
    pub(crate) command: &'static str,
}

/// How the tests stand in a command.
#[derive(Debug)]
pub(crate) struct Selection {
    /// One test: `{file}` (from the package), `{name}`, `{module}` (Python), `{class}` and `{method}`
    /// (class from the name or else from the file), `{top}` (the name up to the first `/`).
    pub(crate) each: &'static str,
    pub(crate) form: Form,
}

#[derive(Debug)]
pub(crate) enum Form {
    /// Each test is an argument.
    Arguments,
    /// One argument: `before`, then the tests, separated by commas.
    List { before: &'static str },
    /// One argument with a regular expression that matches whole names.
    Pattern { before: &'static str, after: &'static str },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// All tests of a package.
    Package,
    /// The tests of one file: the report does not say in which file a test is, or one file that
    /// does not load keeps the others from running.
    File,
    /// The tests of one folder.
    Folder,
    /// The tests of one cargo target.
    CargoTarget,
}

/// `text` in the message of a failure means `kind`. `{file}` stands for the test's file.
#[derive(Debug)]
pub(crate) struct KindSign {
    pub(crate) kind: FailureKind,
    pub(crate) texts: &'static [&'static str],
}

/// Files that decide how tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigurationFile {
    /// A path from the root, or a file name in any folder if it has no `/`. `*` stands for any text
    /// without `/`, `**` for any folders.
    pub pattern: &'static str,
    /// The keys that count in a file that product work changes too, with `.` between levels and `*`
    /// for any key; empty if the whole file counts.
    pub keys: &'static [&'static str],
}

/// How to write a test that must fail.
#[derive(Debug)]
pub(crate) struct CanarySpec {
    /// The name of the test file's folder, if tests are only found there.
    pub(crate) parent: Option<&'static str>,
    /// The new file's name. `{stem}`, `{suffix}` (from the first dot) and `{id}` are replaced.
    pub(crate) file: &'static str,
    /// The test, appended to the file. `{id}`, `{attempts}`, `{count}` and `{found}` (what
    /// `declaration` finds) are replaced.
    pub(crate) test: &'static str,
    /// The name of that test.
    pub(crate) name: &'static str,
    /// One attempt: `{statement}` is replaced.
    pub(crate) attempt: &'static str,
    /// Finds in the test file how it declares tests; there is no canary for a file without.
    pub(crate) declaration: &'static str,
    pub(crate) assertions: &'static [Assertion],
}

/// An assertion that must fail, tried if the file uses it.
#[derive(Debug)]
pub(crate) struct Assertion {
    pub(crate) used: &'static str,
    pub(crate) statement: &'static str,
}
