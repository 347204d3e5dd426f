//! Whether something can run the tests of proofs, if a story needs one.

use project::Layout;
use proof::Framework;
use run_options::ProofUse;
use settings::Settings;

use super::check::{Check, CheckId, Fix};
use crate::status::TaskFile;

/// `None` if no story needs a proof.
pub(super) fn look(layout: &Layout, settings: &Settings) -> Option<Check> {
    let by_default = settings.proof.stories;
    let is_needed = match TaskFile::read(layout).list() {
        Some(list) => {
            let mut uses = list.stories.iter().map(|story| story.proof.unwrap_or(by_default));
            uses.any(|proof| proof == ProofUse::Require)
        }
        None => by_default == ProofUse::Require,
    };
    is_needed.then(|| judge(&Framework::detect(layout.root()), settings.proof.run.is_some()))
}

fn judge(found: &[Framework], has_command: bool) -> Check {
    let found = found.iter().map(ToString::to_string);
    let runners: Vec<String> =
        found.chain(has_command.then(|| "the command of proof.run".to_owned())).collect();
    if runners.is_empty() {
        let found = "stories need a proof, but no test framework was found";
        let fix = "set proof.run, unless a framework of docs/proof.md is used in a subfolder; or set proof to \"off\"";
        return CheckId::Proof.warning(found, Fix::todo(fix));
    }
    CheckId::Proof.ok(format!("tests run with {}", runners.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn something_must_run_the_tests() {
        let without = judge(&[], false);
        assert_eq!(without.state, CheckState::Warning);
        assert!(without.fix.unwrap().text().contains("set proof.run"));
        for (found, has_command, expected) in [
            (&[Framework::Cargo, Framework::Pytest][..], false, "tests run with cargo, pytest"),
            (&[], true, "tests run with the command of proof.run"),
        ] {
            let check = judge(found, has_command);
            assert_eq!((check.state, check.found.as_str()), (CheckState::Ok, expected));
        }
    }

    #[test]
    fn only_stories_that_need_a_proof_count() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let state = |proof: ProofUse, story: Option<&str>| {
            if let Some(proof) = story {
                let list = serde_json::json!({
                    "project": "p", "branchName": "b", "description": "d", "verifyCommands": [],
                    "userStories": [{
                        "id": "US-001", "title": "t", "acceptanceCriteria": ["c"], "priority": 1, "passes": false,
                        "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "", "proof": proof,
                    }],
                });
                std::fs::create_dir_all(layout.ralph_dir()).unwrap();
                std::fs::write(layout.tasks(), list.to_string()).unwrap();
            }
            let mut settings = Settings::default();
            settings.proof.stories = proof;
            look(&layout, &settings).map(|check| check.state)
        };
        assert_eq!(state(ProofUse::Off, None), None);
        assert_eq!(state(ProofUse::Require, None), Some(CheckState::Warning));
        assert_eq!(state(ProofUse::Off, Some("require")), Some(CheckState::Warning));
        assert_eq!(state(ProofUse::Require, Some("off")), None);
        std::fs::write(dir.path().join("go.mod"), "module a").unwrap();
        assert_eq!(state(ProofUse::Off, Some("require")), Some(CheckState::Ok));
    }
}
