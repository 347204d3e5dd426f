//! The result of a run as a pull request: its text, and the way to the forge.

mod body;
mod publish;
mod quiet;
mod text;
mod work;

pub(crate) use body::with_section;
pub(crate) use publish::{Publisher, Readiness};
pub(crate) use work::RunWork;
