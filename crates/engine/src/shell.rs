//! The shell that reads what a user wrote for one.

/// How it is called with a line.
#[derive(Debug, Clone, Copy)]
pub struct Shell {
    pub program: &'static str,
    pub flag: &'static str,
}

impl Shell {
    pub fn of_this_system() -> Self {
        if cfg!(windows) {
            Self { program: "cmd", flag: "/C" }
        } else {
            Self { program: "/bin/sh", flag: "-c" }
        }
    }
}
