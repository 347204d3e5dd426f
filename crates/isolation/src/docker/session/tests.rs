//! The arguments of sessions.

use std::path::Path;

use super::*;
use crate::docker::{CliDialect, Version};

fn sbx(minor: u64) -> Cli {
    Cli { program: "sbx".into(), dialect: CliDialect::Sbx(Version { major: 0, minor }) }
}

fn arguments_of(call: SessionCall, cli: &Cli) -> Result<Vec<String>, SessionRefused> {
    let name = SandboxName::of_project(Path::new("/p"));
    let arguments = call.arguments(cli, &name)?;
    Ok(arguments.into_iter().map(|word| word.into_string().unwrap()).collect())
}

fn call(args: &[&str], prompt: &str) -> SessionCall {
    let args = args.iter().map(OsString::from).collect();
    SessionCall { args, prompt: prompt.into(), ..SessionCall::default() }
}

fn settings_of(arguments: &[String]) -> Value {
    let at = arguments.iter().position(|word| word == SETTINGS).unwrap();
    assert_eq!(arguments.iter().filter(|word| *word == SETTINGS).count(), 1, "{arguments:?}");
    serde_json::from_str(&arguments[at + 1]).unwrap()
}

#[test]
fn the_prompt_follows_the_flag_that_takes_none() {
    let arguments =
        arguments_of(call(&["-p", "--model", "opus"], "do $(it)\n'now'"), &sbx(40)).unwrap();
    assert_eq!(arguments[3..], ["--", "-p", "do $(it)\n'now'", "--model", "opus"]);
    let arguments = arguments_of(call(&["-p"], "--help me"), &sbx(40)).unwrap();
    assert_eq!(arguments[4..], ["-p", "\n--help me"]);
}

#[test]
fn a_prompt_longer_than_an_argument_is_refused() {
    assert!(arguments_of(call(&["-p"], &"x".repeat(LONGEST)), &sbx(40)).is_ok());
    let refused = arguments_of(call(&["-p"], &"x".repeat(LONGEST + 1)), &sbx(40));
    assert_eq!(refused, Err(SessionRefused::PromptTooLong { bytes: LONGEST + 1, most: LONGEST }));
}

#[test]
fn variables_are_merged_into_existing_settings() {
    let mut call = call(
        &["-p", "--settings", r#"{"env":{"A":"theirs","B":"b"},"x":1}"#, "--settings={\"y\":2}"],
        "p",
    );
    call.variables = vec![("A".into(), "ours \"'\n".into()), ("RALPH_RUN_ID".into(), "r".into())];
    let arguments = arguments_of(call, &sbx(40)).unwrap();
    let env = json!({"A": "ours \"'\n", "B": "b", "RALPH_RUN_ID": "r"});
    assert_eq!(settings_of(&arguments), json!({"env": env, "x": 1, "y": 2}));
    assert_eq!(arguments[4..6], ["-p", "p"]);
}

#[test]
fn settings_that_the_sandbox_does_not_see_are_refused() {
    for argument in ["--settings=/home/me/settings.json", "--settings=[]", "--settings={\"env\":1}"]
    {
        let mut call = call(&["-p", argument], "p");
        call.variables = vec![("A".into(), "a".into())];
        assert_eq!(
            arguments_of(call, &sbx(40)),
            Err(SessionRefused::SettingsNotJson),
            "{argument}"
        );
    }
    let arguments = arguments_of(call(&["-p", "--settings-of-others"], "p"), &sbx(40)).unwrap();
    assert_eq!(arguments[5..], ["p", "--settings-of-others"]);
}

#[test]
fn a_secret_is_passed_by_name_only() {
    let mut call = call(&["-p"], "p");
    call.secrets = vec!["KEY".into()];
    let arguments = arguments_of(call.clone(), &sbx(39)).unwrap();
    assert_eq!(arguments[..3], ["run", "-e", "KEY"]);
    let docker = Cli { program: "docker".into(), dialect: CliDialect::DockerSandbox };
    for old in [sbx(38), docker] {
        assert!(matches!(arguments_of(call.clone(), &old), Err(SessionRefused::Secret(..))));
    }
}

#[cfg(unix)]
#[test]
fn non_utf8_variables_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let mut call = call(&["-p"], "p");
    call.variables = vec![("V".into(), OsStr::from_bytes(b"\xff").into())];
    assert_eq!(arguments_of(call, &sbx(40)), Err(SessionRefused::NotText("V".into())));
}
