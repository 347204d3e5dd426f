//! Reads a text in a made-up place and shows what it would run.

use std::path::Path;

use shell_analysis::{Reading, Start, read};

/// Reads with a home, a folder and these files.
pub(crate) fn read_with(script: &str, files: &[(&str, &str)]) -> Reading {
    let file = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let variables = [("HOME".to_owned(), "/home/me".to_owned())].into();
    read(script, &Start { folder: "/project".into(), variables, file: &file })
}

pub(crate) fn read_text(script: &str) -> Reading {
    read_with(script, &[])
}

/// The acts that have words, one line each, the words in `<…>` where blanks are in them.
pub(crate) fn lines(reading: &Reading) -> Vec<String> {
    let acts = reading.acts.iter().filter(|act| !act.words.is_empty());
    let shown = acts.map(|act| {
        let words: Vec<String> = act
            .words
            .iter()
            .map(|word| {
                let shown = word.shown();
                if shown.contains([' ', '\n']) || shown.is_empty() {
                    format!("<{shown}>")
                } else {
                    shown
                }
            })
            .collect();
        words.join(" ")
    });
    shown.collect()
}

/// That the text is read whole, and the last of its acts is this.
#[track_caller]
pub(crate) fn ends_with(script: &str, last: &str) {
    let reading = read_text(script);
    assert_eq!(reading.unread, [], "{script}");
    assert_eq!(lines(&reading).last().map(String::as_str), Some(last), "{script}");
}

/// That the text is read whole, and its acts are these.
#[track_caller]
pub(crate) fn runs(script: &str, expected: &[&str]) {
    let reading = read_text(script);
    assert_eq!(reading.unread, [], "{script}");
    assert_eq!(lines(&reading), expected, "{script}");
}
