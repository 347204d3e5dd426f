//! A program that only supervises the processes that a test starts.

fn main() {
    supervise::keeper::run_if_asked();
}
