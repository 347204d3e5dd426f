//! JUnit XML, in the dialects of the frameworks that write it.

use std::path::Path;
use std::rc::Rc;

use roxmltree::{Document, Node, ParsingOptions};

use super::{Case, FileError, Report, Status, titles, unreadable};

/// Between the reports of one command that wrote several. The character is not allowed in XML.
const SEPARATOR: char = '\u{1e}';
/// Longer than the names of a proof file.
const LONGEST_NAME: usize = 1_000;
const SCRIPTS: [&str; 8] = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
const MOST_NODES: u32 = 2_000_000;
const FAILURES: [&str; 6] =
    ["failure", "error", "flakyFailure", "flakyError", "rerunFailure", "rerunError"];

/// What the attributes of a test mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `classname` is the module with the classes; a file that does not load is a test case.
    Pytest,
    /// Suites nest; a file that does not load, or ends early, is a test case under its path.
    NodeTest,
    /// `classname` is a class, `name` a method, perhaps with parameters (phpunit, gradle, maven).
    Class,
    /// `name` is the name; a file that does not load is a test case without a name (bats).
    Bats,
    /// Written by the user's command: any of the above.
    Any,
}

pub(super) fn read(text: &str, dialect: Dialect) -> Result<Report, String> {
    let mut report = Report::default();
    for text in text.split(SEPARATOR).filter(|text| !text.trim().is_empty()) {
        // Frameworks copy control characters of the output, which XML does not allow.
        let text: String =
            text.chars().filter(|c| !c.is_control() || "\t\n\r".contains(*c)).collect();
        let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(&text, options).map_err(unreadable)?;
        for node in document.descendants().filter(|node| node.has_tag_name("testcase")) {
            add(&mut report, node, dialect);
        }
    }
    Ok(report)
}

fn add(report: &mut Report, node: Node<'_, '_>, dialect: Dialect) {
    let name = node.attribute("name").unwrap_or_default();
    let class = node.attribute("classname").or(node.attribute("class")).unwrap_or_default();
    let file: Option<Rc<str>> = node.attribute("file").map(Into::into);
    let status = status(node);
    let text = if status == Status::Failed { failure_text(node, dialect) } else { String::new() };
    if is_file_entry(node, dialect, name) {
        // Of a file, node's report says only that it failed; the output says why.
        if status == Status::Failed && dialect != Dialect::NodeTest {
            report.errors.push(FileError { file, text });
        }
        return;
    }
    let names = match dialect {
        Dialect::Pytest => pytest_names(file.as_deref().unwrap_or_default(), class, name),
        Dialect::NodeTest => vec![nested_title(node, name)],
        Dialect::Class => class_names(class, name),
        Dialect::Bats => vec![titles(name)],
        Dialect::Any => any_names(node, class, name),
    };
    report.cases.push(Case { file: file.filter(|file| !file.is_empty()), names, status, text });
}

fn status(node: Node<'_, '_>) -> Status {
    let has = |name: &str| node.children().any(|child| child.has_tag_name(name));
    let not_run = |status: &str| matches!(status, "notrun" | "disabled" | "skipped" | "ignored");
    if has("skipped") || node.attribute("status").is_some_and(not_run) {
        Status::Skipped
    } else if FAILURES.into_iter().any(has) {
        Status::Failed
    } else {
        Status::Passed
    }
}

fn failure_text(node: Node<'_, '_>, dialect: Dialect) -> String {
    let mut parts = Vec::new();
    for failure in
        node.children().filter(|child| FAILURES.iter().any(|name| child.has_tag_name(*name)))
    {
        let body = failure.text().unwrap_or_default().trim();
        parts.extend(failure.attribute("message"));
        parts.extend(failure.attribute("type"));
        // The body quotes the test's source, and its last line names the exception.
        let quotes_source = dialect == Dialect::Pytest && failure.has_tag_name("failure");
        parts.push(if quotes_source { body.lines().last().unwrap_or_default() } else { body });
    }
    parts.join("\n")
}

fn is_file_entry(node: Node<'_, '_>, dialect: Dialect, name: &str) -> bool {
    match dialect {
        Dialect::Pytest => {
            node.children().any(|child| child.attribute("message") == Some("collection failure"))
        }
        // A title can begin with a slash too.
        Dialect::NodeTest => {
            Path::new(name).is_absolute() && SCRIPTS.iter().any(|end| name.ends_with(end))
        }
        Dialect::Bats => name.is_empty(),
        Dialect::Class | Dialect::Any => false,
    }
}

/// `tests/test_x.py::TestGroup::test_a[1]`, and the same without the parameters.
fn pytest_names(file: &str, class: &str, name: &str) -> Vec<String> {
    let module = file.strip_suffix(".py").unwrap_or(file).replace(['/', '\\'], ".");
    let classes =
        class.strip_prefix(&module).unwrap_or(class).trim_start_matches('.').replace('.', "::");
    let path = if classes.is_empty() { file.to_owned() } else { format!("{file}::{classes}") };
    let plain = name.split('[').next().unwrap_or(name);
    vec![titles(&format!("{path}::{name}")), titles(&format!("{path}::{plain}"))]
}

/// `com.example.CalcTest#adds` and `CalcTest#adds`, without the parameters of the method.
fn class_names(class: &str, name: &str) -> Vec<String> {
    let method = name.split(" with data set ").next().unwrap_or(name);
    let method = method.split(['(', '[', '{']).next().unwrap_or(method).trim();
    let simple = class.rsplit(['.', '\\']).next().unwrap_or(class);
    vec![format!("{class}#{method}"), format!("{simple}#{method}")]
}

/// The titles of the suites around the test and its own; empty if no proof file could name it, which
/// keeps a deep or long report from taking much memory.
fn nested_title(node: Node<'_, '_>, name: &str) -> String {
    let suites = node.ancestors().filter(|ancestor| ancestor.has_tag_name("testsuite"));
    let names = suites.filter_map(|suite| suite.attribute("name"));
    let mut titles: Vec<&str> = [name].into_iter().chain(names).take(LONGEST_NAME).collect();
    if titles.iter().map(|title| title.len()).sum::<usize>() > LONGEST_NAME {
        return String::new();
    }
    titles.reverse();
    super::titles(&titles.join(" "))
}

fn any_names(node: Node<'_, '_>, class: &str, name: &str) -> Vec<String> {
    let mut names: Vec<String> =
        ["::", ".", "#", " "].map(|between| titles(&format!("{class}{between}{name}"))).into();
    names.push(titles(name));
    names.push(nested_title(node, name));
    names
}
