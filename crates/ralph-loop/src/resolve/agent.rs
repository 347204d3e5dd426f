//! From the settings to an agent that can be started: its program found, its flags as arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agents::{Agent, Filter, Filters, PromptVia, Value};
use anyhow::Result;
use engine::{AgentOptions, ChosenIsolation, SessionIsolation};
use settings::{IsolationChoice, Loaded, SecondAgent, Settings, Source};

use crate::command_error::precondition;
use crate::git_settings;
use crate::programs::{self, Base};
use crate::resolve::{agent_settings, place};

/// Which agent of the settings is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Worker,
    Reviewer,
    /// Who looks at the quality.
    Quality,
    /// Who compacts what iterations left.
    Memory,
}

/// `program` is where it is, if the user said so.
pub(crate) fn agent(
    part: Part,
    loaded: &Loaded,
    program: Option<&Path>,
    root: &Path,
) -> Result<AgentOptions> {
    let settings = &loaded.settings;
    let agent = match part {
        Part::Worker => settings.agent.clone(),
        Part::Reviewer => settings.reviewer(),
        Part::Quality => settings.quality_agent(),
        Part::Memory => settings.memory_agent(),
    };
    let keys = Keys::of(part, settings);
    let kind = kind(&agent);
    if agent.model.is_some() && !kind.abilities().model {
        return Err(no_model(&agent.command, keys.model, loaded));
    }
    if agent.fallback_model.is_some() && !kind.abilities().fallback_model {
        return Err(no_fallback(&agent.command, loaded));
    }
    if agent.prompt_via.is_some_and(|via| via != settings::PromptVia::Stdin) && kind.has_adapter() {
        return Err(no_prompt_via(kind, keys.prompt_via, loaded));
    }
    let filters = filters(kind, agent.filters.as_ref(), keys.filters, loaded)?;
    let base = match loaded.source(keys.command) {
        Source::Flag(_) => Base::Here,
        Source::File(_) | Source::Default => Base::Root(root),
    };
    let found = programs::agent(kind, &agent.command, program, base);
    let has_image = settings.isolation.container.image.is_some()
        || settings.isolation.kind == IsolationChoice::Container;
    let is_path = program.is_some() || Path::new(&agent.command).components().count() > 1;
    let program = match found {
        Err(_) if has_image && !is_path => PathBuf::from(&agent.command),
        found => found?,
    };
    let program_in_image = if is_path { program.clone() } else { PathBuf::from(&agent.command) };
    let flags = arguments(agent.flags, loaded.source(keys.flags));
    let (extra_args, settings_flag) = match kind {
        Agent::Claude => agent_settings::taken_from(flags, root)?,
        _ => (flags, None),
    };
    programs::refuse_signed_out(kind, settings)?;
    Ok(AgentOptions {
        agent: kind,
        program,
        program_in_image,
        model: agent.model,
        fallback_model: agent.fallback_model,
        max_turns: agent.max_turns,
        extra_args,
        settings: settings_flag,
        prompt_via: match agent.prompt_via {
            None | Some(settings::PromptVia::Stdin) => PromptVia::Stdin,
            Some(settings::PromptVia::Argument) => PromptVia::Argument,
            Some(settings::PromptVia::File) => PromptVia::File,
        },
        filters,
        environment: environment(loaded),
        isolation: ChosenIsolation { chosen: SessionIsolation::Open, passed_over: Vec::new() },
    })
}

/// Which agent the settings mean.
pub(crate) fn kind(agent: &settings::Agent) -> Agent {
    agent.kind.map_or_else(|| Agent::of_program(Path::new(&agent.command)), known)
}

/// The keys that say what holds for an agent.
struct Keys {
    command: &'static str,
    flags: &'static str,
    model: &'static str,
    prompt_via: &'static str,
    filters: &'static str,
}

impl Keys {
    const WORKER: Self = Self {
        command: "agent.command",
        flags: "agent.flags",
        model: "agent.model",
        prompt_via: "agent.promptVia",
        filters: "agent.filters",
    };

    const REVIEWER: Self = Self {
        command: "review.agent",
        flags: "review.flags",
        model: "review.model",
        prompt_via: "review.promptVia",
        filters: "review.filters",
    };

    const QUALITY: Self = Self {
        command: "quality.agent",
        flags: "quality.flags",
        model: "quality.model",
        prompt_via: "quality.promptVia",
        filters: "quality.filters",
    };

    const MEMORY: Self = Self {
        command: "memory.agent",
        flags: "memory.flags",
        model: "memory.model",
        prompt_via: "memory.promptVia",
        filters: "memory.filters",
    };

    fn of(part: Part, settings: &Settings) -> Self {
        match part {
            Part::Worker => Self::WORKER,
            Part::Reviewer => Self::REVIEWER.where_said(&settings.review.by),
            Part::Quality => Self::QUALITY.where_said(&settings.quality.by),
            Part::Memory => Self::MEMORY.where_said(&settings.memory.by),
        }
    }

    /// What is not said about another part holds as it does for the work.
    fn where_said(self, by: &SecondAgent) -> Self {
        let worker = Self::WORKER;
        Self {
            command: by.agent.as_ref().map_or(worker.command, |_| self.command),
            flags: by.flags.as_ref().map_or(worker.flags, |_| self.flags),
            model: by.model.as_ref().map_or(worker.model, |_| self.model),
            prompt_via: by.prompt_via.as_ref().map_or(worker.prompt_via, |_| self.prompt_via),
            filters: by.filters.as_ref().map_or(worker.filters, |_| self.filters),
        }
    }
}

fn no_model(command: &str, key: &str, loaded: &Loaded) -> anyhow::Error {
    precondition(
        format!("{}: {command} cannot be told its model this way", place(loaded, key)),
        "give it as an argument of the agent's own: --agent-arg, or `flags` in the settings",
    )
}

