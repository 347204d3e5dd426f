//! Loads `.ralph/settings.json` and `.ralph/settings.local.json`, merges them with flags and validates them.
//!
//! The result is one [`Settings`] with the source of each value. Every problem of every file is reported at once, with
//! its place. Not here: the effect of values, whether an agent exists, and the spelling of flags.

mod agent;
mod completion_word;
mod display;
mod draft;
mod executors;
mod failures;
mod flags;
mod forge;
mod guardrail;
mod guards;
mod isolation;
mod json_path;
mod lanes;
mod leaf;
mod load;
mod memory;
mod merge;
mod nearest;
mod notifications;
mod origin;
mod problem;
mod proof;
mod review;
mod schema;
mod scm;
mod second_agent;
mod secret;
mod section;
mod settings;
mod settings_error;
mod source;
mod telemetry;
mod time_limits;

pub use agent::{Agent, Filters};
pub use completion_word::{COMPLETION_WORD, is_completion_word};
pub use display::Display;
pub use draft::{Draft, DraftAttempts, DraftLanes, SCHEMA_REFERENCE, render};
pub use executors::Executor;
pub use flags::Flags;
pub use forge::Forge;
pub use guards::{CommandGuard, Git, Guard};
pub use isolation::{Container, IsolationSettings, NetworkAccess};
pub use lanes::Lanes;
pub use load::{LoadedSettings, SIZE_LIMIT, load};
pub use memory::Memory;
pub use nearest::nearest;
pub use notifications::Notifications;
pub use origin::Origin;
pub use proof::Proof;
pub use review::{Quality, Review};
pub use schema::SCHEMA;
pub use scm::Scm;
pub use second_agent::SecondAgent;
pub use secret::{REDACTED, Secret};
pub use settings::Settings;
pub use settings_error::SettingsError;
pub use source::Source;
pub use telemetry::Telemetry;
pub use time_limits::TimeLimits;
