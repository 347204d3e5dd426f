//! git settings for every git in the agent's sessions, through environment variables.

use std::ffi::OsString;

/// Background maintenance of git would be killed together with the agent each time. In the foreground it completes.
const SETTINGS: [(&str, &str); 2] =
    [("gc.autoDetach", "false"), ("maintenance.autoDetach", "false")];

/// Appended to inherited settings, whose number is `inherited` (GIT_CONFIG_COUNT).
pub(crate) fn environment(inherited: Option<&str>) -> Vec<(OsString, OsString)> {
    let existing: usize = inherited.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    let count = (existing + SETTINGS.len()).to_string();
    let settings = SETTINGS.iter().enumerate().flat_map(|(index, (key, value))| {
        let number = existing + index;
        [(format!("GIT_CONFIG_KEY_{number}"), *key), (format!("GIT_CONFIG_VALUE_{number}"), *value)]
    });
    let mut variables: Vec<(OsString, OsString)> =
        settings.map(|(name, value)| (name.into(), value.into())).collect();
    variables.push(("GIT_CONFIG_COUNT".into(), count.into()));
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(variables: &[(OsString, OsString)], name: &str) -> String {
        let found = variables.iter().find(|(given, _)| given == name);
        found.unwrap().1.to_string_lossy().into_owned()
    }

    #[test]
    fn inherited_settings_are_kept() {
        let variables = environment(Some("3"));
        assert_eq!(value(&variables, "GIT_CONFIG_COUNT"), "5");
        assert_eq!(value(&variables, "GIT_CONFIG_KEY_3"), "gc.autoDetach");
        assert_eq!(value(&variables, "GIT_CONFIG_VALUE_4"), "false");
    }

    #[test]
    fn without_inherited_settings_the_numbers_start_at_zero() {
        for inherited in [None, Some(""), Some("many")] {
            let variables = environment(inherited);
            assert_eq!(value(&variables, "GIT_CONFIG_COUNT"), "2", "{inherited:?}");
            assert_eq!(value(&variables, "GIT_CONFIG_KEY_0"), "gc.autoDetach");
        }
    }
}
