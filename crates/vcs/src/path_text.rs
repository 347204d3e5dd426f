//! Paths as text. Bytes that are not UTF-8 are escaped as git does (`caf\351.txt`). The mapping is
//! reversible, so paths can be stored, compared, split at slashes and shown. git and the disk get
//! the original bytes.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The place of `path` in `folder`.
pub fn on_disk(folder: &Path, path: &str) -> PathBuf {
    folder.join(os_string(&to_bytes(path)))
}

/// The bytes for git or the disk.
pub fn to_bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('\\') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match escaped(rest) {
            Some(byte) => (byte, &rest[4..]),
            None => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Cow::Owned(bytes)
}

/// The text form of raw bytes.
pub fn from_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\\') => return Cow::Borrowed(text),
        _ => {}
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            match escaped(&chunk.valid().as_bytes()[at..]) {
                Some(_) => text.push_str("\\134"),
                None => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\{byte:03o}")));
    }
    Cow::Owned(text)
}

pub(crate) fn from_os(name: &OsStr) -> Cow<'_, str> {
    from_bytes(name.as_encoded_bytes())
}

/// Decodes an escape at the start. Slashes, dots and NUL are never escaped.
fn escaped(bytes: &[u8]) -> Option<u8> {
    let [b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', ..] = bytes else {
        return None;
    };
    let byte = (high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0');
    (!byte.is_ascii() || byte == b'\\').then_some(byte)
}

#[cfg(unix)]
pub(crate) fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

/// On this system names are text.
#[cfg(not(unix))]
pub(crate) fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invalid_utf8_is_escaped() {
        for (bytes, text) in [
            (&b"src/caf\xc3\xa9 \"1\".txt"[..], "src/café \"1\".txt"),
            (b"caf\xe9.txt", "caf\\351.txt"),
            (b"\xc3/\xa9", "\\303/\\251"),
            (b"\xef\xbf\xbd", "\u{fffd}"),
            (b"a\\b\\", "a\\b\\"),
            (b"a\\101\\0", "a\\101\\0"),
            (b"a\\351", "a\\134351"),
            (b"a\\134", "a\\134134"),
            (b"\\\xe9", "\\\\351"),
            (b"\\3\xe9", "\\3\\351"),
        ] {
            assert_eq!(from_bytes(bytes), text);
            assert_eq!(to_bytes(text), bytes, "{text}");
        }
    }

    #[test]
    fn the_mapping_is_reversible() {
        let letters = [b'\\', b'1', b'3', b'4', b'7', b'/', b'a', 0xc3, 0xa9];
        let mut names: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..5 {
            let longer = names.iter().flat_map(|name| letters.map(|c| [&name[..], &[c]].concat()));
            names = longer.collect();
        }
        let mut texts = std::collections::HashSet::new();
        for name in &names {
            let text = from_bytes(name);
            assert_eq!(*to_bytes(&text), name[..], "{text}");
            let parts = name.split(|byte| *byte == b'/').map(from_bytes);
            assert_eq!(parts.collect::<Vec<_>>().join("/"), text, "{name:?}");
            assert!(texts.insert(text), "{name:?}");
        }
    }

    #[test]
    fn escapes_never_encode_path_syntax() {
        for text in ["\\056\\056\\057x", "\\056git", "a\\000b", "\\057etc"] {
            assert_eq!(*to_bytes(text), *text.as_bytes());
        }
    }
}
