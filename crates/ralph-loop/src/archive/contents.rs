//! The files of the ralph folder that are archived.

use anyhow::{Result, bail};
use bounded_read::FileError;
use project::Layout;
use tasks::{Inspection, inspect};

use super::{PRD, PROGRESS, TASKS, memory};
use crate::scaffold::templates;

const LARGEST: u64 = 64 * 1024 * 1024;

/// The existing files, read into memory, so that the checked contents are the archived ones.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) files: Vec<(&'static str, Vec<u8>)>,
}

impl Contents {
    pub(super) fn read(layout: &Layout) -> Result<Self> {
        let mut files = Vec::new();
        for name in [PRD, TASKS, PROGRESS] {
            let path = layout.ralph_dir().join(name);
            match bounded_read::read_file(&path, LARGEST) {
                Ok(bytes) => files.push((name, bytes)),
                Err(FileError::Absent) => {}
                Err(error) => bail!("cannot read {}: {error}", path.display()),
            }
        }
        // An unreadable one is moved with the rest of the memory.
        let compacted =
            bounded_read::read_file(&memory::compacted(layout), memory::LARGEST_COMPACTED);
        files.extend(compacted.ok().map(|bytes| (memory::FILE, bytes)));
        Ok(Self { files })
    }

    pub(super) fn inspection(&self) -> Inspection {
        self.get(TASKS).map(inspect).unwrap_or_default()
    }

    pub(super) fn progress_text(&self) -> String {
        String::from_utf8_lossy(self.get(PROGRESS).unwrap_or_default()).into_owned()
    }

    /// Whether all files are missing or unchanged since `init`.
    pub(super) fn is_untouched(&self) -> bool {
        let list = self.inspection().list;
        let tasks = self.get(TASKS).is_none()
            || list.is_some_and(|list| templates::is_untouched_template(&list));
        let prd = self.get(PRD).is_none_or(|prd| prd == templates::PRD.as_bytes());
        let progress =
            self.get(PROGRESS).is_none() || templates::is_untouched_progress(&self.progress_text());
        tasks && prd && progress
    }

    fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.iter().find(|(file, _)| *file == name).map(|(_, bytes)| bytes.as_slice())
    }
}
