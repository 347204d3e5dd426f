//! What an agent's command line can do for a loop, where it is found and how one signs in.

/// Shown to users in docs/agents.md; the loop itself asks only what it has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// It tells what a session cost.
    pub cost: Ability,
    pub tokens: Ability,
    pub session_id: Ability,
    /// The model can be chosen from outside.
    pub model: Ability,
    /// It runs the Stop guard and the context monitor within its sessions.
    pub hooks: Ability,
    /// Its stream tells tools from text.
    pub structured_output: Ability,
    /// It tells how much of a usage window is used.
    pub quota: Ability,
    /// It tells when a usage limit is reset.
    pub usage_limits: Ability,
    pub max_turns: Ability,
    /// It ends by itself at a ceiling on the cost of one session.
    pub budget: Ability,
    /// Its answer can be held to a JSON Schema.
    pub answer_schema: Ability,
    /// It can be told which MCP servers a session sees.
    pub own_servers: Ability,
    /// Words can be added to its system prompt from a file.
    pub system_prompt_file: Ability,
    /// It can change to another model where one is overloaded.
    pub fallback_model: Ability,
}

impl Abilities {
    /// Of a program that only answers.
    pub(crate) const NONE: Self = Self {
        model: Ability::No,
        cost: Ability::No,
        tokens: Ability::No,
        session_id: Ability::No,
        hooks: Ability::No,
        structured_output: Ability::No,
        quota: Ability::No,
        usage_limits: Ability::No,
        max_turns: Ability::No,
        budget: Ability::No,
        answer_schema: Ability::No,
        own_servers: Ability::No,
        system_prompt_file: Ability::No,
        fallback_model: Ability::No,
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    Yes,
    No,
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
