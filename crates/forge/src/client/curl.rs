//! Requests by the installed `curl`.

use std::io::Write;
use std::path::PathBuf;

use background_sender::{CURL_ARGS, CURL_MARGIN, SendContext, SendError, curl_error, curl_quoted};
use supervise::{
    ChildEvent, EndReason, Exit, ProgramCall, ProgramError, Reaction, Source, SuperviseError,
};
use tempfile::NamedTempFile;

use super::answer::Answer;
use super::request::{Method, Request, Transport};
use crate::ForgeError;

/// Bytes of one answer. A page of 100 issues has at most 100 bodies of 64 KB.
const MOST: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub struct Curl {
    /// None if it is not installed.
    pub program: Option<PathBuf>,
    pub sending: SendContext,
}

impl Transport for Curl {
    fn send(&self, request: &Request) -> Result<Answer, ForgeError> {
        let program = self.program.as_deref().ok_or(ForgeError::NoCurl)?;
        let body = request.body.as_deref().map(body_file).transpose();
        let body = body.map_err(ForgeError::NoTemporaryFile)?;
        let call = ProgramCall {
            program,
            args: CURL_ARGS.map(Into::into).to_vec(),
            environment: Vec::new(),
            input: self.config(request, body.as_ref()).into_bytes(),
            limit: self.sending.limit + CURL_MARGIN,
        };
        let output = self.run(call, request)?;
        let not_understood = || ForgeError::NotUnderstood {
            call: request.call(),
            why: "it is not an HTTP answer".into(),
        };
        Answer::parse(&output).ok_or_else(not_understood)
    }
}

/// Curl's configuration has a limit on the length of a line, so the body is in a file, which only this user can read.
fn body_file(json: &str) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(json.as_bytes())?;
    Ok(file)
}

impl Curl {
    fn config(&self, request: &Request, body: Option<&NamedTempFile>) -> String {
        let method: &str = request.method.into();
        let limit = self.sending.limit.as_secs_f64().to_string();
        let mut options = vec![
            ("url", request.url.clone()),
            ("proto", "=http,https".to_owned()),
            ("max-time", limit),
            ("user-agent", concat!("ralph-loop/", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        if request.method != Method::Get {
            options.push(("request", method.to_owned()));
        }
        if let Some(file) = body {
            options.push(("header", "Content-Type: application/json".to_owned()));
            options.push(("data-binary", format!("@{}", file.path().display())));
        }
        let headers = request.headers.iter();
        options.extend(headers.map(|(name, value)| ("header", format!("{name}: {value}"))));
        let lines =
            options.iter().map(|(name, value)| format!("{name} = {}\n", curl_quoted(value)));
        // `globoff` and `path-as-is`: the address is literal.
        format!(
            "silent\ngloboff\npath-as-is\ninclude\nsuppress-connect-headers\n{}",
            lines.collect::<String>()
        )
    }

    /// What it printed. Not a [`SendContext::run`], which keeps less than an answer can have.
    fn run(&self, call: ProgramCall<'_>, request: &Request) -> Result<Vec<u8>, ForgeError> {
        let SendContext { keeper, folder, limit, stop } = &self.sending;
        let mut launch = call.launch(keeper, folder);
        launch.limits.longest_line = MOST;
        let mut output = Vec::new();
        let mut is_too_large = false;
        let ended = supervise::run(launch, stop, &mut |event| {
            let ChildEvent::Line(line) = event else { return Reaction::Nothing };
            if line.source == Source::Stdout {
                output.extend_from_slice(line.bytes);
                output.push(b'\n');
                is_too_large |= line.cut > 0 || output.len() > MOST;
            }
            if is_too_large { Reaction::Enough } else { Reaction::Nothing }
        });
        if is_too_large {
            return Err(ForgeError::TooLarge { call: request.call(), most: MOST });
        }
        let failed = |error| Err(ForgeError::Unreachable(error));
        let ended = match ended {
            Ok(ended) => ended,
            Err(SuperviseError::NotStarted { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                return Err(ForgeError::NoCurl);
            }
            Err(error) => return failed(SendError::NotStarted(ProgramError::NotRun(error))),
        };
        match (ended.how, ended.exit) {
            (EndReason::Stopped, _) => Err(ForgeError::Stopped),
            (EndReason::ByItself, Some(Exit::Code(0))) => Ok(output),
            (EndReason::ByItself, Some(Exit::Code(28))) => failed(SendError::TookTooLong(*limit)),
            (EndReason::ByItself, Some(Exit::Code(code))) => failed(curl_error(code)),
            (EndReason::ByItself, _) => failed(SendError::Signal),
            _ => failed(SendError::TookTooLong(*limit)),
        }
    }
}
