//! Checks that notices can be posted to the webhook.

use std::path::Path;

use settings::LoadedSettings;

use super::check::{Check, CheckId, Fix};

/// `None` without a webhook.
pub(crate) fn judge(loaded: &LoadedSettings, curl: Option<&Path>) -> Option<Check> {
    loaded.settings.notifications.webhook.as_ref()?;
    Some(match curl {
        Some(curl) => Check::ok(CheckId::Webhook, format!("posted by {}", curl.display())),
        None => {
            let found = "a webhook is configured, but curl is not in PATH";
            Check::warning(CheckId::Webhook, found, Fix::todo("install curl"))
        }
    })
}

#[cfg(test)]
mod tests {
    use settings::Flags;

    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn a_webhook_needs_curl_and_nothing_else_does() {
        let none = Path::new("/nowhere/settings.json");
        let mut flags = Flags::new();
        let without = settings::load(none, none, &flags).unwrap();
        assert_eq!(judge(&without, None), None);
        flags.set("x", &["notifications", "webhook"], "https://example.com/hunter2");
        let with = settings::load(none, none, &flags).unwrap();
        let state = |curl| judge(&with, curl).map(|check| check.state);
        assert_eq!(state(None), Some(CheckState::Warning));
        assert_eq!(state(Some(Path::new("/usr/bin/curl"))), Some(CheckState::Ok));
        assert!(!format!("{:?}", judge(&with, None)).contains("hunter2"));
    }
}
