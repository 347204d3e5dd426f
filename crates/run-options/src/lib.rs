//! Values that settings files, flags and engine options share: one type for each, with its words and its default.
//!
//! Plain data, so that the engine and the events use it without the reader of the settings files. Not here: values
//! that depend on the machine, such as the path of a program.

mod executor;
mod fail_action;
mod failures;
mod forge;
mod guardrail;
mod isolation;
mod notifications;
mod run;
mod time_span;
mod word;

pub use executor::EngineKind;
pub use fail_action::FailAction;
pub use failures::{AttemptLimits, EscalationSteps, QuestionLimits, Retries};
pub use forge::{Commenters, ForgeKind, PullRequestUse};
pub use guardrail::{BaseChecks, Guardrail, GuardrailKind, ValidationStrategy, is_path_pattern};
pub use isolation::{CheckIsolation, IsolationRequest, NetworkKind, SessionNetwork};
pub use notifications::{NoticeClass, TerminalNotice};
pub use run::{
    AtReviewCap, ColorWhen, FinalReviewUse, McpServers, OnUsageLimit, PromptVia, ProofUse,
    ReviewLens, ScmTask,
};
pub use time_span::TimeSpan;
pub use word::Word;
