//! A program on a terminal, as a picture: what it printed, which rows of it, and their drawing as an
//! SVG. A tool for the documentation; nothing that ships uses it.

pub mod excerpt;
mod palette;
pub mod rows;
pub mod size;
pub mod svg;
#[cfg(unix)]
pub mod terminal;
