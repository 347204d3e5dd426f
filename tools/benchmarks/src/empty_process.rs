//! A process that does nothing: the unit of the hook measurements.

fn main() {}