fn no_fallback(command: &str, loaded: &Loaded) -> anyhow::Error {
    let place = place(loaded, "agent.fallbackModel");
    precondition(
        format!("{place}: {command} cannot be told a model to fall back to"),
        "leave it out, or choose an agent that can: docs/agents.md has the table",
    )
}

fn no_prompt_via(agent: Agent, key: &str, loaded: &Loaded) -> anyhow::Error {
    precondition(
        format!("{}: agent {agent} takes its prompt on standard input only", place(loaded, key)),
        "leave it out, or set `agent.type` to \"text\" or \"json\": programs of these types take the prompt on \
         standard input, as an argument or as a file",
    )
}

/// Those of a program of type `json`, compiled; other types have none.
fn filters(
    agent: Agent,
    said: Option<&settings::Filters>,
    key: &str,
    loaded: &Loaded,
) -> Result<Option<Filters>> {
    let said = match (agent, said) {
        (Agent::Json, Some(said)) if said.text.is_some() || said.result.is_some() => said,
        (Agent::Json, _) => {
            let what = format!("an agent of type json needs {key}.result or {key}.text");
            return Err(precondition(what, "docs/agents.md#json has examples of filters"));
        }
        (_, None) => return Ok(None),
        (_, Some(_)) => {
            let what = format!("{key}: only an agent of type json has filters");
            return Err(precondition(
                what,
                "set `type` to \"json\" beside it, or leave the filters out",
            ));
        }
    };
    let compiled = |name: &str, code: &Option<String>| {
        let filter = code.as_deref().map(Filter::compile).transpose();
        filter.map_err(|error| {
            let what = format!("{}: {error}", place(loaded, &format!("{key}.{name}")));
            precondition(what, "filters are written in jq's language: docs/agents.md#json")
        })
    };
    Ok(Some(Filters {
        text: compiled("text", &said.text)?,
        result: compiled("result", &said.result)?,
        tool: compiled("tool", &said.tool)?,
        cost_usd: compiled("costUsd", &said.cost_usd)?,
    }))
}

fn environment(loaded: &Loaded) -> Vec<(OsString, Value)> {
    let inherited = std::env::var("GIT_CONFIG_COUNT").ok();
    let git = git_settings::environment(inherited.as_deref());
    let git = git.into_iter().map(|(name, value)| (name, Value::Shown(value)));
    let own = loaded.settings.env.iter();
    let own = own.map(|(name, value)| (name.into(), Value::Secret(value.expose().into())));
    git.chain(own).collect()
}

fn known(kind: settings::AgentType) -> Agent {
    match kind {
        settings::AgentType::Claude => Agent::Claude,
        settings::AgentType::Codex => Agent::Codex,
        settings::AgentType::Amp => Agent::Amp,
        settings::AgentType::Cline => Agent::Cline,
        settings::AgentType::Opencode => Agent::OpenCode,
        settings::AgentType::Gemini => Agent::Gemini,
        settings::AgentType::Copilot => Agent::Copilot,
        settings::AgentType::Json => Agent::Json,
        settings::AgentType::Text => Agent::Text,
    }
}

/// A shell has taken apart what was typed; nobody has done so for a file.
fn arguments(flags: Vec<String>, source: &Source) -> Vec<OsString> {
    match source {
        Source::Flag(_) => flags.into_iter().map(Into::into).collect(),
        Source::File(_) | Source::Default => {
            flags.iter().flat_map(|flag| words(flag)).map(Into::into).collect()
        }
    }
}

/// `--model opus` written as one item is two arguments; any other text is one, blanks and all.
fn words(flag: &str) -> Vec<String> {
    let option = flag.split_once(char::is_whitespace).map(|(option, _)| option);
    let takes_a_value = option.is_some_and(|name| name.starts_with('-') && !name.contains('='));
    let split = takes_a_value.then(|| shlex::split(flag)).flatten();
    split.unwrap_or_else(|| vec![flag.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_with_its_value_is_two_arguments_and_a_text_is_one() {
        assert_eq!(words("--model opus"), ["--model", "opus"]);
        assert_eq!(
            words("--append-system-prompt 'be terse'"),
            ["--append-system-prompt", "be terse"]
        );
        assert_eq!(words("--config a=b"), ["--config", "a=b"]);
        for one in [
            "--verbose",
            "be very terse",
            "--append-system-prompt=be very terse",
            // What cannot be split stays as it is.
            "-x 'open",
        ] {
            assert_eq!(words(one), [one]);
        }
    }

    #[test]
    fn what_was_typed_stays_as_it_was_typed() {
        let flags = || vec!["--system be terse".to_owned(), "--x=a b".to_owned()];
        let typed = arguments(flags(), &Source::Flag("--agent-arg"));
        assert_eq!(typed, ["--system be terse", "--x=a b"]);
        let written = arguments(flags(), &Source::File("settings.json".into()));
        assert_eq!(written, ["--system", "be", "terse", "--x=a b"]);
    }

    #[test]
    fn another_part_has_from_the_worker_what_is_not_said_about_it() {
        let mut settings = Settings::default();
        assert_eq!(Keys::of(Part::Reviewer, &settings).command, "agent.command");
        settings.review.by.agent = Some("x".into());
        settings.quality.by.model = Some("m".into());
        let said = |part| {
            let keys = Keys::of(part, &settings);
            [keys.command, keys.flags, keys.model]
        };
        assert_eq!(said(Part::Reviewer), ["review.agent", "agent.flags", "agent.model"]);
        assert_eq!(said(Part::Quality), ["agent.command", "agent.flags", "quality.model"]);
        assert_eq!(said(Part::Worker), ["agent.command", "agent.flags", "agent.model"]);
    }
}
