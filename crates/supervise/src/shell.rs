//! The shell that runs the user's commands.

/// The program, and its flag for a command line.
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
