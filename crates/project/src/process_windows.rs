//! Windows: a process is alive if it can be opened and has not exited.

use std::fs::Metadata;
use std::time::SystemTime;

use windows_sys::Win32::Foundation::{CloseHandle, STILL_ACTIVE};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
};

#[expect(unsafe_code, reason = "the system's own interface; handles are checked and closed here")]
pub(super) fn exists(pid: u32) -> bool {
    // SAFETY: no pointers go in; the handle is null or ours to close.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid) };
    if handle.is_null() {
        return false;
    }
    let mut code = 0;
    // SAFETY: the handle is open and `code` outlives the call.
    let answered = unsafe { GetExitCodeProcess(handle, &raw mut code) };
    // SAFETY: the handle is open and not used afterwards.
    unsafe { CloseHandle(handle) };
    answered != 0 && i32::try_from(code) == Ok(STILL_ACTIVE)
}

pub(super) fn last_changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// Not available on Windows.
pub(super) fn started(_pid: u32) -> Option<SystemTime> {
    None
}
