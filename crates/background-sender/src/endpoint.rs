//! Posts JSON with the installed `curl`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use supervise::{Exit, ProgramCall};

use crate::{SendContext, SendError};

/// Without `.curlrc`. The rest of the configuration is passed on standard input, because process lists
/// show arguments, and address and headers are secrets.
pub const CURL_ARGS: [&str; 3] = ["-q", "--config", "-"];

/// Lets curl report its own timeout.
pub const CURL_MARGIN: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Endpoint {
    url: String,
    headers: Vec<(String, String)>,
    /// None if it is not installed.
    curl: Option<PathBuf>,
}

impl Endpoint {
    /// `url` must be validated: http or https, no control characters.
    pub fn new(url: impl Into<String>, curl: Option<PathBuf>) -> Self {
        Self { url: url.into(), headers: Vec::new(), curl }
    }

    /// `headers` must be validated: names are tokens, values have no control characters.
    pub fn with_headers(self, headers: Vec<(String, String)>) -> Self {
        Self { headers, ..self }
    }

    /// Blocks until the server has answered.
    pub fn post(&self, json: &str, sending: &SendContext) -> Result<(), SendError> {
        let curl = self.curl.as_deref().ok_or(SendError::NoCurl)?;
        let output = sending.run(ProgramCall {
            program: curl,
            args: CURL_ARGS.map(Into::into).to_vec(),
            environment: Vec::new(),
            input: self.config(json, sending.limit).into_bytes(),
            limit: sending.limit + CURL_MARGIN,
        })?;
        match output.exit {
            Some(Exit::Code(0)) => check_status(&output.stdout),
            Some(Exit::Code(28)) => Err(SendError::TookTooLong(sending.limit)),
            Some(Exit::Code(code)) => Err(curl_error(code)),
            Some(Exit::Signal(_)) | None => Err(SendError::Signal),
        }
    }

    /// Only the status of the response is read. Redirects are not followed: the JSON is for the server
    /// that the user configured.
    fn config(&self, json: &str, limit: Duration) -> String {
        let null_device = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let limit = limit.as_secs_f64().to_string();
        let options = [
            ("url", self.url.as_str()),
            ("proto", "=http,https"),
            ("max-time", &limit),
            ("header", "Content-Type: application/json"),
            ("user-agent", concat!("ralph-loop/", env!("CARGO_PKG_VERSION"))),
            ("data-raw", json),
            ("output", null_device),
            ("write-out", "%{http_code}"),
        ];
        let lines = options.map(|(name, value)| format!("{name} = {}\n", curl_quoted(value)));
        let header = |(name, value): &(String, String)| {
            format!("header = {}\n", curl_quoted(&format!("{name}: {value}")))
        };
        let headers: String = self.headers.iter().map(header).collect();
        // `globoff`: brackets in an address are literal.
        format!("silent\ngloboff\n{}{headers}", lines.concat())
    }
}

/// Quoted for curl's configuration format. `value` must not have line breaks: they would end the option.
pub fn curl_quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', r"\\").replace('"', "\\\""))
}

fn check_status(status: &str) -> Result<(), SendError> {
    match status.trim().parse() {
        Ok(200..=299) => Ok(()),
        Ok(status) => Err(SendError::Status(status)),
        Err(_) => Err(SendError::Curl("no response from the server")),
    }
}

/// What an exit code of curl means, other than success.
pub fn curl_error(code: i32) -> SendError {
    match code {
        5 => SendError::Curl("cannot resolve the proxy's name"),
        6 => SendError::Curl("cannot resolve the server's name"),
        7 => SendError::Curl("cannot connect to the server"),
        35 | 51 | 58 | 60 | 77 => SendError::Curl("TLS connection to the server failed"),
        52 | 56 => SendError::Curl("no response from the server"),
        code => SendError::CurlCode(code),
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("curl", &self.curl).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_within_its_quotes() {
        let json = r#"{"text":"x\"\\\nurl = \"http://evil"}"#;
        let headers = vec![("Authorization".to_owned(), r#"a "b" \c"#.to_owned())];
        let endpoint = Endpoint::new("https://h/", None).with_headers(headers);
        let config = endpoint.config(json, Duration::from_secs(10));
        assert_eq!(config.lines().filter(|line| line.starts_with("url")).count(), 1, "{config}");
        assert_eq!(config.lines().count(), 11, "{config}");
        assert!(config.contains("max-time = \"10\"\n"), "{config}");
        assert!(config.ends_with("header = \"Authorization: a \\\"b\\\" \\\\c\"\n"), "{config}");
        assert!(!format!("{endpoint:?}").contains("Authorization"));
    }

    #[test]
    fn only_2xx_is_success() {
        assert!(check_status("200").is_ok() && check_status("204").is_ok());
        for status in ["302", "404", "500"] {
            let error = check_status(status).unwrap_err().to_string();
            assert!(error.ends_with(&format!("status {status}")), "{error}");
        }
        assert!(check_status("000").is_err() && check_status("").is_err());
    }
}
