//! Parses the sandbox list that `ls` prints.

use serde_json::Value;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot parse the list of sandboxes: {0:?}")]
pub struct UnreadableList(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSandbox {
    pub name: String,
    pub status: SandboxStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxStatus {
    Stopped,
    /// Running, starting or stopping.
    Up,
}

impl SandboxStatus {
    fn of(word: &str) -> Self {
        if word.eq_ignore_ascii_case("stopped") { Self::Stopped } else { Self::Up }
    }
}

/// Parses `ls --json`. Lines about a starting daemon may come first. The key of the list is `sandboxes`,
/// `vms`, or absent.
pub fn in_json(output: &str) -> Result<Vec<ListedSandbox>, UnreadableList> {
    let unreadable = || UnreadableList(start_of(output));
    let begins = |line: &str| line.starts_with(['{', '[']);
    let before: usize =
        output.split_inclusive('\n').take_while(|line| !begins(line)).map(str::len).sum();
    let list: Value = serde_json::from_str(&output[before..]).map_err(|_| unreadable())?;
    let rows = match &list {
        Value::Object(keys) => keys.get("sandboxes").or_else(|| keys.get("vms")),
        rows => Some(rows),
    };
    match rows {
        Some(Value::Array(rows)) => {
            rows.iter().map(of_row).collect::<Option<_>>().ok_or_else(unreadable)
        }
        Some(Value::Null) => Ok(Vec::new()),
        _ => Err(unreadable()),
    }
}

fn of_row(row: &Value) -> Option<ListedSandbox> {
    let name = row.get("name")?.as_str()?.to_owned();
    let status =
        row.get("status").and_then(Value::as_str).map_or(SandboxStatus::Up, SandboxStatus::of);
    Some(ListedSandbox { name, status })
}

/// Parses the table of `ls`: the columns `SANDBOX` or `NAME`, and `STATUS`.
pub fn in_table(output: &str) -> Result<Vec<ListedSandbox>, UnreadableList> {
    let names_of = |line: &str| column(line, "SANDBOX").or_else(|| column(line, "NAME"));
    let mut lines = output.lines().skip_while(|line| names_of(line).is_none());
    let Some((titles, names)) = lines.next().and_then(|line| Some((line, names_of(line)?))) else {
        let none = output.trim().is_empty() || output.to_lowercase().contains("no sandboxes");
        return if none { Ok(Vec::new()) } else { Err(UnreadableList(start_of(output))) };
    };
    let statuses = column(titles, "STATUS");
    let listed = |line: &str| {
        let name = word_at(line, names)?.to_owned();
        let status = statuses
            .and_then(|column| word_at(line, column))
            .map_or(SandboxStatus::Up, SandboxStatus::of);
        Some(ListedSandbox { name, status })
    };
    let rows = lines.filter(|line| !line.trim().is_empty()).map(listed);
    rows.collect::<Option<_>>().ok_or_else(|| UnreadableList(start_of(output)))
}

/// The start of the column with this title.
fn column(titles: &str, title: &str) -> Option<usize> {
    let mut places = titles.match_indices(title).map(|(start, _)| start);
    places.find(|start| {
        let (before, after) = (&titles[..*start], &titles[start + title.len()..]);
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

fn word_at(line: &str, column: usize) -> Option<&str> {
    line.get(column..)?.split_whitespace().next()
}

fn start_of(output: &str) -> String {
    output.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up(name: &str) -> ListedSandbox {
        ListedSandbox { name: name.into(), status: SandboxStatus::Up }
    }

    fn stopped(name: &str) -> ListedSandbox {
        ListedSandbox { name: name.into(), status: SandboxStatus::Stopped }
    }

    #[test]
    fn every_shape_of_json() {
        let row = r#"{"name":"a","agent":"claude","status":"running","workspaces":["/b"]}"#;
        for list in [
            format!(r#"{{"sandboxes":[{row}]}}"#),
            format!("Starting the daemon...\n{{\n \"vms\": [\n{row}\n]\n}}\n"),
            format!("[{row}]"),
        ] {
            assert_eq!(in_json(&list), Ok(vec![up("a")]), "{list}");
        }
        let rows = r#"[{"name":"a","status":"stopped"},{"name":"b"}]"#;
        assert_eq!(in_json(rows), Ok(vec![stopped("a"), up("b")]));
        for none in [r#"{"sandboxes":[]}"#, r#"{"sandboxes":null}"#, "[]"] {
            assert_eq!(in_json(none), Ok(vec![]), "{none}");
        }
    }

    #[test]
    fn invalid_output_is_not_an_empty_list() {
        for list in ["", "{", "{}", "3", r#"{"error":"daemon"}"#, r#"[{"id":1}]"#, r#"{"vms":1}"#] {
            assert!(in_json(list).is_err(), "{list}");
        }
        for list in ["ERROR: the daemon is not running", "You are not authenticated to Docker"] {
            assert!(in_table(list).is_err(), "{list}");
        }
    }

    #[test]
    fn both_tables() {
        let sbx = "\
SANDBOX         AGENT   STATUS   PORTS                    WORKSPACE
my-sandbox      claude  running  127.0.0.1:8080->3000/tcp /home/user/proj
ralph           claude  stopped                           /home/user/NAME
";
        assert_eq!(in_table(sbx), Ok(vec![up("my-sandbox"), stopped("ralph")]));
        let docker = "\
VM ID         NAME       STATUS    WORKSPACE              SOCKET PATH    SANDBOXES    AGENTS
abc123def     claude-vm  running   /home/user/my-project  /docker.sock   2            claude
def456ghi     gemini-vm  stopped   /home/user/ml
";
        assert_eq!(in_table(docker), Ok(vec![up("claude-vm"), stopped("gemini-vm")]));
        assert_eq!(in_table("No sandboxes found.\n"), Ok(vec![]));
        assert_eq!(in_table(""), Ok(vec![]));
    }
}
