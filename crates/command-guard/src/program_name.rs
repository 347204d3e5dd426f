//! The names of programs in words: without folder, suffix and pattern.

use shell_analysis::{Piece, Word};

use crate::pattern;
use crate::words::words;

/// Programs that a program name with a pattern is compared with.
const PATTERN_PROGRAMS: &[&str] = words!(
    "rm dd cat sh bash nc curl wget chmod chown mkfs cp mv base64 sudo find shred tee head tail
     python3 perl ln kill scp git mkfs.ext4"
);

/// The program's name; a pattern counts as the first dangerous program that it matches.
pub(crate) fn program_of(word: &Word) -> String {
    let text = match (word.text(), word.pieces.last()) {
        (Some(text), _) => text,
        // The name may be known even if its folder is not.
        (None, Some(Piece::Text(text))) if text.contains('/') => text.clone(),
        (None, _) => return String::new(),
    };
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    // Suffixes of alternative builds, and zsh's `=program`.
    let suffixes = [".exe", ".traditional", ".openbsd", ".tiny", ".basic", ".nox"];
    let name = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let name = name.strip_prefix('=').unwrap_or(name);
    let patterns = if word.has_glob() { PATTERN_PROGRAMS } else { &[] };
    let taken = patterns.iter().find(|program| pattern::names(name, program));
    taken.map_or(name, |program| program).to_owned()
}
