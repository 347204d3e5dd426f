//! The answer of a hook, by which the runner knows that its guard ran.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAnswer {
    /// The event, such as `Stop`.
    pub event: String,
    /// The event with its subject, such as `PostToolUse:Bash`.
    pub name: String,
    pub exit_code: Option<i32>,
    pub verdict: HookVerdict,
    pub stderr: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    Silent,
    /// Blocked the agent's action.
    Blocked {
        reason: String,
    },
    /// Showed a message to the user.
    Warned {
        message: String,
    },
    /// Added context for the model.
    Informed {
        context: String,
    },
    /// Failed, and the agent continued without it.
    Failed {
        why: String,
    },
}
