//! Names single tests the way each framework wants them.

use super::super::TestRef;
use super::super::spec::{Form, Selection};
use super::super::template::fill;
use super::{distinct, in_package, quoted};

pub(super) fn arguments(selection: &Selection, tests: &[&TestRef], folder: &str) -> String {
    let each = distinct(
        tests.iter().map(|test| named(selection.each, test, in_package(&test.file, folder))),
    );
    match selection.form {
        Form::Arguments => each.iter().map(|test| quoted(test)).collect::<Vec<_>>().join(" "),
        Form::List { before } => quoted(&format!("{before}{}", each.join(","))),
        Form::Pattern { before, after } => {
            let alternatives: Vec<String> = each.iter().map(|test| escaped(test)).collect();
            quoted(&format!("{before}({}){after}", alternatives.join("|")))
        }
    }
}

/// `template` for `test`, whose file is `file` from the package. See `Selection::each`.
pub(in super::super) fn named(template: &str, test: &TestRef, file: &str) -> String {
    let (class, method) = class_and_method(&test.name, file);
    fill(template, |placeholder| {
        let text = match placeholder {
            "file" => file,
            "name" => &test.name,
            "module" => return Some(file.strip_suffix(".py").unwrap_or(file).replace('/', ".")),
            "class" => class,
            "method" => method,
            "top" => test.name.split('/').next().unwrap_or_default(),
            _ => return None,
        };
        Some(text.to_owned())
    })
}

/// A name is `method`, `Class.method`, `Class#method` or `Class::method`.
fn class_and_method<'a>(name: &'a str, file: &'a str) -> (&'a str, &'a str) {
    let split = ["::", "#", "."].into_iter().find_map(|separator| name.rsplit_once(separator));
    split.unwrap_or_else(|| {
        let file_name = file.rsplit('/').next().unwrap_or(file);
        (file_name.split('.').next().unwrap_or(file_name), name)
    })
}

/// `text` as a regular expression that every framework reads alike.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if r"\^$.|?*+()[]{}".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    // Titles may be joined either way.
    escaped.replace(" > ", "( > | )")
}
