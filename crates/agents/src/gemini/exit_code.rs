//! Endings that only the exit code shows.

use crate::Ending;

const NO_LOGIN: i32 = 41;
const UNTRUSTED_FOLDER: i32 = 55;

/// The ending of a session without a result line, which never started.
pub(super) fn refusal(code: i32) -> Option<Ending> {
    match code {
        NO_LOGIN => Some(Ending::ApiError {
            status: Some(401),
            message: "gemini is not signed in: run `gemini` once to sign in, or set GEMINI_API_KEY"
                .to_owned(),
        }),
        UNTRUSTED_FOLDER => Some(Ending::Other {
            reason: "untrusted folder".to_owned(),
            message: "gemini does not trust this folder: run `gemini` in it once".to_owned(),
        }),
        _ => None,
    }
}

/// A more specific ending than that of the result line.
pub(super) fn refine(ending: &Ending, code: i32) -> Option<Ending> {
    let (status, message) = match ending {
        Ending::ApiError { status: None, message } => (http_status(code)?, message),
        Ending::Other { message, .. } if code == NO_LOGIN => (401, message),
        _ => return None,
    };
    Some(Ending::ApiError { status: Some(status), message: message.clone() })
}

/// The HTTP status that ended a session: an exit code only has its last eight bits.
fn http_status(code: i32) -> Option<u16> {
    let status = u16::try_from(code).ok()?.checked_add(256)?;
    (400..512).contains(&status).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bits_of_a_status() {
        assert_eq!(http_status(145), Some(401));
        assert_eq!(http_status(173), Some(429));
        assert_eq!(http_status(244), Some(500));
        for code in [-1, 0, 1, 41, 55, 130, 143, 256, i32::MAX] {
            assert_eq!(http_status(code), None, "{code}");
        }
    }
}
