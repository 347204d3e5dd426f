//! Turns the settings into an agent that can be started: finds its program, converts flags to arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agents::{Agent, Filter, Filters, PromptVia, Value};
use anyhow::Result;
use engine::{AgentOptions, ChosenIsolation, SessionIsolation};
use run_options::IsolationRequest;
use settings::{LoadedSettings, SecondAgent, Settings, Source};

use crate::command_error::precondition;
use crate::programs::{self, Base};
use crate::resolve::{agent_settings, place};

/// Background maintenance of git would be killed together with the agent each time. In the foreground it completes.
const GIT_SWITCHED_OFF: [&str; 2] = ["gc.autoDetach", "maintenance.autoDetach"];

/// The role of an agent in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentRole<'a> {
    Worker,
    Reviewer,
    /// A further reviewer, by its place in `review.panel`.
    Panel(usize),
    /// Reviews the quality of the code.
    Quality,
    /// Compacts the handoffs of iterations.
    Memory,
    /// A program of `agent.fallbacks` or `escalation.agents`.
    Other(&'a str),
}

/// `program` is the path from `--agent-program`.
pub(crate) fn agent(
    role: AgentRole<'_>,
    loaded: &LoadedSettings,
    program: Option<&Path>,
    root: &Path,
) -> Result<AgentOptions> {
    let settings = &loaded.settings;
    let agent = match role {
        AgentRole::Worker => settings.agent.clone(),
        AgentRole::Reviewer => settings.reviewer(),
        AgentRole::Panel(place) => settings.panel().nth(place).unwrap_or_default(),
        AgentRole::Quality => settings.quality_agent(),
        AgentRole::Memory => settings.memory_agent(),
        AgentRole::Other(command) => settings.other_agent(command),
    };
    // `--agent-program` applies to every role that uses the same agent.
    let worker = &settings.agent;
    let program = program.filter(|_| agent.command == worker.command && agent.kind == worker.kind);
    let key = |name: &str, is_set| key(role, settings, name, is_set);
    let kind = kind(&agent);
    let unsupported = |key: &str, what: String, hint: &str| {
        Err(precondition(format!("{}: {what}", place(loaded, key)), hint))
    };
    if agent.model.is_some() && !kind.abilities().model {
        return unsupported(
            &key("model", |by| by.model.is_some()),
            format!("{} has no option for the model", agent.command),
            "pass the model as an argument of the agent: --agent-arg, or `flags` in the settings",
        );
    }
    if agent.fallback_model.is_some() && !kind.abilities().fallback_model {
        return unsupported(
            "agent.fallbackModel",
            format!("{} does not support a fallback model", agent.command),
            "remove it, or choose an agent that supports it (see docs/agents.md)",
        );
    }
    if agent.prompt_via.is_some_and(|via| via != PromptVia::Stdin) && kind.has_adapter() {
        return unsupported(
            &key("promptVia", |by| by.prompt_via.is_some()),
            format!("agent {kind} reads its prompt from standard input only"),
            "remove it, or set `agent.type` to \"text\" or \"json\": these types read the prompt from standard input, \
             an argument or a file",
        );
    }
    let filters_key = key("filters", |by| by.filters.is_some());
    let filters = filters(kind, agent.filters.as_ref(), &filters_key, loaded)?;
    let base = match loaded.source(&key("agent", |by| by.agent.is_some())) {
        Source::Flag(_) => Base::Here,
        Source::File(_) | Source::Default => Base::Root(root),
    };
    let found = programs::agent(kind, &agent.command, program, base);
    let has_image = settings.isolation.container.image.is_some()
        || settings.isolation.kind == IsolationRequest::Container;
    let is_path = program.is_some() || Path::new(&agent.command).components().count() > 1;
    let program = match found {
        Err(_) if has_image && !is_path => PathBuf::from(&agent.command),
        found => found?,
    };
    let program_in_image = if is_path { program.clone() } else { PathBuf::from(&agent.command) };
    let flags = arguments(agent.flags, loaded.source(&key("flags", |by| by.flags.is_some())));
    let (extra_args, settings_flag) = match kind {
        Agent::Claude => agent_settings::extract(flags, root)?,
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
        prompt_via: agent.prompt_via.unwrap_or_default(),
        filters,
        environment: environment(loaded),
        isolation: ChosenIsolation { chosen: SessionIsolation::Open, passed_over: Vec::new() },
    })
}

pub(crate) fn kind(agent: &settings::Agent) -> Agent {
    agent.kind.unwrap_or_else(|| Agent::of_program(Path::new(&agent.command)))
}

/// The settings key of a value of an agent. What a role does not set is a setting of the worker.
fn key(
    role: AgentRole<'_>,
    settings: &Settings,
    name: &str,
    is_set: fn(&SecondAgent) -> bool,
) -> String {
    let panel;
    let (section, by) = match role {
        AgentRole::Worker | AgentRole::Other(_) => ("agent", None),
        AgentRole::Panel(place) => {
            panel = format!("review.panel[{place}]");
            (panel.as_str(), settings.review.panel.get(place))
        }
        AgentRole::Reviewer => ("review", Some(&settings.review.by)),
        AgentRole::Quality => ("quality", Some(&settings.quality.by)),
        AgentRole::Memory => ("memory", Some(&settings.memory.by)),
    };
    match (by, name) {
        (Some(by), _) if is_set(by) => format!("{section}.{name}"),
        (_, "agent") => match role {
            AgentRole::Other(command)
                if settings.agent.fallbacks.iter().any(|it| it == command) =>
            {
                "agent.fallbacks".to_owned()
            }
            AgentRole::Other(_) => "escalation.agents".to_owned(),
            _ => "agent.command".to_owned(),
        },
        _ => format!("agent.{name}"),
    }
}

