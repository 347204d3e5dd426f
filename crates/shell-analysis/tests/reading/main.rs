//! What a shell would do with small texts, construct by construct.

mod bounds;
mod expansion;
mod handover;
mod honest;
mod known_output;
mod properties;
mod put_and_read;
mod state;
mod structure;
mod support;
