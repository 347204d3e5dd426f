//! The clones of the project in which stories are worked on with `separate` or `jobs`.

use crate::guardrail::COMMAND;
use crate::leaf::{NON_BLANK, PORT};
use crate::section::settings;

settings! {
    /// The clones of the project in which stories are worked on with `separate` or `jobs`.
    pub struct Lanes from keys {
        /// The folder for clones, outside of the project; relative to the project, or to your home with `~/`. Each
        /// project has its own folder in it. Default: `ralph/lanes` in your folder for state, such as
        /// `~/.local/state`.
        pub dir: Option<String> = keys.optional("dir", NON_BLANK),
        /// Commands that prepare a new clone, such as `npm ci`. They run again after a lock file changed.
        #[cfg_attr(test, schemars(inner(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$"))))]
        pub setup: Vec<String> = keys.items("setup", COMMAND).unwrap_or_default(),
        /// The first port for servers of the clones. Each clone has 100 ports, from `RALPH_PORT_BASE` on.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub first_port: u16 = keys.or("firstPort", PORT, 20_000),
    }
}