/// The compiled filters of an agent of type `json`; other types have none.
fn filters(
    agent: Agent,
    wanted: Option<&settings::Filters>,
    key: &str,
    loaded: &LoadedSettings,
) -> Result<Option<Filters>> {
    let wanted = match (agent, wanted) {
        (Agent::Json, Some(wanted)) if wanted.text.is_some() || wanted.result.is_some() => wanted,
        (Agent::Json, _) => {
            let what = format!("an agent of type json needs {key}.result or {key}.text");
            return Err(precondition(what, "see the examples in docs/agents.md#json"));
        }
        (_, None) => return Ok(None),
        (_, Some(_)) => {
            let what = format!("{key}: only agents of type json support filters");
            let hint = "set `type` to \"json\" beside it, or remove the filters";
            return Err(precondition(what, hint));
        }
    };
    let compiled = |name: &str, code: &Option<String>| {
        let filter = code.as_deref().map(Filter::compile).transpose();
        filter.map_err(|error| {
            let what = format!("{}: {error}", place(loaded, &format!("{key}.{name}")));
            precondition(what, "filters use jq syntax: see docs/agents.md#json")
        })
    };
    Ok(Some(Filters {
        text: compiled("text", &wanted.text)?,
        result: compiled("result", &wanted.result)?,
        tool: compiled("tool", &wanted.tool)?,
        cost_usd: compiled("costUsd", &wanted.cost_usd)?,
    }))
}

fn environment(loaded: &LoadedSettings) -> Vec<(OsString, Value)> {
    let inherited = std::env::var("GIT_CONFIG_COUNT").ok();
    let git = git_environment(inherited.as_deref());
    let own = loaded.settings.env.iter();
    let own = own.map(|(name, value)| (name.into(), Value::Secret(value.expose().into())));
    git.into_iter().chain(own).collect()
}

/// Appended to inherited settings, whose number is `inherited` (GIT_CONFIG_COUNT).
fn git_environment(inherited: Option<&str>) -> Vec<(OsString, Value)> {
    let existing = inherited.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    engine::git_settings_off(&GIT_SWITCHED_OFF, existing)
}

/// A shell has already split the arguments of a flag; items of a file are split here.
fn arguments(flags: Vec<String>, source: &Source) -> Vec<OsString> {
    match source {
        Source::Flag(_) => flags.into_iter().map(Into::into).collect(),
        Source::File(_) | Source::Default => {
            flags.iter().flat_map(|flag| split_flag(flag)).map(Into::into).collect()
        }
    }
}

/// `--model opus` as one item becomes two arguments; any other text stays one argument.
fn split_flag(flag: &str) -> Vec<String> {
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
        assert_eq!(split_flag("--model opus"), ["--model", "opus"]);
        assert_eq!(
            split_flag("--append-system-prompt 'be terse'"),
            ["--append-system-prompt", "be terse"]
        );
        assert_eq!(split_flag("--config a=b"), ["--config", "a=b"]);
        for one in [
            "--verbose",
            "be very terse",
            "--append-system-prompt=be very terse",
            // Cannot be split.
            "-x 'open",
        ] {
            assert_eq!(split_flag(one), [one]);
        }
    }

    #[test]
    fn arguments_of_a_flag_are_not_split() {
        let flags = || vec!["--system be terse".to_owned(), "--x=a b".to_owned()];
        let typed = arguments(flags(), &Source::Flag("--agent-arg"));
        assert_eq!(typed, ["--system be terse", "--x=a b"]);
        let written = arguments(flags(), &Source::File("settings.json".into()));
        assert_eq!(written, ["--system", "be", "terse", "--x=a b"]);
    }

    #[test]
    fn roles_fall_back_to_the_settings_of_the_worker() {
        let mut settings = Settings::default();
        let command = key(AgentRole::Reviewer, &settings, "agent", |by| by.agent.is_some());
        assert_eq!(command, "agent.command");
        settings.review.by.agent = Some("x".into());
        settings.quality.by.model = Some("m".into());
        let wanted = |role| {
            let key = |name: &str, is_set| key(role, &settings, name, is_set);
            [
                key("agent", |by| by.agent.is_some()),
                key("flags", |by| by.flags.is_some()),
                key("model", |by| by.model.is_some()),
            ]
        };
        assert_eq!(wanted(AgentRole::Reviewer), ["review.agent", "agent.flags", "agent.model"]);
        assert_eq!(wanted(AgentRole::Quality), ["agent.command", "agent.flags", "quality.model"]);
        assert_eq!(wanted(AgentRole::Worker), ["agent.command", "agent.flags", "agent.model"]);
    }

    fn value(variables: &[(OsString, Value)], name: &str) -> String {
        let found = variables.iter().find(|(given, _)| given == name).unwrap();
        found.1.clone().into_inner().unwrap().into_string().unwrap()
    }

    #[test]
    fn inherited_settings_are_kept() {
        let variables = git_environment(Some("3"));
        assert_eq!(value(&variables, "GIT_CONFIG_COUNT"), "5");
        assert_eq!(value(&variables, "GIT_CONFIG_KEY_3"), "gc.autoDetach");
        assert_eq!(value(&variables, "GIT_CONFIG_VALUE_4"), "false");
    }

    #[test]
    fn without_inherited_settings_the_numbers_start_at_zero() {
        for inherited in [None, Some(""), Some("many")] {
            let variables = git_environment(inherited);
            assert_eq!(value(&variables, "GIT_CONFIG_COUNT"), "2", "{inherited:?}");
            assert_eq!(value(&variables, "GIT_CONFIG_KEY_0"), "gc.autoDetach");
        }
    }
}
