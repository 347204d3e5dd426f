//! What every loop has: clock, orders, stop switch, events, and the pure decisions what comes next.

pub(crate) mod clock;
pub(crate) mod decide;
pub(crate) mod executor;
pub(crate) mod fallbacks;
pub(crate) mod node_jobs;
pub(crate) mod orders;
pub(crate) mod run_control;
pub(crate) mod stop;
pub(crate) mod usage_limits;
pub(crate) mod user_instructions;

pub(crate) use clock::RunClock;
pub(crate) use decide::{
    Counters, IterationAttempt, IterationResult, LoopInput, MOST_VOID_REVIEWS, NextAction,
    NextWork, Step, cost_limit_is_reached, decide,
};
pub(crate) use fallbacks::AgentChoice;
pub(crate) use orders::{AcceptedOrder, LaneOrders, Orders};
pub(crate) use run_control::RunControl;
pub use stop::StopSwitch;
pub(crate) use usage_limits::UsageLimits;
pub(crate) use user_instructions::UserInstructions;
