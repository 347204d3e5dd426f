//! A POST of the notice, sent by the `curl` that nearly every machine has.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use engine::quick::Question;
use supervise::Exit;

use crate::Notice;
use crate::channel::{Sending, Unsent};

/// All that a list of processes shows. Nobody's `.curlrc` is read; everything else comes on standard
/// input, because the address is a secret.
pub const CURL_ARGS: [&str; 3] = ["-q", "--config", "-"];

/// For curl to tell itself that its time is up.
const MORE_TIME: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Webhook {
    url: String,
    /// None if it is not installed.
    curl: Option<PathBuf>,
}

impl Webhook {
    /// Of an address that was checked: http or https, no control characters.
    pub fn new(url: impl Into<String>, curl: Option<PathBuf>) -> Self {
        Self { url: url.into(), curl }
    }

    pub(crate) fn post(&self, notice: &Notice, sending: &Sending) -> Result<(), Unsent> {
        let curl = self.curl.as_deref().ok_or(Unsent::NoCurl)?;
        let answer = sending.ask(Question {
            program: curl,
            args: CURL_ARGS.map(Into::into).to_vec(),
            environment: Vec::new(),
            input: self.config(notice, sending.limit).into_bytes(),
            limit: sending.limit + MORE_TIME,
        })?;
        match answer.exit {
            Some(Exit::Code(0)) => heard(&answer.stdout),
            Some(Exit::Code(28)) => Err(Unsent::TookTooLong(sending.limit)),
            Some(Exit::Code(code)) => Err(in_words(code)),
            Some(Exit::Signal(_)) | None => Err(Unsent::Signal),
        }
    }

    /// Its answer is of no interest but for the status, and no redirect is followed: the notice is for
    /// the server that the user named.
    fn config(&self, notice: &Notice, limit: Duration) -> String {
        let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let limit = limit.as_secs_f64().to_string();
        let options = [
            ("url", self.url.as_str()),
            ("proto", "=http,https"),
            ("max-time", &limit),
            ("header", "Content-Type: application/json"),
            ("user-agent", concat!("ralph-loop/", env!("CARGO_PKG_VERSION"))),
            ("data-raw", &notice.to_json()),
            ("output", nowhere),
            ("write-out", "%{http_code}"),
        ];
        let lines = options.map(|(name, value)| format!("{name} = {}\n", quoted(value)));
        // Brackets in an address are themselves.
        format!("silent\ngloboff\n{}", lines.concat())
    }
}

/// As curl reads it.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', r"\\").replace('"', "\\\""))
}

fn heard(status: &str) -> Result<(), Unsent> {
    match status.trim().parse() {
        Ok(200..=299) => Ok(()),
        Ok(status) => Err(Unsent::Status(status)),
        Err(_) => Err(Unsent::Curl("the server gave no answer")),
    }
}

fn in_words(code: i32) -> Unsent {
    match code {
        5 => Unsent::Curl("the proxy's name cannot be resolved"),
        6 => Unsent::Curl("the server's name cannot be resolved"),
        7 => Unsent::Curl("the server cannot be reached"),
        35 | 51 | 58 | 60 | 77 => Unsent::Curl("no secure connection to the server can be made"),
        52 | 56 => Unsent::Curl("the server gave no answer"),
        code => Unsent::CurlCode(code),
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("curl", &self.curl).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn a_hostile_title_stays_within_its_quotes() {
        let text = "x\"\\\nurl = \"http://evil";
        let notice = Notice { text: text.into(), ..Notice::sample(Kind::Stuck) };
        let config = Webhook::new("https://h/", None).config(&notice, Duration::from_secs(10));
        assert_eq!(config.lines().filter(|line| line.starts_with("url")).count(), 1, "{config}");
        assert_eq!(config.lines().count(), 10, "{config}");
        assert!(config.contains("max-time = \"10\"\n"), "{config}");
    }

    #[test]
    fn only_a_status_that_means_success_is_one() {
        assert!(heard("200").is_ok() && heard("204").is_ok());
        for status in ["302", "404", "500"] {
            let said = heard(status).unwrap_err().to_string();
            assert!(said.ends_with(&format!("status {status}")), "{said}");
        }
        assert!(heard("000").is_err() && heard("").is_err());
    }
}
