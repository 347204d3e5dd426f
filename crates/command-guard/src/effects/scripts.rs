//! Files named in the scripts of editors and in patches.

use shell_analysis::Word;

use crate::contents::input;
use crate::invocation_view::InvocationView;
use crate::words::words;

/// Commands of editors and database shells that write the file in the next word.
const WRITES: &[&str] = words!("w gw wq W write sav saveas up update output once backup save");

/// More files than a script for people writes.
const MOST: usize = 500;

/// The files that an editor's options, script or input have it write; the whole disk if they are too many to check.
pub(super) fn written(view: &InvocationView<'_>) -> Vec<Word> {
    let mut files = Vec::new();
    for text in view.texts.iter().cloned().chain(input(view)) {
        for part in text.split(['\n', '|', ';', '}']) {
            let mut before = "";
            for word in part.split_whitespace() {
                let verb = before.trim_end_matches('!').rsplit(|c: char| !c.is_ascii_alphabetic());
                if WRITES.contains(&verb.into_iter().next().unwrap_or_default()) {
                    files.push(Word::of(word.trim_matches(['\'', '"'])));
                }
                before = word;
            }
        }
    }
    if files.len() > MOST { vec![Word::of("/")] } else { files }
}

/// The files that a patch on standard input changes, with and without their first path component.
pub(super) fn patched(view: &InvocationView<'_>) -> Vec<Word> {
    const STARTS: &[&str] = &["+++ ", "--- ", "rename to ", "rename from "];
    let text = input(view).unwrap_or_default();
    let name = |line| STARTS.iter().find_map(|start| str::strip_prefix(line, start));
    let names = text.lines().filter_map(name).filter_map(|name| name.split('\t').next());
    let inside = |name| str::split_once(name, '/').map_or(name, |(_, inside)| inside);
    let both = names.map(str::trim).flat_map(|name| [name, inside(name)]);
    both.filter(|name| *name != "/dev/null").map(Word::of).collect()
}
