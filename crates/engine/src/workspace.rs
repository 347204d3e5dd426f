//! The work tree that sessions and checks change, and what the runner knows about it: the state before the run,
//! proven objects and files, links. Detects, keeps and restores changes; decides nothing about stories.

mod allowed_changes;
mod backup;
mod baseline;
mod core;
pub(crate) mod fingerprints;
pub(crate) mod folder_links;
mod instruction_files;
mod keep_work;
mod known_repository;
mod move_away;
mod notice;
mod own_branch;
mod owner_permissions;
mod permissions;
mod project_snapshot;
mod repository;
mod restore_files;
mod session_work;
mod task_list_folder;
mod user_files;
mod write_notice;

pub(crate) use baseline::Baseline;
pub(crate) use core::Workspace;
pub(crate) use folder_links::FolderLinks;
pub(crate) use notice::{Actor, ReviewNotice};
pub(crate) use project_snapshot::ProjectSnapshot;
pub(crate) use session_work::SessionWork;
pub(crate) use user_files::{LARGEST_PROTECTED, protected_contents};

#[cfg(test)]
mod tests;
