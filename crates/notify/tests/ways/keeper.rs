//! A program that does nothing but keep what a test starts.

fn main() {
    supervise::keeper::run_if_asked();
}
