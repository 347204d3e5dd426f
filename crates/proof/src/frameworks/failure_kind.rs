//! Classifies a failure by its text.

use super::spec::KindSign;
use super::{FailureKind, TestRef};

/// The kind of the failure that `text` describes. `file` is the test's file from its package.
pub(crate) fn kind<'a>(
    mut signs: impl Iterator<Item = &'a KindSign>,
    text: &str,
    test: &TestRef,
    file: &str,
) -> FailureKind {
    // Each line begins behind a line break, so that a sign can stand for the beginning of a line.
    let text = format!("\n{text}");
    let occurs = |sign: &str| {
        if sign.contains("{file}") {
            text.contains(&sign.replace("{file}", file))
                || text.contains(&sign.replace("{file}", &test.file))
        } else {
            text.contains(sign)
        }
    };
    signs
        .find(|sign| sign.texts.iter().any(|text| occurs(text)))
        .map_or(FailureKind::Other, |sign| sign.kind)
}
