//! Commands that git runs: in settings, aliases and options.

use shell_analysis::Word;

use super::git_settings::runs_something;
use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;

pub(super) fn commands(view: &InvocationView<'_>) -> Vec<String> {
    let mut commands = Vec::new();
    let Some(call) = GitCall::of(view) else {
        return commands;
    };
    let cloned = call.arguments(&["c", "config"]);
    let cloned = cloned.values(&["c", "config"]).filter(|_| call.command == "clone");
    let settings = call.settings.iter().chain(cloned).map(Word::shown);
    for setting in settings.chain(configured(view)) {
        if let Some((name, value)) = setting.split_once('=')
            && runs_something(name)
        {
            commands.push(alias(name, value, &call.texts()));
        }
    }
    let texts = call.texts();
    let next = |names: &[&str]| {
        texts
            .windows(2)
            .filter(|pair| names.contains(&pair[0].as_str()))
            .map(|pair| pair[1].clone())
            .collect::<Vec<_>>()
    };
    match call.command.as_str() {
        "rebase" => commands.extend(next(&["-x", "--exec"]).into_iter().chain(
            texts.iter().filter_map(|word| word.strip_prefix("--exec=").map(str::to_owned)),
        )),
        "bisect" if texts.first().is_some_and(|word| word == "run") => {
            commands.push(super::inner::quoted_words(&call.words[1..]));
        }
        "grep" => {
            let options = ["O", "open-files-in-pager"];
            commands.extend(call.arguments(&options).values(&options).map(Word::shown));
        }
        "submodule" if texts.first().is_some_and(|word| word == "foreach") => {
            commands.push(
                texts[1..]
                    .iter()
                    .filter(|word| !word.starts_with('-'))
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(" "),
            );
        }
        "difftool" | "mergetool" => commands.extend(next(&["-x", "--extcmd"])),
        "clone" | "fetch" | "pull" | "push" | "ls-remote" => {
            commands.extend(
                next(&["-u", "--upload-pack", "--receive-pack", "--exec"])
                    .into_iter()
                    .filter(|text| text.contains(' ')),
            );
            commands.extend(texts.iter().filter_map(|word| {
                word.strip_prefix("--upload-pack=")
                    .or_else(|| word.strip_prefix("--receive-pack="))
                    .or_else(|| word.strip_prefix("ext::"))
                    .map(str::to_owned)
            }));
        }
        "config" if texts.iter().filter(|word| !word.starts_with('-')).count() > 1 => {
            let operands: Vec<&String> =
                texts.iter().filter(|word| !word.starts_with('-')).collect();
            if let [name, value, ..] = operands.as_slice()
                && runs_something(name)
            {
                commands.push(alias(name, value, &[]));
            }
        }
        _ => {}
    }
    commands
}

/// The command of a setting: an alias is a git subcommand unless it starts with `!`.
fn alias(name: &str, value: &str, rest: &[String]) -> String {
    match value.strip_prefix('!') {
        Some(command) => command.to_owned(),
        None if name.to_ascii_lowercase().starts_with("alias.") => {
            format!("git {value} {}", rest.join(" "))
        }
        None => value.to_owned(),
    }
}

/// Git settings in the environment: `GIT_CONFIG_KEY_0` with `GIT_CONFIG_VALUE_0`, and the quoted ones in
/// `GIT_CONFIG_PARAMETERS`.
pub(super) fn configured(view: &InvocationView<'_>) -> Vec<String> {
    let value = |name: String| {
        view.invocation
            .assignments
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.shown())
    };
    let keys = view.invocation.assignments.iter().filter_map(|(name, key)| {
        let number = name.strip_prefix("GIT_CONFIG_KEY_")?;
        let value = value(format!("GIT_CONFIG_VALUE_{number}"))?;
        Some(format!("{}={value}", key.shown()))
    });
    let listed = value("GIT_CONFIG_PARAMETERS".into()).unwrap_or_default();
    let listed = listed.split("' '").map(|setting| setting.replace('\'', ""));
    keys.chain(listed.filter(|setting| setting.contains('='))).collect()
}
