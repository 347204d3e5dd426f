//! Calls a program of a batch engine.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use supervise::{ProgramCall, ProgramOutput, ProgramRunner};

use crate::job::{EngineError, Printed};

/// Of one call; a busy engine answers late.
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn call(
    program: &str,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    runner: &ProgramRunner<'_>,
) -> Result<ProgramOutput, EngineError> {
    let call = ProgramCall::new(Path::new(program), args, TIMEOUT);
    let program = program.to_owned();
    match runner.run(ProgramCall { input, environment, ..call }) {
        Ok(output) if output.succeeded() => Ok(output),
        Ok(output) => {
            let has_text = [&output.stdout, &output.stderr].iter().any(|text| !text.is_empty());
            let printed = if has_text { Printed::Text } else { Printed::Nothing };
            Err(EngineError::Refused { program, message: output.error_text(), printed })
        }
        Err(error) => Err(EngineError::NotRun { program, error }),
    }
}

pub(crate) fn unreadable(program: &str, printed: &str) -> EngineError {
    let printed = printed.chars().take(200).collect();
    EngineError::Unreadable { program: program.to_owned(), printed }
}

pub(crate) fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}
