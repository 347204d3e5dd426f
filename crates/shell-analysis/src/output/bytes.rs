//! Programs that decode bytes.

const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &str = "0123456789abcdef";

/// Their output; invalid UTF-8 becomes U+FFFD.
pub(super) fn of_decoder(program: &str, arguments: &[&str], input: &str) -> Option<String> {
    let has = |letters: &[char]| {
        arguments.iter().any(|flag| flag.starts_with('-') && flag.contains(letters))
    };
    match program {
        "base64" | "gbase64" if has(&['d', 'D']) => Some(decoded(input, BASE64)),
        "openssl" if has(&['d']) && (has(&['a']) || arguments.contains(&"base64")) => {
            Some(decoded(input, BASE64))
        }
        "xxd" if has(&['r']) && has(&['p']) => Some(decoded(&input.to_lowercase(), HEX)),
        _ => None,
    }
}

/// Other characters than those of the alphabet are skipped.
fn decoded(input: &str, alphabet: &str) -> String {
    let bits = alphabet.len().ilog2();
    let (mut held, mut count) = (0, 0);
    let mut bytes = Vec::with_capacity(input.len());
    for value in input.chars().filter_map(|c| alphabet.find(c)) {
        held = (held << bits) | value;
        count += bits;
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(held >> count));
            held &= (1 << count) - 1;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
