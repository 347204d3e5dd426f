//! The names of programs in words: without folder, suffix and pattern.

use std::borrow::Cow;

use shell_analysis::{Piece, Word};

use crate::pattern;
use crate::words::words;

/// Programs that a program name with a pattern is compared with.
const PATTERN_PROGRAMS: &[&str] = words!(
    "rm dd cat sh bash nc curl wget chmod chown mkfs cp mv base64 sudo find shred tee head tail
     python3 perl ln kill scp git mkfs.ext4"
);

/// The program's name; a pattern counts as the first dangerous program that it matches.
pub(crate) fn program_of(word: &Word) -> Cow<'_, str> {
    match (word.text(), word.pieces.last()) {
        (Some(Cow::Borrowed(text)), _) => name_in(text, word.has_glob()).into(),
        (Some(Cow::Owned(text)), _) => name_in(&text, word.has_glob()).to_owned().into(),
        // The name may be known even if its folder is not.
        (None, Some(Piece::Text(text))) if text.contains('/') => {
            name_in(text, word.has_glob()).into()
        }
        (None, _) => Cow::default(),
    }
}

fn name_in(text: &str, is_pattern: bool) -> &str {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    // Suffixes of alternative builds, and zsh's `=program`.
    let suffixes = [".exe", ".traditional", ".openbsd", ".tiny", ".basic", ".nox"];
    let name = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let name = name.strip_prefix('=').unwrap_or(name);
    let patterns = if is_pattern { PATTERN_PROGRAMS } else { &[] };
    let taken = patterns.iter().find(|program| pattern::names(name, program));
    taken.map_or(name, |program| program)
}
