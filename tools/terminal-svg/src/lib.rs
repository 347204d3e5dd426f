//! Draws the terminal output of a program as an SVG. A tool for the documentation; no shipped
//! program uses it.

pub mod excerpt;
mod palette;
pub mod rows;
pub mod size;
pub mod svg;
#[cfg(unix)]
pub mod terminal;
