//! git settings for the agent's sessions, by environment: whatever git the agent starts heeds them.

use std::ffi::OsString;

/// git tidies up in the background after some commits, where it would be ended together with the
/// agent, again and again. In the foreground it comes to its end.
const SETTINGS: [(&str, &str); 2] =
    [("gc.autoDetach", "false"), ("maintenance.autoDetach", "false")];

/// Added to what `inherited` (GIT_CONFIG_COUNT) says is there already.
pub(crate) fn environment(inherited: Option<&str>) -> Vec<(OsString, OsString)> {
    let there: usize = inherited.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    let count = (there + SETTINGS.len()).to_string();
    let settings = SETTINGS.iter().enumerate().flat_map(|(index, (key, value))| {
        let number = there + index;
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
    fn the_users_own_settings_stay() {
        let variables = environment(Some("3"));
        assert_eq!(value(&variables, "GIT_CONFIG_COUNT"), "5");
        assert_eq!(value(&variables, "GIT_CONFIG_KEY_3"), "gc.autoDetach");
        assert_eq!(value(&variables, "GIT_CONFIG_VALUE_4"), "false");
    }

    #[test]
    fn without_settings_these_are_the_first() {
        for inherited in [None, Some(""), Some("many")] {
            let variables = environment(inherited);
            assert_eq!(value(&variables, "GIT_CONFIG_COUNT"), "2", "{inherited:?}");
            assert_eq!(value(&variables, "GIT_CONFIG_KEY_0"), "gc.autoDetach");
        }
    }
}
