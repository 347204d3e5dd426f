//! Records the raw output of the agent.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::own_file;

/// A longer recording is of no use, and must not fill the disk.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Lines arrive in bursts of a pipe's size: fewer writes are cheaper.
const BUFFER: usize = 256 * 1024;

#[derive(Default)]
pub(crate) struct Recording {
    /// Created with the first line, because there may be none.
    later: Option<PathBuf>,
    file: Option<BufWriter<File>>,
    written: u64,
    trouble: Option<String>,
}

impl Recording {
    pub(crate) fn create(path: &Path) -> Self {
        match own_file::create(path) {
            Ok(file) => {
                Self { file: Some(BufWriter::with_capacity(BUFFER, file)), ..Self::default() }
            }
            Err(error) => Self { trouble: Some(error.to_string()), ..Self::default() },
        }
    }

    pub(crate) fn on_demand(path: PathBuf) -> Self {
        Self { later: Some(path), ..Self::default() }
    }

    pub(crate) fn line(&mut self, bytes: &[u8]) {
        if let Some(path) = self.later.take() {
            *self = Self::create(&path);
        }
        let Some(file) = &mut self.file else { return };
        self.written += bytes.len() as u64 + 1;
        let written = if self.written > LARGEST {
            Err(io::Error::other(format!("it exceeds {LARGEST} bytes")))
        } else {
            file.write_all(bytes).and_then(|()| file.write_all(b"\n"))
        };
        if let Err(error) = written {
            self.trouble = Some(error.to_string());
            self.file = None;
        }
    }

    pub(crate) fn finish(mut self) -> Option<String> {
        let flushed = self.file.as_mut().map_or(Ok(()), Write::flush);
        self.trouble.or(flushed.err().map(|error| error.to_string()))
    }
}
