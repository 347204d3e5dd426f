//! What an agent is told on its command line, where nobody who writes in the project can change it:
//! the hooks are heard, the variables of the run hold, the sandbox is on. Pure.

use std::ffi::OsString;
use std::path::PathBuf;

use agents::Value as Variable;
use serde_json::{Map, Value, json};
use walls::native::GitSettings;

use crate::options::Wall;

/// `own` is what the user wants to be set; what keeps the walls up stands over it. `git` is for the
/// native sandbox, and so is `unwritable`.
pub(crate) fn settings(
    wall: &Wall,
    git: &GitSettings<'_>,
    unwritable: &[PathBuf],
    own: Option<&Value>,
    environment: &[(OsString, Variable)],
) -> String {
    let mut settings = own.cloned().unwrap_or_else(|| json!({}));
    lay_over(&mut settings, wall.settings(git, unwritable));
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

    fn told(wall: &Wall, own: Option<Value>, environment: &[(&str, Variable)]) -> Value {
        let git = GitSettings { ignores: std::path::Path::new("/ignores"), there: 0 };
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| (OsString::from(name), value.clone())).collect();
        serde_json::from_str(&settings(wall, &git, &[], own.as_ref(), &environment)).unwrap()
    }

    #[test]
    fn hooks_are_heard_and_variables_hold_behind_every_wall() {
        let shown = Variable::Shown("run-1".into());
        let told = told(&Wall::Guard, None, &[("RALPH_RUN_ID", shown)]);
        assert_eq!(told, json!({ "disableAllHooks": false, "env": { "RALPH_RUN_ID": "run-1" } }));
    }

    #[test]
    fn secrets_stay_off_the_command_line() {
        let told = told(&Wall::Guard, None, &[("KEY", Variable::Secret("s3cret".into()))]);
        assert_eq!(told["env"], json!({}));
    }

    #[test]
    fn the_users_own_settings_stay_and_take_no_wall_down() {
        let own = json!({
            "outputStyle": "terse", "disableAllHooks": true, "env": { "A": "1" },
            "sandbox": { "enabled": false },
        });
        let told = told(&Wall::Native(walls::NativeWall::default()), Some(own), &[]);
        assert_eq!(told["outputStyle"], "terse");
        assert_eq!(told["disableAllHooks"], false);
        assert_eq!(told["env"]["A"], "1");
        assert_eq!(told["env"]["GIT_CONFIG_VALUE_0"], "/ignores");
        assert_eq!(told["sandbox"]["enabled"], true);
    }
}
