//! Which changes of a state that all lanes share are on disk.

use std::sync::{Mutex, PoisonError};

/// The number of the last change that was written.
#[derive(Default)]
pub(crate) struct SavedChanges(Mutex<u64>);

impl SavedChanges {
    /// Returns once change `own` is written. `write` writes all changes so far and returns the number of the last one.
    /// While a lane writes, the others wait; the next write is for all of them.
    pub(crate) fn include<E>(
        &self,
        own: u64,
        write: impl FnOnce() -> Result<u64, E>,
    ) -> Result<(), E> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *last < own {
            *last = write()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_for_all_changes_before_it() {
        let saved = SavedChanges::default();
        let mut writes = Vec::new();
        for own in [1, 2, 3, 4] {
            // The second write starts when there were three changes.
            let write = || {
                let last = if own == 1 { 1 } else { own + 1 };
                writes.push(last);
                Ok::<u64, ()>(last)
            };
            saved.include(own, write).unwrap();
        }
        assert_eq!(writes, [1, 3, 5]);
    }

    #[test]
    fn a_failed_write_does_not_count() {
        let saved = SavedChanges::default();
        assert_eq!(saved.include(1, || Err("full")), Err("full"));
        let mut is_written = false;
        let write = || {
            is_written = true;
            Ok::<u64, &str>(1)
        };
        assert_eq!(saved.include(1, write), Ok(()));
        assert!(is_written);
    }
}
