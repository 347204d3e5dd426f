//! Programs that decode bytes.

/// Their output; invalid UTF-8 becomes U+FFFD.
pub(super) fn decoded(program: &str, arguments: &[String], input: &str) -> Option<String> {
    let has = |names: &[&str]| arguments.iter().any(|flag| names.contains(&flag.as_str()));
    let bytes = match program {
        "base64" | "gbase64" if arguments.iter().any(|flag| decodes(flag)) => {
            base(input, BASE64, 6)?
        }
        "base64" | "gbase64" => return Some(encode(input)),
        "base32" if arguments.iter().any(|flag| decodes(flag)) => base(input, BASE32, 5)?,
        "openssl"
            if has(&["base64", "enc"]) && has(&["-d"]) && has(&["base64", "-base64", "-a"]) =>
        {
            base(input, BASE64, 6)?
        }
        "xxd" if reverses(arguments) => hex(input)?,
        _ => return None,
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn decodes(flag: &str) -> bool {
    match flag.strip_prefix("--") {
        Some(long) => !long.is_empty() && "decode".starts_with(long),
        None => flag.starts_with('-') && flag.contains(['d', 'D']),
    }
}

/// `xxd -r -p`, in any order or combined.
fn reverses(arguments: &[String]) -> bool {
    let has = |letter: char, long: &str| {
        arguments.iter().any(|flag| {
            flag.starts_with('-') && (flag.trim_start_matches('-') == long || flag.contains(letter))
        })
    };
    has('r', "revert") && has('p', "plain")
}

fn base(input: &str, alphabet: &str, bits: u32) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(input.len());
    let mut held = 0_u32;
    let mut count = 0;
    for c in input.chars().filter(|c| !c.is_whitespace()) {
        if c == '=' {
            continue;
        }
        // `-i` skips other characters; without it the output before them is printed.
        let Some(value) = alphabet.find(c) else { continue };
        held = (held << bits) | u32::try_from(value).ok()?;
        count += bits;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((held >> count) & 0xff).ok()?);
            held &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

fn encode(input: &str) -> String {
    let alphabet = BASE64.as_bytes();
    let mut out = String::new();
    for chunk in input.as_bytes().chunks(3) {
        let mut held = 0_u32;
        for at in 0..3 {
            held = (held << 8) | u32::from(chunk.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let value = (held >> (18 - 6 * at)) & 0x3f;
            let used = at <= chunk.len();
            let c = usize::try_from(value).ok().and_then(|value| alphabet.get(value));
            out.push(if used { c.copied().unwrap_or(b'=').into() } else { '=' });
        }
    }
    out.push('\n');
    out
}

fn hex(input: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = input.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}
