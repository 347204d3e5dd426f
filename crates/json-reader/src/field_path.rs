//! The field of an object that has a problem.

/// Positions count from 0, as in JSON paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum FieldPath {
    #[display("the whole")]
    Whole,
    Named(&'static str),
    #[display("{_0}[{_1}]")]
    Item(&'static str, usize),
}
