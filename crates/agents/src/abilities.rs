//! What an agent's command line can do for a loop, where it is found and how one signs in.

/// Shown to users in docs/agents.md; the loop itself asks only what it has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// It tells what a session cost.
    pub cost: bool,
    pub tokens: bool,
    pub session_id: bool,
    /// The model can be chosen from outside.
    pub model: bool,
    /// It runs the Stop guard and the context monitor within its sessions.
    pub hooks: bool,
    /// Its stream tells tools from text.
    pub structured_output: bool,
    /// It tells how much of a usage window is used.
    pub quota: bool,
    /// It tells when a usage limit is reset.
    pub usage_limits: bool,
    pub max_turns: bool,
    /// It ends by itself at a ceiling on the cost of one session.
    pub budget: bool,
    /// Its answer can be held to a JSON Schema.
    pub answer_schema: bool,
    /// It can be told which MCP servers a session sees.
    pub own_servers: bool,
    /// Words can be added to its system prompt from a file.
    pub system_prompt_file: bool,
    /// It can change to another model where one is overloaded.
    pub fallback_model: bool,
}

impl Abilities {
    /// Of a program that only answers.
    pub(crate) const NONE: Self = Self {
        model: false,
        cost: false,
        tokens: false,
        session_id: false,
        hooks: false,
        structured_output: false,
        quota: false,
        usage_limits: false,
        max_turns: false,
        budget: false,
        answer_schema: false,
        own_servers: false,
        system_prompt_file: false,
        fallback_model: false,
    };
}

/// Where installers put it, and what to tell somebody who has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installed {
    /// Below the home folder.
    pub usual_places: &'static [&'static str],
    pub hint: &'static str,
}

/// What becomes of a session that nobody has signed in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// It fails and says so.
    ToldByItself,
    /// It would wait for a person: one of these has to be there before it is started.
    Needed {
        variable: &'static str,
        /// Below the home folder.
        file: &'static str,
        hint: &'static str,
    },
}
