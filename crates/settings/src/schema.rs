//! The JSON Schema of a settings file, for editors.
//!
//! It is generated from the types and stored in the repository; a test compares the two. To write it again:
//! `RALPH_WRITE_SCHEMA=1 cargo test -p settings schema`.

pub const SCHEMA: &str = include_str!("../../../schemas/settings.schema.json");

#[cfg(test)]
mod generate;
#[cfg(test)]
mod tests;
