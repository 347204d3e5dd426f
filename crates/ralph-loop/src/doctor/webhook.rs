//! Whether notices can be posted where the settings say.

use std::path::Path;

use settings::Loaded;

use super::check::{Check, Fix, Id};

/// None if nothing is to be posted.
pub(crate) fn judge(loaded: &Loaded, curl: Option<&Path>) -> Option<Check> {
    loaded.settings.notifications.webhook.as_ref()?;
    Some(match curl {
        Some(curl) => Check::ok(Id::Webhook, format!("posted by {}", curl.display())),
        None => {
            let found = "a webhook is set, and there is no curl in PATH to post with";
            Check::warning(Id::Webhook, found, Fix::todo("install curl"))
        }
    })
}

#[cfg(test)]
mod tests {
    use settings::Flags;

    use super::*;
    use crate::doctor::check::State;

    #[test]
    fn a_webhook_needs_curl_and_nothing_else_does() {
        let none = Path::new("/nowhere/settings.json");
        let mut flags = Flags::new();
        let without = settings::load(none, none, &flags).unwrap();
        assert_eq!(judge(&without, None), None);
        flags.set("x", &["notifications", "webhook"], "https://example.com/hunter2");
        let with = settings::load(none, none, &flags).unwrap();
        let state = |curl| judge(&with, curl).map(|check| check.state);
        assert_eq!(state(None), Some(State::Warning));
        assert_eq!(state(Some(Path::new("/usr/bin/curl"))), Some(State::Ok));
        assert!(!format!("{:?}", judge(&with, None)).contains("hunter2"));
    }
}
