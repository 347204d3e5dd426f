//! Which settings a run that begins may obey: not those that somebody wrote while a session ran whose
//! runner died before it could put them back. They name commands that run as the user, outside every
//! isolation.

use std::path::{Path, PathBuf};

use project::{Layout, ProtectedFiles, RunLock, check_protected, record_protected};
use tasks::Sha256Digest;
use vcs::WorkTree;

use crate::RunError;
use crate::prompts::PromptState;
use crate::stories::{RunState, protected_before};

const LARGEST: u64 = 16 * 1024 * 1024;

/// What becomes of an iteration that was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutOff {
    /// It is judged, and the user's files are put back.
    Judged,
    Left,
}

/// What a session that was cut off began with.
struct Began {
    files: ProtectedFiles,
    /// Where copies of them lie.
    folder: Option<PathBuf>,
}

/// The file to read the shared settings from; one that is not there if there were none. The local
/// settings are what they were, or this is an error.
pub fn settings_to_obey(layout: &Layout, cut_off: CutOff) -> Result<PathBuf, RunError> {
    let on_disk = layout.settings();
    let [shared, local] =
        [&on_disk, &layout.local_settings()].map(|settings| layout.name_of(settings));
    let named = layout.named_settings_inside().map(|file| layout.name_of(file));
    for mut began in sessions(layout) {
        // That session could write it, and its run did not record what was in it.
        if named.as_ref().is_some_and(|named| !began.files.contains_key(named)) {
            return Err(refused(&shared));
        }
        began.files.retain(|path, _| *path == shared || *path == local);
        let changed = check_protected(layout.root(), &began.files);
        if changed.is_empty() {
            continue;
        }
        // While its runner lives, that one sees to it.
        drop(RunLock::acquire(layout)?);
        if changed.iter().any(|change| change.path() == local) {
            return Err(refused(&local));
        }
        let folder = began.folder.filter(|_| cut_off == CutOff::Judged);
        let before = folder.and_then(|folder| before(&folder, &shared, began.files[&shared]));
        return before.ok_or_else(|| refused(&shared));
    }
    Ok(on_disk)
}

/// What the settings are now, those of git included, is the user's word.
pub fn trust_settings(layout: &Layout) -> Result<(), RunError> {
    let mut now = record_protected(layout);
    let own: Vec<String> =
        layout.settings_files().iter().map(|path| layout.name_of(path)).collect();
    now.retain(|path, _| own.contains(path));
    let _lock = RunLock::acquire(layout)?;
    if let Ok(Some(mut state)) = PromptState::load(layout) {
        state.settings_before.iter_mut().for_each(|files| files.extend(now.clone()));
        state.save(layout)?;
    }
    if let Ok(Some(mut state)) = RunState::load(layout) {
        let running = state.running.iter_mut().map(|running| &mut running.protected);
        let compacting = state.compacting.iter_mut().map(|begun| &mut begun.protected);
        let all = running.chain(compacting).chain(&mut state.settings_before);
        all.for_each(|files| files.extend(now.clone()));
        let tree = WorkTree::open(layout.root()).ok();
        state.control = tree.and_then(|tree| tree.control_record().ok());
        state.save(layout)?;
    }
    Ok(())
}

fn sessions(layout: &Layout) -> Vec<Began> {
    // A run refuses what makes no sense by itself.
    let prompts = PromptState::load(layout).ok().flatten().and_then(|state| state.settings_before);
    let of_prompts = prompts.map(|files| Began { files, folder: None });
    let Some(state) = RunState::load(layout).ok().flatten() else {
        return of_prompts.into_iter().collect();
    };
    let run_dir = layout.run_dir(&state.run_id);
    // Only its name: an agent could have written a path that leads anywhere.
    let folder = |folder: &str| Some(run_dir.join(Path::new(folder).file_name()?));
    let running = state
        .running
        .map(|running| Began { folder: folder(&running.folder), files: running.protected });
    let compacting = state
        .compacting
        .map(|begun| Began { folder: folder(&begun.folder), files: begun.protected });
    let after = state.settings_before.map(|files| Began { files, folder: None });
    [running, compacting, after, of_prompts].into_iter().flatten().collect()
}

/// A copy that is what was recorded, or the way to nothing.
fn before(folder: &Path, name: &str, recorded: Option<Sha256Digest>) -> Option<PathBuf> {
    let Some(recorded) = recorded else { return Some(PathBuf::new()) };
    let copy = protected_before(folder, name);
    let bytes = bounded_read::read_file(&copy, LARGEST).ok()?;
    (Sha256Digest::of(bytes) == recorded).then_some(copy)
}

fn refused(name: &str) -> RunError {
    RunError::precondition(
        format!("{name} changed while a session ran that was cut off: it may be the agent's"),
        "look at it and make it what you want; then say so with --trust-settings",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoopKind;

    #[test]
    fn what_changed_in_a_session_over_a_prompt_is_not_obeyed_until_it_is_trusted() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let obeyed = || settings_to_obey(&layout, CutOff::Judged);
        let mut state =
            PromptState::new("r1".into(), LoopKind::Prompt, "p".into(), "source".into());
        state.settings_before = Some(record_protected(&layout));
        state.save(&layout).unwrap();
        assert_eq!(obeyed().unwrap(), layout.settings());

        std::fs::write(layout.local_settings(), "{}").unwrap();
        let words = obeyed().unwrap_err().to_string();
        assert!(words.starts_with(".ralph/settings.local.json changed while"), "{words}");
        trust_settings(&layout).unwrap();
        assert_eq!(obeyed().unwrap(), layout.settings());

        std::fs::write(layout.local_settings(), "{\"env\": {}}").unwrap();
        let lock = RunLock::acquire(&layout).unwrap();
        assert!(matches!(obeyed(), Err(RunError::Lock(_))), "its runner lives");
        drop(lock);
        assert!(matches!(obeyed(), Err(RunError::Precondition { .. })));
    }

    #[test]
    fn a_named_settings_file_that_a_session_could_have_written_is_not_obeyed_until_it_is_trusted() {
        let dir = assert_fs::TempDir::new().unwrap();
        let own = Layout::new(dir.path());
        let named = own.clone().with_settings(dir.path().join("ci.json"));
        let obeyed = || settings_to_obey(&named, CutOff::Judged);
        std::fs::write(named.settings(), "{}").unwrap();
        assert_eq!(obeyed().unwrap(), named.settings(), "no session was cut off");
        let mut state =
            PromptState::new("r1".into(), LoopKind::Prompt, "p".into(), "source".into());
        state.settings_before = Some(record_protected(&own));
        state.save(&own).unwrap();
        let words = obeyed().unwrap_err().to_string();
        assert!(words.starts_with("ci.json changed while"), "{words}");
        trust_settings(&named).unwrap();
        assert_eq!(obeyed().unwrap(), named.settings());
        std::fs::write(named.settings(), "{\"env\": {}}").unwrap();
        assert!(matches!(obeyed(), Err(RunError::Precondition { .. })), "it is recorded now");
    }
}
