//! `ralph-loop containerfile`.

use std::process::ExitCode;

use super::{Done, print};

const CONTAINERFILE: &str = include_str!("../../../../deploy/Containerfile");

pub(crate) fn containerfile() -> Done {
    print(CONTAINERFILE);
    Ok(ExitCode::SUCCESS)
}
