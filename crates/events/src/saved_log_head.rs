//! The end of a run's log, as its saved state names it.

use project::Layout;
use serde::Deserialize;

use crate::LogHead;

const LARGEST_STATE: u64 = 16 * 1024 * 1024;

/// The end of the log of `run` when its state was last saved; `None` if no state names that run.
pub fn saved_log_head(layout: &Layout, run: &str) -> Option<LogHead> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Saved {
        run_id: String,
        log: Option<LogHead>,
    }
    let saved = [layout.state(), layout.prompt_state()].into_iter().filter_map(|file| {
        let bytes = bounded_read::read_file(&file, LARGEST_STATE).ok()?;
        serde_json::from_slice::<Saved>(&bytes).ok()
    });
    saved.filter(|saved| saved.run_id == run).find_map(|saved| saved.log)
}
