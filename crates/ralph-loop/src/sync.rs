//! `ralph-loop sync`: feedback from a pull request becomes feedback of stories, and threads get an answer once their
//! story is accepted again.

mod answers;
mod attribution;
mod branch_tasks;
mod feedback;
mod hand_over;
mod history;
mod people;
mod points;
mod report;
mod state;
mod synchronize;

pub(crate) use synchronize::{SyncMode, SyncOptions, sync};
