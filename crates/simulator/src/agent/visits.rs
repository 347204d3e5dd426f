//! Counts the sessions of a story in a mode, across sessions.
//!
//! Each visit is appended before the session acts, so that it counts even if the session crashes.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::assignment::Assignment;

/// Records this visit and returns its number, from 1.
pub(super) fn count(folder: &Path, assignment: &Assignment) -> io::Result<u64> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("visits.txt");
    let mode = assignment.mode.map_or("-", |mode| mode.as_str());
    let story = assignment.story.as_ref().map_or("-", |id| id.as_str());
    let visit = format!("{mode} {story}");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    file.write_all(format!("{visit}\n").as_bytes())?;
    let visits = std::fs::read_to_string(&path)?;
    Ok(visits.lines().filter(|line| *line == visit).count() as u64)
}

#[cfg(test)]
mod tests {
    use tasks::{Mode, StoryId};

    use super::*;

    #[test]
    fn each_mode_and_story_is_counted_apart() {
        let dir = tempfile::tempdir().unwrap();
        let memory = dir.path().join("not/there/yet");
        let visit = |mode, story| {
            let story = StoryId::new(story).ok();
            let assignment = Assignment { mode: Some(mode), story, ..Assignment::default() };
            count(&memory, &assignment).unwrap()
        };
        assert_eq!(visit(Mode::Implement, "US-1"), 1);
        assert_eq!(visit(Mode::Review, "US-1"), 1);
        assert_eq!(visit(Mode::Implement, "US-10"), 1);
        assert_eq!(visit(Mode::Implement, "US-1"), 2);
    }
}
