//! Builds the JSON settings that an agent gets on its command line, where files of the project cannot
//! override them: hooks are enabled, the variables of the run are set, the sandbox is configured.

use std::ffi::OsString;

use agents::Value as Variable;
use isolation::Isolation;
use serde_json::{Map, Value, json};

/// Merges `own`, the user's settings for the agent, with what the isolation requires, which takes precedence.
pub(crate) fn settings(
    isolation: Isolation,
    own: Option<&Value>,
    environment: &[(OsString, Variable)],
) -> String {
    let mut settings = own.cloned().unwrap_or_else(|| json!({}));
    if matches!(isolation, Isolation::Os | Isolation::Container) {
        // Claude Code's own sandbox cannot run inside this one, and each command would fail.
        merge_into(&mut settings, json!({ "sandbox": { "enabled": false } }));
    }
    let env = environment.iter().filter_map(|(name, value)| match value {
        Variable::Shown(value) => Some((name.to_str()?.to_owned(), json!(value.to_str()?))),
        // Every user of the machine can read a command line.
        Variable::Secret(_) | Variable::Removed => None,
    });
    let env: Map<String, Value> = env.collect();
    merge_into(&mut settings, json!({ "disableAllHooks": false, "env": env }));
    settings.to_string()
}

/// Merges objects key by key, concatenates arrays and replaces everything else.
fn merge_into(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                merge_into(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(below), Value::Array(above)) => below.extend(above),
        (below, above) => *below = above,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(isolation: Isolation, own: Option<Value>, environment: &[(&str, Variable)]) -> Value {
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| (OsString::from(name), value.clone())).collect();
        serde_json::from_str(&settings(isolation, own.as_ref(), &environment)).unwrap()
    }

    #[test]
    fn hooks_are_enabled_and_variables_are_set() {
        let shown = Variable::Shown("run-1".into());
        let built = built(Isolation::Guard, None, &[("RALPH_RUN_ID", shown)]);
        assert_eq!(built, json!({ "disableAllHooks": false, "env": { "RALPH_RUN_ID": "run-1" } }));
    }

    #[test]
    fn secrets_stay_off_the_command_line() {
        let built = built(Isolation::Guard, None, &[("KEY", Variable::Secret("s3cret".into()))]);
        assert_eq!(built["env"], json!({}));
    }

    #[test]
    fn user_settings_stay_and_do_not_weaken_the_isolation() {
        let own = json!({
            "outputStyle": "terse", "disableAllHooks": true, "env": { "A": "1" },
            "sandbox": { "enabled": true },
        });
        let as_set = built(Isolation::Guard, Some(own.clone()), &[]);
        assert_eq!(as_set["sandbox"]["enabled"], true);
        let built = built(Isolation::Os, Some(own), &[]);
        assert_eq!(built["outputStyle"], "terse");
        assert_eq!(built["disableAllHooks"], false);
        assert_eq!(built["env"]["A"], "1");
        assert_eq!(built["sandbox"]["enabled"], false, "sandboxes cannot be nested");
    }
}
