//! Replaces a link in place of the task list's folder with a real folder. Otherwise the runner would write to the
//! link's target.

use bounded_read::read_file;
use project::{AGENTS_FILES, LARGEST_TASK_LIST, USERS_FILES};

use crate::run_files::deadline;
use crate::workspace::core::Workspace;
use crate::workspace::session_work::SessionWork;
use crate::{RunError, run_files};

impl Workspace<'_> {
    /// Recreates the folder with the files that the link shows. A link from before the iteration is the user's.
    pub(crate) fn keep_list_folder(&mut self, work: &SessionWork<'_>) -> Result<(), RunError> {
        let folder = self.layout.ralph_dir();
        if !folder.is_symlink() || !self.had_folder(work)? {
            return Ok(());
        }
        let read = |name| Some((name, read_file(&folder.join(name), LARGEST_TASK_LIST).ok()?));
        // The files of the loop. Other files stay where they were moved to.
        let files = AGENTS_FILES.into_iter().chain(USERS_FILES);
        let contents: Vec<(&str, Vec<u8>)> = files.filter_map(read).collect();
        let name = self.layout.ralph_dir_name();
        let failed = |error| RunError::Disk { path: name.clone(), error };
        std::fs::remove_file(&folder).map_err(failed)?;
        run_files::make_folder(&folder, self.layout)?;
        for (file, contents) in contents {
            project::replace_whole(&folder.join(file), &contents).map_err(failed)?;
        }
        self.sink.warn(format!(
            "{} replaced {name} with a link; replaced it with a folder again",
            work.label
        ));
        Ok(())
    }

    /// git has no files behind a link, so the folder existed if git has the list.
    fn had_folder(&self, work: &SessionWork<'_>) -> Result<bool, RunError> {
        let list = self.layout.tasks_name();
        let found = self.tree.file_at(work.checkpoint, &list, LARGEST_TASK_LIST, deadline())?;
        Ok(found.is_some())
    }
}
