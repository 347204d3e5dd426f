//! Skills from `.ralph/skills/`, which stories name.

use std::collections::BTreeMap;
use std::fmt;

use bounded_read::FileError;
use project::Layout;
use tasks::{Sha256Digest, SkillName, Story, StoryId, TaskList};

const LARGEST: u64 = 256 * 1024;

/// Larger skills get a warning, because every session with the skill pays for it.
const LARGE: usize = 4 * 1024;

/// Digests of the skills at the start of the run. An implementer could replace a skill to influence the reviewer.
#[derive(Debug, Default)]
pub(crate) struct KnownSkills(BTreeMap<SkillName, Sha256Digest>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skill {
    pub(crate) name: SkillName,
    pub(crate) text: String,
}

impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "# Skill: {}\n\n{}", self.name, self.text.trim())
    }
}

impl KnownSkills {
    /// Called before any session of the run.
    pub(crate) fn recorded(layout: &Layout) -> Self {
        let Ok(entries) = std::fs::read_dir(layout.skills_dir()) else { return Self::default() };
        let names = entries.filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            SkillName::new(name.strip_suffix(".md")?).ok()
        });
        let known = names.filter_map(|name| {
            let digest = Sha256Digest::of(read_skill(layout, &name).ok()?);
            Some((name, digest))
        });
        Self(known.collect())
    }

    /// The existing skills of a story, in its order. The run has warned of missing ones.
    pub(crate) fn of_story(&self, layout: &Layout, story: &Story) -> Vec<Skill> {
        let mut skills: Vec<Skill> = Vec::new();
        for name in &story.skills {
            if skills.iter().any(|skill| skill.name == *name) {
                continue;
            }
            let known = self.0.get(name);
            if let Ok(text) = read_skill(layout, name)
                && known == Some(&Sha256Digest::of(&text))
            {
                skills.push(Skill { name: name.clone(), text });
            }
        }
        skills
    }
}

fn read_skill(layout: &Layout, name: &SkillName) -> Result<String, FileError> {
    let bytes = bounded_read::read_file(&layout.skill(name), LARGEST)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Problems with the skills of open stories, one line each. They only warn, because an agent may add a story that
/// names a missing skill.
pub(crate) fn skill_problems(layout: &Layout, list: &TaskList) -> Vec<String> {
    let open = list.stories.iter().filter(|story| !story.passes);
    let mut names: Vec<(&SkillName, Vec<&StoryId>)> = Vec::new();
    for story in open {
        for name in &story.skills {
            match names.iter_mut().find(|(known, _)| *known == name) {
                Some((_, stories)) => stories.push(&story.id),
                None => names.push((name, vec![&story.id])),
            }
        }
    }
    names.into_iter().filter_map(|(name, stories)| skill_problem(layout, name, &stories)).collect()
}

fn skill_problem(layout: &Layout, name: &SkillName, stories: &[&StoryId]) -> Option<String> {
    let file = layout.name_of(&layout.skill(name));
    let stories: Vec<&str> = stories.iter().map(|id| id.as_str()).collect();
    let stories = stories.join(", ");
    match read_skill(layout, name) {
        Ok(text) if text.len() > LARGE => Some(format!(
            "{file} has {} bytes, which every session of {stories} pays for (recommended: at most {LARGE})",
            text.len()
        )),
        Ok(_) => None,
        Err(FileError::Absent) => Some(format!(
            "{stories} needs skill {name}, but {file} does not exist; continuing without it"
        )),
        Err(error) => {
            Some(format!("{stories} needs skill {name}, but {file} cannot be read: {error}"))
        }
    }
}
