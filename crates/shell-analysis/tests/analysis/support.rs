//! Analyzes a text in a fixed context and formats the result.

use std::path::Path;

use shell_analysis::{Analysis, InitialState, analyze};

/// Analyzes with a home, a working directory and these files.
pub(crate) fn read_with(script: &str, files: &[(&str, &str)]) -> Analysis {
    let file = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let variables = [("HOME".to_owned(), "/home/me".to_owned())].into();
    analyze(script, &InitialState { folder: "/project".into(), variables, file: &file })
}

pub(crate) fn read_text(script: &str) -> Analysis {
    read_with(script, &[])
}

/// The commands with words, one line each; words with blanks in `<…>`.
pub(crate) fn lines(analysis: &Analysis) -> Vec<String> {
    let invocations = analysis.invocations.iter().filter(|invocation| !invocation.words.is_empty());
    let shown = invocations.map(|invocation| {
        let words: Vec<String> = invocation
            .words
            .iter()
            .map(|word| {
                let shown = word.shown();
                if shown.contains([' ', '\n']) || shown.is_empty() {
                    format!("<{shown}>")
                } else {
                    shown.into_owned()
                }
            })
            .collect();
        words.join(" ")
    });
    shown.collect()
}

/// Asserts that the text is fully analyzed and its last command is `last`.
#[track_caller]
pub(crate) fn ends_with(script: &str, last: &str) {
    let analysis = read_text(script);
    assert_eq!(analysis.unanalyzed, [], "{script}");
    assert_eq!(lines(&analysis).last().map(String::as_str), Some(last), "{script}");
}

/// Asserts that the text is fully analyzed and runs exactly these commands.
#[track_caller]
pub(crate) fn runs(script: &str, expected: &[&str]) {
    let analysis = read_text(script);
    assert_eq!(analysis.unanalyzed, [], "{script}");
    assert_eq!(lines(&analysis), expected, "{script}");
}
