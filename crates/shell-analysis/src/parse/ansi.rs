//! `$'…'`, and the escapes that `echo -e` and `printf` share with it.

/// The set of escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum EscapeSet {
    /// `$'…'` and the format of `printf`: `\NNN`.
    Quote,
    /// `echo -e` and `printf %b`: `\0NNN`, and `\c` ends all output.
    Echo,
}

/// The decoded text; invalid UTF-8 becomes U+FFFD.
pub(crate) struct Unescaped {
    pub(crate) text: String,
    /// The text ended at a `\c`.
    pub(crate) cut: bool,
}

pub(crate) fn unescape(text: &str, escapes: EscapeSet) -> Unescaped {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut cut = false;
    while let Some(c) = rest.next() {
        if c != '\\' {
            push(&mut bytes, c);
            continue;
        }
        let Some(escape) = rest.next() else {
            bytes.push(b'\\');
            break;
        };
        match escape {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            '\\' => bytes.push(b'\\'),
            '\'' | '"' | '?' if escapes == EscapeSet::Quote => push(&mut bytes, escape),
            'x' => match number(&mut rest, 16, 2) {
                Some(value) => bytes.push(low_byte(value)),
                None => bytes.extend(b"\\x"),
            },
            'u' | 'U' => {
                let digits = if escape == 'u' { 4 } else { 8 };
                let value = number(&mut rest, 16, digits).and_then(char::from_u32);
                push(&mut bytes, value.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            'c' if escapes == EscapeSet::Echo => {
                cut = true;
                break;
            }
            'c' => {
                let control = rest.next().unwrap_or_default();
                bytes.push(low_byte(u32::from(control) & 0x1f));
            }
            '0' if escapes == EscapeSet::Echo => {
                bytes.push(low_byte(number(&mut rest, 8, 3).unwrap_or(0)));
            }
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or(0);
                let mut value = first;
                for _ in 0..2 {
                    let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    rest.next();
                }
                bytes.push(low_byte(value));
            }
            other => {
                bytes.push(b'\\');
                push(&mut bytes, other);
            }
        }
    }
    Unescaped { text: String::from_utf8_lossy(&bytes).into_owned(), cut }
}

fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn low_byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or_default()
}

fn number(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) -> Option<u32> {
    let mut value = None;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = Some(value.unwrap_or(0_u32).wrapping_mul(radix).wrapping_add(digit));
        rest.next();
    }
    value
}
