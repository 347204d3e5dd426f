//! What the runner keeps of earlier iterations for prompts: handoffs, the compacted account, skills.

pub(crate) mod context;
pub(crate) mod handoffs;
pub(crate) mod skills;
pub(crate) mod state;

pub(crate) use context::{
    RecentHandoffs, adopt_account, compacted_context, compacted_file, recent_handoffs,
};
pub(crate) use skills::{KnownSkills, Skill, skill_problems};
pub(crate) use state::{KeptHandoff, MemoryState, WorkResult};
