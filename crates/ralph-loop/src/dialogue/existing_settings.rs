//! Settings that are here already: shown as they hold, and asked about.

use project::Layout;
use settings::{Flags, Loaded, SettingsError};

use super::ask::{self, Decision};
use super::{Silence, Talk};
use crate::scaffold::{Existing, one_line};

/// Whether the project's settings may be replaced. Broken ones are no obstacle: to replace them
/// is a way out.
pub(crate) fn overwrite(layout: &Layout, talk: &mut dyn Talk) -> Result<Existing, Silence> {
    let loaded = settings::load(&layout.settings(), &layout.local_settings(), &Flags::new());
    talk.say(&shown(&loaded))?;
    Ok(match ask::decision(talk, "Overwrite?")? {
        Decision::Yes => Existing::Replace,
        Decision::No => Existing::Keep,
    })
}

/// Secrets are redacted by the settings themselves.
fn shown(loaded: &Result<Loaded, SettingsError>) -> String {
    let (text, remark) = match loaded {
        Ok(loaded) => {
            let text = serde_json::to_string_pretty(&loaded.settings).unwrap_or_default();
            let overlay = match loaded.files.len() {
                0 | 1 => "",
                _ => " (with local overlay from settings.local.json)",
            };
            (text, format!("Loaded from .ralph/settings.json{overlay}"))
        }
        Err(error) => (error.to_string(), "The settings that are here cannot be used.".to_owned()),
    };
    let lines: Vec<String> = text.lines().map(one_line).collect();
    format!("\n{}\n\n{remark}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use assert_fs::TempDir;

    use super::*;
    use crate::dialogue::script::Script;

    fn asked(files: &[(&str, &str)], answer: &'static str) -> (Existing, String) {
        let dir = TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        fs::create_dir(layout.data_dir()).unwrap();
        for (name, text) in files {
            fs::write(layout.data_dir().join(name), text).unwrap();
        }
        let mut talk = Script::new([answer]);
        let existing = overwrite(&layout, &mut talk).unwrap();
        (existing, talk.said().to_owned())
    }

    #[test]
    fn the_merged_settings_are_shown_with_their_files() {
        let base = ("settings.json", r#"{"agent": {"command": "codex"}, "maximumIterations": 7}"#);
        let (existing, said) = asked(&[base], "");
        assert_eq!(existing, Existing::Keep);
        assert!(said.contains("\n  \"maximumIterations\": 7,\n"), "{said}");
        let end = "}\n\nLoaded from .ralph/settings.json\nOverwrite? (y/N): \n";
        assert!(said.ends_with(end), "{said}");

        let local = ("settings.local.json", r#"{"maximumIterations": 9}"#);
        let (existing, said) = asked(&[base, local], "y");
        assert_eq!(existing, Existing::Replace);
        assert!(said.contains("\"command\": \"codex\"") && said.contains(": 9,"), "{said}");
        let sentence =
            "Loaded from .ralph/settings.json (with local overlay from settings.local.json)\n";
        assert!(said.contains(sentence), "{said}");
    }

    #[test]
    fn secrets_and_what_steers_a_terminal_are_not_shown() {
        let text =
            "{\"env\": {\"TOKEN\": \"s3cret\"}, \"completionResponse\": \"a\u{202e}b\u{9b}\"}";
        let (_, said) = asked(&[("settings.json", text)], "n");
        assert!(said.contains("TOKEN") && !said.contains("s3cret"), "{said}");
        assert!(!said.contains(['\u{202e}', '\u{9b}']), "{said}");
    }

    #[test]
    fn broken_settings_are_named_and_may_be_replaced() {
        let (existing, said) = asked(&[("settings.json", "{\n  \"agent\": }")], "yes");
        assert_eq!(existing, Existing::Replace);
        assert!(said.contains(".ralph/settings.json: line 2, column 12"), "{said}");
        assert!(said.contains("The settings that are here cannot be used.\nOverwrite?"), "{said}");
    }
}
