//! Which settings a new run may apply: not those that changed during a session whose runner died before it
//! could restore them. They name commands that run as the user, outside every isolation.

use std::path::{Path, PathBuf};

use project::{Layout, ProtectedFiles, RunLock, check_protected, record_protected};
use tasks::Sha256Digest;
use vcs::WorkTree;

use crate::RunError;
use crate::coordinator::SavedRun;
use crate::lane::protected_before;
use crate::prompts::PromptState;

const LARGEST: u64 = 16 * 1024 * 1024;

/// How an interrupted iteration is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptedIteration {
    /// It is judged, and the user's files are restored.
    Judged,
    LeftAsIs,
}

/// The state at the start of an interrupted session.
struct InterruptedSession {
    files: ProtectedFiles,
    /// The folder with copies of the files.
    folder: Option<PathBuf>,
}

/// The file to read the shared settings from; a missing one if there were none. Fails if the local settings
/// have changed.
pub fn trusted_settings(
    layout: &Layout,
    interrupted: InterruptedIteration,
) -> Result<PathBuf, RunError> {
    let on_disk = layout.settings();
    let [shared, local] =
        [&on_disk, &layout.local_settings()].map(|settings| layout.name_of(settings));
    let named = layout.named_settings_inside().map(|file| layout.name_of(file));
    for mut began in sessions(layout) {
        // The session could write it, and its run did not record its content.
        if named.as_ref().is_some_and(|named| !began.files.contains_key(named)) {
            return Err(refused(&shared));
        }
        began.files.retain(|path, _| *path == shared || *path == local);
        let changed = check_protected(layout.root(), &began.files);
        if changed.is_empty() {
            continue;
        }
        // A living runner restores it.
        drop(RunLock::acquire(layout)?);
        if changed.iter().any(|change| change.path() == local) {
            return Err(refused(&local));
        }
        let folder = began.folder.filter(|_| interrupted == InterruptedIteration::Judged);
        let before = folder.and_then(|folder| before(&folder, &shared, began.files[&shared]));
        return before.ok_or_else(|| refused(&shared));
    }
    Ok(on_disk)
}

/// Accepts the current settings, including those of git.
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
    if let Ok(Some(mut saved)) = SavedRun::load(layout) {
        let lane = &mut saved.lane;
        let running = lane.running.iter_mut().map(|running| &mut running.protected);
        let side = lane.side_session.iter_mut().map(|begun| &mut begun.protected);
        let all = running.chain(side).chain(&mut lane.settings_before);
        all.for_each(|files| files.extend(now.clone()));
        let tree = WorkTree::open(layout.root()).ok();
        saved.baseline.control = tree.and_then(|tree| tree.control_record().ok());
        saved.save(layout)?;
    }
    Ok(())
}

fn sessions(layout: &Layout) -> Vec<InterruptedSession> {
    // An invalid state is refused by the run itself.
    let prompts = PromptState::load(layout).ok().flatten().and_then(|state| state.settings_before);
    let of_prompts = prompts.map(|files| InterruptedSession { files, folder: None });
    let Some(SavedRun { run, lane, .. }) = SavedRun::load(layout).ok().flatten() else {
        return of_prompts.into_iter().collect();
    };
    let run_dir = layout.run_dir(&run.run_id);
    // Only its name: an agent could have written another path.
    let folder = |folder: &str| Some(run_dir.join(Path::new(folder).file_name()?));
    let running = lane.running.map(|running| InterruptedSession {
        folder: folder(&running.folder),
        files: running.protected,
    });
    let side = lane
        .side_session
        .map(|begun| InterruptedSession { folder: folder(&begun.folder), files: begun.protected });
    let after = lane.settings_before.map(|files| InterruptedSession { files, folder: None });
    [running, side, after, of_prompts].into_iter().flatten().collect()
}

/// A copy that matches the record, or a missing path.
fn before(folder: &Path, name: &str, recorded: Option<Sha256Digest>) -> Option<PathBuf> {
    let Some(recorded) = recorded else { return Some(PathBuf::new()) };
    let copy = protected_before(folder, name, recorded);
    let bytes = bounded_read::read_file(&copy, LARGEST).ok()?;
    (Sha256Digest::of(bytes) == recorded).then_some(copy)
}

fn refused(name: &str) -> RunError {
    RunError::precondition(
        format!("{name} changed during an interrupted session: the agent may have changed it"),
        "check and correct it, then confirm it with --trust-settings",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::LoopKind;

    #[test]
    fn settings_changed_during_a_prompt_session_need_trust() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let obeyed = || trusted_settings(&layout, InterruptedIteration::Judged);
        let mut state =
            PromptState::new("r1".into(), LoopKind::Prompt, "p".into(), "source".into());
        state.settings_before = Some(record_protected(&layout));
        state.save(&layout).unwrap();
        assert_eq!(obeyed().unwrap(), layout.settings());

        std::fs::write(layout.local_settings(), "{}").unwrap();
        let words = obeyed().unwrap_err().to_string();
        assert!(words.starts_with(".ralph/settings.local.json changed during"), "{words}");
        trust_settings(&layout).unwrap();
        assert_eq!(obeyed().unwrap(), layout.settings());

        std::fs::write(layout.local_settings(), "{\"env\": {}}").unwrap();
        let lock = RunLock::acquire(&layout).unwrap();
        assert!(matches!(obeyed(), Err(RunError::Lock(_))), "its runner lives");
        drop(lock);
        assert!(matches!(obeyed(), Err(RunError::Precondition { .. })));
    }

    #[test]
    fn a_named_settings_file_that_a_session_could_write_needs_trust() {
        let dir = assert_fs::TempDir::new().unwrap();
        let own = Layout::new(dir.path());
        let named = own.clone().with_settings(dir.path().join("ci.json"));
        let obeyed = || trusted_settings(&named, InterruptedIteration::Judged);
        std::fs::write(named.settings(), "{}").unwrap();
        assert_eq!(obeyed().unwrap(), named.settings(), "no session was cut off");
        let mut state =
            PromptState::new("r1".into(), LoopKind::Prompt, "p".into(), "source".into());
        state.settings_before = Some(record_protected(&own));
        state.save(&own).unwrap();
        let words = obeyed().unwrap_err().to_string();
        assert!(words.starts_with("ci.json changed during"), "{words}");
        trust_settings(&named).unwrap();
        assert_eq!(obeyed().unwrap(), named.settings());
        std::fs::write(named.settings(), "{\"env\": {}}").unwrap();
        assert!(matches!(obeyed(), Err(RunError::Precondition { .. })), "it is recorded now");
    }
}
