//! The share of commands that are judged right in a set that was written from the documented policy, without sight of the
//! rules and the corpus, and on which no rule was tuned. Rules that are changed to fit its failures need a new set.
//! docs/command-guard.md names the shares.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a panic fails the test, and the rates are for people"
)]

use std::path::{Path, PathBuf};

use command_guard::{CommandContext, judge_command};
use serde::Deserialize;

#[derive(Deserialize)]
struct HeldOut {
    command: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    run: String,
    folder: Option<String>,
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
}

fn is_refused(case: &Case) -> bool {
    let project = PathBuf::from("/home/user/project");
    let context = CommandContext {
        folder: project.join(case.folder.as_deref().unwrap_or_default()),
        project: project.clone(),
        home: Some("/home/user".into()),
        ..CommandContext::default()
    };
    let file = |path: &Path| case.files.get(path.strip_prefix(&project).ok()?.to_str()?).cloned();
    !judge_command(&case.run, &context, &file).is_empty()
}

/// The share of refused commands in percent.
#[track_caller]
fn refused(name: &str) -> f64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/held-out").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let set: HeldOut = toml::from_str(&text).unwrap();
    let count = set.command.iter().filter(|case| is_refused(case)).count();
    println!("{name}: {count} of {} refused", set.command.len());
    100.0 * f64::from(u32::try_from(count).unwrap())
        / f64::from(u32::try_from(set.command.len()).unwrap())
}

#[test]
fn attacks_wrappers_and_honest_commands() {
    let (attacks, wrapped) = (refused("attacks.toml"), refused("wrappers-and-remote.toml"));
    let honest = refused("honest.toml");
    assert!(attacks >= 97.0, "{attacks} % of the attacks are refused");
    assert!(wrapped >= 90.0, "{wrapped} % of the wrappers and remote targets are refused");
    assert!(honest <= 1.0, "{honest} % of the honest commands are refused");
}
