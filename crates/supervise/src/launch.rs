//! A child to be started.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Keeper, Limits};

#[derive(Debug, Clone)]
pub struct Launch {
    /// Stands between runner and child. Not used on Windows.
    pub keeper: Keeper,
    /// A path, relative to `folder` if it is not absolute, or a name to be found in `PATH`.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Set (`Some`) or removed (`None`), on top of the inherited environment.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub folder: PathBuf,
    /// Its standard input, which it may read or not.
    pub input: Vec<u8>,
    pub limits: Limits,
    pub polite: PoliteSignal,
}

/// What lets a child clean up and say goodbye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoliteSignal {
    Interrupt,
    Terminate,
}
