//! The command line of the worker of a job.

use crate::job::Work;

/// `ralph-loop` on a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerProgram {
    pub path: String,
    /// Variables for the agent: a file, or a folder with one file for each.
    pub secrets: Option<String>,
    /// For clones. Default: the folder for temporary files.
    pub folder: Option<String>,
}

impl WorkerProgram {
    pub(crate) fn command(&self, work: &Work) -> Vec<String> {
        let named = [
            ("--repository", Some(&work.repository)),
            ("--ref", Some(&work.name)),
            ("--commit", Some(&work.commit)),
            ("--secrets", self.secrets.as_ref()),
            ("--folder", self.folder.as_ref()),
        ];
        let options = named.into_iter().filter_map(|(flag, value)| Some([flag, value?.as_str()]));
        let words = [self.path.as_str(), "worker"].into_iter().chain(options.flatten());
        words.map(str::to_owned).collect()
    }
}
