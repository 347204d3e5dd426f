//! What a process costs that does nothing: the unit in which the hooks are measured.

fn main() {}
