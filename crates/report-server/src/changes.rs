//! What the stories of a run changed, asked for on a thread of its own: git may take its time, and the
//! page does not wait for it.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use html_report::Diffs;

use crate::renderer::Material;
use crate::subject::{Change, Shown};

const NOT_YET: &str = "What changed is being looked up; the page shows it as soon as it is known.";

/// Which run, and how many of its iterations had ended.
type Of = (String, usize);

#[derive(Debug, Default)]
pub(crate) struct Changes {
    known: Diffs,
    of: Option<Of>,
    under_way: Option<(Of, Receiver<Diffs>)>,
}

impl Changes {
    /// As far as they are known. What is missing of them is asked for, one question at a time.
    pub(crate) fn of<M: Material>(&mut self, shown: &Shown, material: &Arc<M>) -> &Diffs {
        let iterations = &shown.history.iterations;
        let ended = iterations.iter().filter(|iteration| iteration.end.is_some()).count();
        let wanted = (shown.id.clone(), ended);
        if self.of.as_ref().is_none_or(|(run, _)| *run != wanted.0) {
            self.known = Diffs { notes: vec![NOT_YET.to_owned()], ..Diffs::default() };
            self.of = None;
        }
        if self.under_way.is_none() && self.of.as_ref() != Some(&wanted) {
            let (to, from) = mpsc::channel();
            let (material, history) = (material.clone(), shown.history.clone());
            // Whoever wanted to know may have gone.
            std::thread::spawn(move || to.send(material.diffs(&history)));
            self.under_way = Some((wanted, from));
        }
        &self.known
    }

    pub(crate) fn are_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Takes in what was found out since.
    pub(crate) fn look(&mut self) -> Change {
        let Some((_, answer)) = &self.under_way else { return Change::None };
        let known = match answer.try_recv() {
            Ok(known) => known,
            Err(TryRecvError::Empty) => return Change::None,
            Err(TryRecvError::Disconnected) => Diffs::default(),
        };
        self.known = known;
        self.of = self.under_way.take().map(|(of, _)| of);
        Change::Some
    }
}
