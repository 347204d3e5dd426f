//! What an agent is told on its command line, where nobody who writes in the project can change it:
//! the hooks are heard, the variables of the run hold, the sandbox is on. Pure.

use std::ffi::OsString;

use agents::Value as Variable;
use isolation::Isolation;
use serde_json::{Map, Value, json};

/// `own` is what the user wants to be set; what the isolation needs stands over it.
pub(crate) fn settings(
    isolation: Isolation,
    own: Option<&Value>,
    environment: &[(OsString, Variable)],
) -> String {
    let mut settings = own.cloned().unwrap_or_else(|| json!({}));
    if matches!(isolation, Isolation::Os | Isolation::Container) {
        // Claude Code's own sandbox cannot run inside this one, and each command would fail.
        lay_over(&mut settings, json!({ "sandbox": { "enabled": false } }));
    }
    let env = environment.iter().filter_map(|(name, value)| match value {
        Variable::Shown(value) => Some((name.to_str()?.to_owned(), json!(value.to_str()?))),
        // Anybody on the machine can read a command line.
        Variable::Secret(_) | Variable::Removed => None,
    });
    let env: Map<String, Value> = env.collect();
    lay_over(&mut settings, json!({ "disableAllHooks": false, "env": env }));
    settings.to_string()
}

/// Objects key by key, lists one after the other, anything else replaced.
fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                lay_over(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(below), Value::Array(above)) => below.extend(above),
        (below, above) => *below = above,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(isolation: Isolation, own: Option<Value>, environment: &[(&str, Variable)]) -> Value {
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| (OsString::from(name), value.clone())).collect();
        serde_json::from_str(&settings(isolation, own.as_ref(), &environment)).unwrap()
    }

    #[test]
    fn hooks_are_on_and_variables_hold() {
        let shown = Variable::Shown("run-1".into());
        let told = told(Isolation::Guard, None, &[("RALPH_RUN_ID", shown)]);
        assert_eq!(told, json!({ "disableAllHooks": false, "env": { "RALPH_RUN_ID": "run-1" } }));
    }

    #[test]
    fn secrets_stay_off_the_command_line() {
        let told = told(Isolation::Guard, None, &[("KEY", Variable::Secret("s3cret".into()))]);
        assert_eq!(told["env"], json!({}));
    }

    #[test]
    fn the_users_own_settings_stay_and_break_no_isolation() {
        let own = json!({
            "outputStyle": "terse", "disableAllHooks": true, "env": { "A": "1" },
            "sandbox": { "enabled": true },
        });
        let as_set = told(Isolation::Guard, Some(own.clone()), &[]);
        assert_eq!(as_set["sandbox"]["enabled"], true);
        let told = told(Isolation::Os, Some(own), &[]);
        assert_eq!(told["outputStyle"], "terse");
        assert_eq!(told["disableAllHooks"], false);
        assert_eq!(told["env"]["A"], "1");
        assert_eq!(told["sandbox"]["enabled"], false, "it cannot run inside another one");
    }
}
