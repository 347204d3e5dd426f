//! `$'…'`, and the escapes that `echo -e` and `printf` share with it.

/// The set of escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeSet {
    /// `$'…'` and the format of `printf`: `\NNN`.
    Quote,
    /// As in strings of most languages: other characters stand for themselves.
    Code,
    /// `echo -e` and `printf %b`: `\0NNN`, and `\c` ends all output.
    Echo,
}

/// The letters of escapes, and what each means.
const NAMES: &str = "ntrabeEfv\\";
const BYTES: &[u8] = b"\n\t\r\x07\x08\x1b\x1b\x0c\x0b\\";

/// The decoded text; invalid UTF-8 becomes U+FFFD.
pub fn unescape(text: &str, escapes: EscapeSet) -> String {
    let is_echo = escapes == EscapeSet::Echo;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escaped)) = rest.split_once('\\') {
        bytes.extend(before.bytes());
        let Some(escape) = escaped.chars().next() else {
            rest = "\\";
            break;
        };
        rest = &escaped[escape.len_utf8()..];
        match escape {
            'x' => match number(&mut rest, 16, 2) {
                Some(value) => bytes.push(low_byte(value)),
                None => bytes.extend(b"\\x"),
            },
            'u' | 'U' => {
                let value = number(&mut rest, 16, if escape == 'u' { 4 } else { 8 });
                let c = value.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend(c.to_string().bytes());
            }
            'c' if is_echo => {
                rest = "";
                break;
            }
            '0'..='7' => {
                rest = escaped;
                let digits = if escape == '0' && is_echo { 4 } else { 3 };
                bytes.push(low_byte(number(&mut rest, 8, digits).unwrap_or(0)));
            }
            '\'' | '"' | '?' if !is_echo => bytes.extend(escape.to_string().bytes()),
            _ => match NAMES.find(escape) {
                Some(at) => bytes.push(BYTES[at]),
                None if escapes == EscapeSet::Code => bytes.extend(escape.to_string().bytes()),
                None => bytes.extend(format!("\\{escape}").bytes()),
            },
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

/// Takes at most `most` digits.
fn number(rest: &mut &str, radix: u32, most: usize) -> Option<u32> {
    let length = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let (digits, after) = rest.split_at(length);
    *rest = after;
    u32::from_str_radix(digits, radix).ok()
}
