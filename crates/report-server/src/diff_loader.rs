//! Reads the file changes of a run on a separate thread, because git may be slow.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use html_report::Diffs;

use crate::renderer::PageSource;
use crate::run_follower::ShownRun;

const NOT_YET: &str = "Loading the changes…";

/// The run, and the number of its ended iterations.
type Version = (String, usize);

#[derive(Debug, Default)]
pub(crate) struct DiffLoader {
    known: Diffs,
    of: Option<Version>,
    loading: Option<(Version, Receiver<Diffs>)>,
}

impl DiffLoader {
    /// The known changes. Missing ones are requested, one request at a time.
    pub(crate) fn of<M: PageSource>(&mut self, shown: &ShownRun, source: &Arc<M>) -> &Diffs {
        let iterations = &shown.view.records;
        let ended = iterations.iter().filter(|iteration| iteration.end.is_some()).count();
        let wanted = (shown.id.clone(), ended);
        if self.of.as_ref().is_none_or(|(run, _)| *run != wanted.0) {
            self.known = Diffs { notes: vec![NOT_YET.to_owned()], ..Diffs::default() };
            self.of = None;
        }
        if self.loading.is_none() && self.of.as_ref() != Some(&wanted) {
            let (to, from) = mpsc::channel();
            let (source, view) = (source.clone(), shown.view.clone());
            // The receiver may be gone.
            std::thread::spawn(move || to.send(source.diffs(&view)));
            self.loading = Some((wanted, from));
        }
        &self.known
    }

    pub(crate) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Takes the result of a finished request; `true` if there was one.
    pub(crate) fn update(&mut self) -> bool {
        let Some((_, answer)) = &self.loading else { return false };
        let known = match answer.try_recv() {
            Ok(known) => known,
            Err(TryRecvError::Empty) => return false,
            Err(TryRecvError::Disconnected) => Diffs::default(),
        };
        self.known = known;
        self.of = self.loading.take().map(|(of, _)| of);
        true
    }
}
