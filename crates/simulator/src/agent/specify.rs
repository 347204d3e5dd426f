//! Writes the tests of a story and its proof file.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tasks::Sha256Digest;

use super::session::{Halt, Session};

impl Session {
    pub(super) fn specify(
        &mut self,
        files: &BTreeMap<String, String>,
        tests: &[Vec<[String; 3]>],
    ) -> Result<(), Halt> {
        for (path, contents) in files {
            self.write(path, contents)?;
        }
        let story = self.assignment.stored_story();
        let criteria = story["acceptanceCriteria"].as_array().into_iter().flatten();
        let criteria: Vec<Value> = criteria
            .filter_map(Value::as_str)
            .enumerate()
            .map(|(position, text)| entry(text, tests.get(position).map_or(&[], Vec::as_slice)))
            .collect();
        if let Some(id) = self.assignment.story.clone() {
            let layout = &self.assignment.layout;
            let path = std::path::absolute(layout.root().join(layout.proof_name(&id)))?;
            let proof = json!({"story": id, "criteria": criteria});
            self.write(&path.to_string_lossy(), &format!("{proof:#}\n"))?;
        }
        self.commit(&format!("test: [{}] - tests of its criteria", self.assignment.story_id()))
    }
}

/// Maps a criterion to its tests.
fn entry(criterion: &str, tests: &[[String; 3]]) -> Value {
    let digest = Sha256Digest::of(criterion);
    if tests.is_empty() {
        return json!({"digest": digest, "criterion": criterion, "manual": "simulated"});
    }
    let tests = tests
        .iter()
        .map(|[command, file, name]| json!({"command": command, "file": file, "name": name}));
    json!({"digest": digest, "criterion": criterion, "tests": tests.collect::<Vec<_>>()})
}
