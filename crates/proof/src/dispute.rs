//! Disputes: lines `DISPUTE: <test>: <reason>` in the notes of a story or in the feedback of its review, by which a
//! session says that a test is wrong.

use crate::TestRef;

const MARK: &str = "DISPUTE:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The mapped test that is meant; `None` if the line names none of them.
    pub test: Option<TestRef>,
    /// The name of the test as it was written.
    pub named: String,
    pub reason: String,
}

/// The disputes in `notes` that were not in the notes `before` the session.
pub fn new_disputes<'t>(
    before: &str,
    notes: &str,
    tests: impl IntoIterator<Item = &'t TestRef> + Clone,
) -> Vec<Dispute> {
    let old: Vec<&str> = before.lines().filter_map(disputing).collect();
    let lines = notes.lines().filter_map(disputing).filter(|line| !old.contains(line));
    lines.map(|line| read(line, tests.clone())).collect()
}

/// What follows the mark. Agents write lines as items of a list, in bold or in backquotes. The runner puts the name of a
/// reviewer before the feedback, in brackets.
fn disputing(line: &str) -> Option<&str> {
    let reviewer = line.strip_prefix('[').and_then(|named| named.split_once("] "));
    let start = reviewer.map_or(line, |(_, feedback)| feedback);
    let start = start.trim_start_matches([' ', '\t', '-', '*', '`', '>']);
    let rest = start.strip_prefix(MARK)?;
    Some(rest.trim_matches([' ', '\t', '\r', '*', '`'])).filter(|rest| !rest.is_empty())
}

fn read<'t>(line: &str, tests: impl IntoIterator<Item = &'t TestRef>) -> Dispute {
    // Names contain colons, so the longest name of a mapped test that begins the line counts.
    let named = tests.into_iter().filter_map(|test| {
        let TestRef { file, name, .. } = test;
        let forms = [
            name.clone(),
            format!("{file}::{name}"),
            format!("{file} {name}"),
            format!("{file}:{name}"),
        ];
        let length = forms.iter().filter_map(|form| named_length(line, form)).max()?;
        Some((length, test))
    });
    let found = named.max_by_key(|(length, _)| *length);
    let (name, rest) = match found {
        Some((length, _)) => line.split_at(length),
        None => line.split_once(": ").map_or((line, ""), |(name, rest)| (name, rest)),
    };
    let reason = rest.trim_start_matches([':', ' ', '`', '*']);
    Dispute {
        test: found.map(|(_, test)| test.clone()),
        named: name.trim_matches(['`', ' ']).to_owned(),
        reason: reason.to_owned(),
    }
}

/// The length of `form` at the start of the line, if a colon or the end of the line follows it.
fn named_length(line: &str, form: &str) -> Option<usize> {
    let start = line.len() - line.trim_start_matches('`').len();
    let rest = line[start..].strip_prefix(form)?.trim_start_matches('`');
    (rest.is_empty() || rest.starts_with(':')).then(|| line.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Framework;

    fn test(name: &str) -> TestRef {
        TestRef { framework: Framework::Pytest, file: "tests/test_x.py".into(), name: name.into() }
    }

    fn found(notes: &str) -> Vec<(Option<String>, String, String)> {
        let tests = [test("test_a"), test("test_a::inner"), test("cart: adds")];
        let disputes = new_disputes("", notes, &tests);
        let parts =
            disputes.into_iter().map(|it| (it.test.map(|test| test.name), it.named, it.reason));
        parts.collect()
    }

    #[test]
    fn a_line_names_a_mapped_test_and_a_reason() {
        for line in [
            "DISPUTE: test_a: the sum is 4",
            "- DISPUTE: test_a: the sum is 4",
            "  * DISPUTE:   `test_a`: the sum is 4",
            "**DISPUTE:** test_a: the sum is 4",
            "DISPUTE: test_a:the sum is 4\r",
            "[codex] DISPUTE: test_a: the sum is 4",
        ] {
            let expected = (Some("test_a".into()), "test_a".into(), "the sum is 4".into());
            assert_eq!(found(&format!("Notes.\n{line}\nMore.")), [expected], "{line}");
        }
        for (line, name, named) in [
            ("DISPUTE: tests/test_x.py::test_a: r", "test_a", "tests/test_x.py::test_a"),
            (
                "DISPUTE: tests/test_x.py test_a::inner: r",
                "test_a::inner",
                "tests/test_x.py test_a::inner",
            ),
            ("DISPUTE: test_a::inner: r", "test_a::inner", "test_a::inner"),
            ("DISPUTE: cart: adds: r", "cart: adds", "cart: adds"),
        ] {
            assert_eq!(found(line), [(Some(name.into()), named.into(), "r".into())], "{line}");
        }
    }

    #[test]
    fn another_name_is_no_mapped_test() {
        assert_eq!(found("DISPUTE: test_ab: r"), [(None, "test_ab".into(), "r".into())]);
        assert_eq!(found("DISPUTE: all of them"), [(None, "all of them".into(), String::new())]);
        assert_eq!(
            found("DISPUTE: test_a"),
            [(Some("test_a".into()), "test_a".into(), String::new())]
        );
    }

    #[test]
    fn other_lines_are_no_dispute() {
        for line in [
            "",
            "DISPUTE:",
            "dispute: test_a: r",
            "I write no DISPUTE: test_a: r",
            "DISPUTE test_a",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }

    #[test]
    fn a_dispute_of_an_earlier_session_is_not_new() {
        let before = "DISPUTE: test_a: r";
        let after = "DISPUTE: test_a: r\n- DISPUTE: test_a: another reason";
        let new = new_disputes(before, after, &[test("test_a")]);
        assert_eq!(new.iter().map(|it| it.reason.as_str()).collect::<Vec<_>>(), ["another reason"]);
    }
}
