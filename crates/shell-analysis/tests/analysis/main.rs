//! Analyses of small texts, construct by construct.

mod bounds;
mod dispatch;
mod expansion;
mod honest;
mod known_output;
mod properties;
mod put_and_read;
mod state;
mod structure;
mod support;
mod wrappers;
