//! What a hook of the agent answered: how a runner knows that its guard really ran.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAnswer {
    /// What happened, such as `Stop`.
    pub event: String,
    /// The event with what it was about, such as `PostToolUse:Bash`.
    pub name: String,
    pub exit_code: Option<i32>,
    pub verdict: HookVerdict,
    pub stderr: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    Silent,
    /// The agent may not do what it was about to do.
    Blocked {
        reason: String,
    },
    /// People are told something.
    Warned {
        message: String,
    },
    /// The model is told something.
    Told {
        context: String,
    },
    /// The hook did not do its work, and the agent went on without it.
    Failed {
        why: String,
    },
}
