//! Shows the effective existing settings and asks whether to replace them.

use project::Layout;
use settings::{Flags, LoadedSettings, SettingsError};

use super::ask;
use super::{NoAnswer, UserIo};
use crate::scaffold::{Existing, one_line};

/// Asks whether to replace the project's settings, also broken ones.
pub(crate) fn overwrite(layout: &Layout, user: &mut dyn UserIo) -> Result<Existing, NoAnswer> {
    let loaded = settings::load(&layout.settings(), &layout.local_settings(), &Flags::new());
    user.say(&shown(&loaded))?;
    Ok(match ask::confirm(user, "Overwrite?", false)? {
        true => Existing::Replace,
        false => Existing::Keep,
    })
}

/// The settings redact their secrets themselves.
fn shown(loaded: &Result<LoadedSettings, SettingsError>) -> String {
    let (text, remark) = match loaded {
        Ok(loaded) => {
            let text = serde_json::to_string_pretty(&loaded.settings).unwrap_or_default();
            let overlay = match loaded.files.len() {
                0 | 1 => "",
                _ => " (with local overlay from settings.local.json)",
            };
            (text, format!("Loaded from .ralph/settings.json{overlay}"))
        }
        Err(error) => (error.to_string(), "The existing settings are invalid.".to_owned()),
    };
    let lines: Vec<String> = text.lines().map(one_line).collect();
    format!("\n{}\n\n{remark}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use assert_fs::TempDir;

    use super::*;
    use crate::dialogue::scripted_user::ScriptedUser;

    fn asked(files: &[(&str, &str)], answer: &'static str) -> (Existing, String) {
        let dir = TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        fs::create_dir(layout.data_dir()).unwrap();
        for (name, text) in files {
            fs::write(layout.data_dir().join(name), text).unwrap();
        }
        let mut user = ScriptedUser::new([answer]);
        let existing = overwrite(&layout, &mut user).unwrap();
        (existing, user.output().to_owned())
    }

    #[test]
    fn the_merged_settings_are_shown_with_their_files() {
        let base = ("settings.json", r#"{"agent": {"command": "codex"}, "maximumIterations": 7}"#);
        let (existing, output) = asked(&[base], "");
        assert_eq!(existing, Existing::Keep);
        assert!(output.contains("\n  \"maximumIterations\": 7,\n"), "{output}");
        let end = "}\n\nLoaded from .ralph/settings.json\nOverwrite? (y/N): \n";
        assert!(output.ends_with(end), "{output}");

        let local = ("settings.local.json", r#"{"maximumIterations": 9}"#);
        let (existing, output) = asked(&[base, local], "y");
        assert_eq!(existing, Existing::Replace);
        assert!(output.contains("\"command\": \"codex\"") && output.contains(": 9,"), "{output}");
        let sentence =
            "Loaded from .ralph/settings.json (with local overlay from settings.local.json)\n";
        assert!(output.contains(sentence), "{output}");
    }

    #[test]
    fn secrets_and_terminal_control_characters_are_not_shown() {
        let text =
            "{\"env\": {\"TOKEN\": \"s3cret\"}, \"completionResponse\": \"a\u{202e}b\u{9b}\"}";
        let (_, output) = asked(&[("settings.json", text)], "n");
        assert!(output.contains("TOKEN") && !output.contains("s3cret"), "{output}");
        assert!(!output.contains(['\u{202e}', '\u{9b}']), "{output}");
    }

    #[test]
    fn broken_settings_are_shown_and_can_be_replaced() {
        let (existing, output) = asked(&[("settings.json", "{\n  \"agent\": }")], "yes");
        assert_eq!(existing, Existing::Replace);
        assert!(output.contains(".ralph/settings.json: line 2, column 12"), "{output}");
        assert!(output.contains("The existing settings are invalid.\nOverwrite?"), "{output}");
    }
}
