//! File names in words: after `@`, behind a host, in an address.

use std::path::Path;

use shell_analysis::Word;

use crate::words::words;

/// The arguments of these programs are text, not files that they read.
pub(crate) const TEXT_PRINTERS: &[&str] = words!(
    "echo printf test [ [[ ls stat file du true false : cd pushd which type command basename
     dirname export local declare read alias set logger say"
);

/// `host:path` or an address.
pub(crate) fn is_remote(word: &Word) -> bool {
    let text = word.shown();
    text.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains('/'))
}

/// The file after `@` or `name=@`.
pub(crate) fn after_at(word: &Word) -> Option<Word> {
    let start = word.known_start();
    let at = start.find(['@', '<'])?;
    let before = &start[..at];
    let is_file =
        before.is_empty() || before.ends_with('=') || !before.contains(['{', '"', ' ', '=']);
    is_file.then(|| word.without_start(at + 1))
}

/// The last component of a path or URL, without its host.
pub(super) fn base_name(text: &str) -> Option<&str> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let name = Path::new(text.trim_end_matches('/')).file_name()?.to_str()?;
    name.rsplit(':').next()
}
