//! Orders of the user to a running loop, from another process: a queue in `.ralph/orders/`, one file
//! per order, written atomically.
//!
//! An agent can write there too, so everything is validated. Not here: the effect of an order.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tasks::StoryId;

use crate::Layout;
use crate::atomic::{remove_any, replace_whole};
use crate::layout::TEMPORARY_PREFIX;

/// Characters of an instruction or answer for the next prompt.
pub const LONGEST_STEER: usize = 4_000;

/// Instructions that may wait for a prompt at once.
pub const MOST_STEERS: usize = 8;

const VERSION: u64 = 1;

/// Enough for the longest instruction with every character escaped.
const LARGEST: u64 = 64 * 1024;

/// Orders read at once, and folder entries examined for them.
const MOST_ORDERS: usize = 32;
const MOST_ENTRIES: usize = 1_000;

/// An older temporary file is abandoned.
const WRITTEN_WITHIN: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Order {
    /// Start nothing new after this iteration.
    Pause,
    GoOn,
    /// Skip a story: this one, or the running or next one.
    Skip {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        story: Option<StoryId>,
    },
    /// End the run; it can be resumed.
    Stop,
    /// Add an instruction to the next implementing session: of this story, or of every story in work.
    Steer {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        story: Option<StoryId>,
    },
    /// Answer a question about the story: the one with this number, or the last one.
    Answer {
        story: StoryId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<u64>,
        text: String,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    #[error("the text is empty")]
    Empty,
    #[error("the text has {chars} characters, more than the limit of {LONGEST_STEER}")]
    TooLong { chars: usize },
    #[error("cannot write into {path}: {error}")]
    Unwritable { path: String, error: io::Error },
}

impl Order {
    /// Without control characters, which could end the prompt.
    pub fn steer(text: &str) -> Result<Self, OrderError> {
        Ok(Self::Steer { text: prompt_text(text)?, story: None })
    }

    /// Without control characters, likewise.
    pub fn answer(story: StoryId, question: Option<u64>, text: &str) -> Result<Self, OrderError> {
        Ok(Self::Answer { story, question, text: prompt_text(text)? })
    }

    /// An instruction for the sessions of one story.
    #[must_use]
    pub fn for_story(self, story: Option<StoryId>) -> Self {
        match self {
            Self::Steer { text, .. } => Self::Steer { text, story },
            other => other,
        }
    }

    fn checked(self) -> Result<Self, OrderError> {
        match self {
            Self::Steer { text, story } => Ok(Self::steer(&text)?.for_story(story)),
            Self::Answer { story, question, text } => Self::answer(story, question, &text),
            other => Ok(other),
        }
    }
}

fn prompt_text(text: &str) -> Result<String, OrderError> {
    let is_text = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let text: String = text.replace("\r\n", "\n").chars().filter(is_text).collect();
    let text = text.trim();
    match text.chars().count() {
        0 => Err(OrderError::Empty),
        chars if chars > LONGEST_STEER => Err(OrderError::TooLong { chars }),
        _ => Ok(text.to_owned()),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrderRecord {
    version: u64,
    /// The run that the order is for.
    run: String,
    /// Milliseconds since 1970.
    at: u64,
    order: Order,
}

/// Adds an order for `run` to the queue, and returns its file.
pub fn give(layout: &Layout, run: &str, order: &Order) -> Result<PathBuf, OrderError> {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let order = order.clone().checked()?;
    let failed = |error| OrderError::Unwritable { path: layout.name_of(&layout.orders()), error };
    make_folder(layout).map_err(failed)?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = GIVEN.fetch_add(1, Ordering::Relaxed);
    let name = format!("{:020}-{:010}-{count:010}.json", since.as_nanos(), std::process::id());
    let path = layout.orders().join(name);
    write(&path, run, since, order).map_err(failed)?;
    Ok(path)
}

fn write(path: &Path, run: &str, since: Duration, order: Order) -> io::Result<()> {
    let at = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    let record = OrderRecord { version: VERSION, run: run.to_owned(), at, order };
    replace_whole(path, &serde_json::to_vec_pretty(&record)?)
}

/// A link could lead to files outside the project.
fn make_folder(layout: &Layout) -> io::Result<()> {
    let folder = layout.orders();
    if folder.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
        std::fs::remove_file(&folder)?;
    }
    std::fs::create_dir_all(&folder)
}

#[derive(Debug)]
pub struct OrderQueue {
    orders: PathBuf,
    /// The resolved path: files are removed only there.
    folder: PathBuf,
}

/// Orders of one read, oldest first.
#[derive(Debug, Default)]
pub struct ReadOrders {
    pub order_files: Vec<QueuedOrder>,
    /// Invalid files that were removed, each with the reason.
    pub invalid: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedOrder {
    path: PathBuf,
    pub run: String,
    pub at: SystemTime,
    /// By the clock of the file system, which may be some milliseconds late. Unlike `at`, a process cannot choose it
    /// (except on Windows).
    pub written_at: SystemTime,
    pub order: Order,
}

impl QueuedOrder {
    /// The text of an answer to the last question of the story, which was asked then.
    pub fn answer_to(&self, of: &StoryId, number: u64, asked_at: SystemTime) -> Option<&str> {
        match &self.order {
            Order::Answer { story, question, text }
                if story == of && question.is_none_or(|question| question == number) =>
            {
                Some(text.as_str()).filter(|_| self.written_at >= asked_at)
            }
            _ => None,
        }
    }

    /// After it was executed, or saved elsewhere. A missing file is no error.
    pub fn remove(&self) -> io::Result<()> {
        remove_any(&self.path)
    }

    /// Replaces it with a more precise order.
    pub fn replace(&mut self, order: Order) -> io::Result<()> {
        self.order = order;
        let since = self.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        write(&self.path, &self.run, since, self.order.clone())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl OrderQueue {
    pub fn open(layout: &Layout) -> io::Result<Self> {
        make_folder(layout)?;
        let orders = layout.orders();
        Ok(Self { folder: orders.canonicalize()?, orders })
    }

    /// Reads the orders except the `known` files, and removes invalid files.
    pub fn read(&self, known: &[&Path]) -> ReadOrders {
        let mut orders_read = ReadOrders::default();
        for path in self.entries(known) {
            match read_file(&path) {
                Ok(order_file) => orders_read.order_files.push(order_file),
                Err(why) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    // So that it is not read again and again.
                    let left = remove_any(&path).err();
                    let left = left.map(|error| format!(" (not removed: {error})"));
                    orders_read.invalid.push(format!("{name}: {why}{}", left.unwrap_or_default()));
                }
            }
        }
        orders_read
    }

    fn entries(&self, known: &[&Path]) -> Vec<PathBuf> {
        let is_here = self.orders.canonicalize().is_ok_and(|folder| folder == self.folder);
        let entries = std::fs::read_dir(&self.folder).ok().filter(|_| is_here);
        let entries = entries.into_iter().flatten().flatten().take(MOST_ENTRIES);
        let is_new = |path: &PathBuf| !known.contains(&path.as_path()) && !is_being_written(path);
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_new).collect();
        paths.sort_unstable();
        paths.truncate(MOST_ORDERS);
        paths
    }
}

/// Orders in the queue, oldest first, without invalid files. Nothing is removed.
pub fn waiting(layout: &Layout) -> Vec<QueuedOrder> {
    let orders = layout.orders();
    let Ok(folder) = orders.canonicalize() else { return Vec::new() };
    let paths = OrderQueue { orders, folder }.entries(&[]);
    paths.iter().filter_map(|path| read_file(path).ok()).collect()
}

fn is_being_written(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let age = || path.symlink_metadata().ok()?.modified().ok()?.elapsed().ok();
    name.starts_with(TEMPORARY_PREFIX) && age().is_none_or(|age| age < WRITTEN_WITHIN)
}

fn read_file(path: &Path) -> Result<QueuedOrder, String> {
    let metadata = path.symlink_metadata().ok().filter(|metadata| metadata.is_file());
    let Some(metadata) = metadata.filter(|_| path.extension().is_some_and(|it| it == "json"))
    else {
        return Err("not an order file".into());
    };
    let bytes = bounded_read::read_file(path, LARGEST).map_err(|error| error.to_string())?;
    let written: OrderRecord = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if written.version > VERSION {
        return Err(format!("written by a newer version (format {})", written.version));
    }
    let order = written.order.checked().map_err(|error| error.to_string())?;
    let at = UNIX_EPOCH.checked_add(Duration::from_millis(written.at)).unwrap_or(UNIX_EPOCH);
    let written_at = written_at(&metadata);
    Ok(QueuedOrder { path: path.to_path_buf(), run: written.run, at, written_at, order })
}

/// When the file was last changed or renamed.
fn written_at(metadata: &std::fs::Metadata) -> SystemTime {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
        let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
        UNIX_EPOCH.checked_add(Duration::new(seconds, nanos)).unwrap_or(UNIX_EPOCH)
    }
    #[cfg(not(unix))]
    metadata.modified().unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
