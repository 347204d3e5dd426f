//! `ralph-loop containerfile`.

use std::process::ExitCode;

use super::{CommandResult, print};

const CONTAINERFILE: &str = include_str!("../../../../deploy/Containerfile");

pub(crate) fn containerfile() -> CommandResult {
    print(CONTAINERFILE);
    Ok(ExitCode::SUCCESS)
}
