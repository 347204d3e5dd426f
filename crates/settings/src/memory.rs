//! Memory between iterations.

use json_reader::{BOOL, Leaf};

use crate::leaf::{POSITIVE, whole};
use crate::second_agent::SecondAgent;
use crate::section::settings;

settings! {
    /// Memory between iterations: handoffs, and the context that they are compacted into. The keys of an agent
    /// (`agent`, `model`, `maxTurns`, …) are for the agent that compacts.
    pub struct Memory from keys {
        /// Ask every iteration for a handoff, and give it to later ones.
        pub handoffs: bool = keys.or("handoffs", BOOL, false),
        /// The most tokens of a prompt. Less important parts are left out first; the task and the required answer never
        /// are.
        #[cfg_attr(test, schemars(range(min = Memory::LEAST_TOKENS)))]
        pub context_tokens: u64 = keys.or("contextTokens", Self::TOKENS, 8000),
        /// Compact after this many iterations with a handoff.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub compact_after_iterations: u64 = keys.or("compactAfterIterations", POSITIVE, 5),
        /// Compact when the handoffs since the last compaction exceed this size.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub compact_after_bytes: u64 = keys.or("compactAfterBytes", POSITIVE, 32_000),
        #[serde(flatten)]
        pub by: SecondAgent = SecondAgent::read(keys),
    }
}

impl Memory {
    /// Less would not fit the instructions of an iteration.
    const LEAST_TOKENS: u64 = 1000;

    /// The default of the compacting agent.
    pub(crate) const MAX_TURNS: u64 = 10;

    const TOKENS: Leaf<u64> = Leaf::new("a whole number, 1000 or more", |json| {
        whole(json).filter(|number| *number >= Self::LEAST_TOKENS)
    });
}
