//! Names of calls in many languages, grouped by effect.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static GROUPS: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let (mut groups, mut name) = (BTreeMap::<&str, Vec<&str>>::new(), "");
    for line in include_str!("names.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        if !line.starts_with(' ') {
            name = words.next().unwrap_or_default();
        }
        groups.entry(name).or_default().extend(words);
    }
    groups
});

/// The names in a group.
pub(super) fn group(name: &str) -> &'static [&'static str] {
    GROUPS.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// Whether code without blanks has a name of this group.
pub(super) fn has(code: &str, name: &str) -> bool {
    present(code, group(name)).next().is_some()
}

/// Those of these names that code without blanks has.
pub(super) fn present(code: &str, names: &[&'static str]) -> impl Iterator<Item = &'static str> {
    let is_part = |c: char| c.is_alphanumeric() || "_.-:$@".contains(c);
    let is_start = move |before: &str| !before.ends_with("->") && !before.ends_with(is_part);
    // Most names have a letter that is not in the code.
    let bit = |byte: u8| 1_u128 << (byte & 127);
    let letters = code.bytes().fold(0, |letters, byte| letters | bit(byte));
    let fits = move |name: &str| name.bytes().all(|byte| letters & bit(byte) != 0);
    names.iter().copied().filter(move |name| match name.strip_prefix('^') {
        Some(name) => fits(name) && code.match_indices(name).any(|(at, _)| is_start(&code[..at])),
        None => fits(name) && code.contains(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_names_are_not_the_end_of_longer_ones() {
        assert!(has("x=1;rm(\"\")", "DELETES_TREES"));
        assert!(!has("self.rm(\"\")", "DELETES_TREES"));
        assert!(group("DELETES").contains(&"remove_file"));
        assert_eq!(group("DELETES_TREES").first(), Some(&"rmtree"));
    }
}
