//! Running processes, from the kernel.

use std::path::Path;

use super::until;

/// Processes in `folder` or of the run `run_id`, as text.
pub(crate) fn in_folder(folder: &Path, run_id: Option<&str>) -> Vec<String> {
    let mark = run_id.map(|run_id| format!("RALPH_RUN_ID={run_id}"));
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
        .filter(|entry| {
            let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            let is_marked =
                mark.as_ref().is_some_and(|mark| variables.any(|v| v == mark.as_bytes()));
            cwd.starts_with(folder) || is_marked
        })
        .map(|entry| {
            let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            format!("{} {command}", entry.file_name().to_string_lossy())
        })
        .collect()
}

#[track_caller]
pub(crate) fn await_none_in(folder: &Path, run_id: Option<&str>) {
    let mut left = Vec::new();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while std::time::Instant::now() < deadline {
        left = in_folder(folder, run_id);
        if left.is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("still running: {left:#?}");
}

pub(crate) fn is_running(pid: u32) -> bool {
    // A zombie does not run.
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}

#[track_caller]
pub(crate) fn read_pid(path: &Path) -> u32 {
    until(&format!("{} holds a pid", path.display()), || {
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    })
}
