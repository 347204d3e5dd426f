//! Reads JSON that a person or an agent wrote, and reports every problem with its place.
//!
//! [`Json`] keeps duplicate keys, [`ObjectReader`] reads the keys of one object, and a [`Leaf`]
//! reads one value. Depth is limited by serde_json, and each value is visited once. Not here: the
//! wording of problems and the size of a file, which the caller limits.

mod field_path;
mod json;
mod leaf;
mod object_reader;

pub use field_path::FieldPath;
pub use json::{Entry, Json};
pub use leaf::{BOOL, Leaf, TEXT};
pub use object_reader::{Fault, ObjectReader, Place, Report};
