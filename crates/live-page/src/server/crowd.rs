//! All that are connected. Whoever has shown the token stays; when it gets full, strangers leave in the
//! order they came, so that a newcomer always has time to show it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::{AbortHandle, JoinSet};

#[derive(Debug)]
pub(super) struct Crowd {
    connections: JoinSet<()>,
    most: usize,
    came: u64,
    strangers: Strangers,
}

/// By the order they came in.
#[derive(Debug, Clone, Default)]
struct Strangers(Arc<Mutex<BTreeMap<u64, AbortHandle>>>);

/// One of them, as itself.
#[derive(Debug)]
pub(super) struct Guest {
    number: u64,
    strangers: Strangers,
}

impl Guest {
    /// It showed the token.
    pub(super) fn is_known(&self) {
        self.strangers.with(|strangers| strangers.remove(&self.number));
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.is_known();
    }
}

impl Strangers {
    fn with<T>(&self, change: impl FnOnce(&mut BTreeMap<u64, AbortHandle>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Crowd {
    pub(super) fn new(most: usize) -> Self {
        let strangers = Strangers::default();
        Self { connections: JoinSet::new(), most, came: 0, strangers }
    }

    /// Whether there is room for one more now.
    pub(super) async fn make_room(&mut self) -> bool {
        while self.connections.len() >= self.most {
            if !self.send_a_stranger_away().await {
                return false;
            }
        }
        true
    }

    /// Whether there was one.
    pub(super) async fn send_a_stranger_away(&mut self) -> bool {
        let Some((_, stranger)) = self.strangers.with(BTreeMap::pop_first) else { return false };
        stranger.abort();
        self.somebody_left().await;
        true
    }

    pub(super) fn add<F>(&mut self, serve: impl FnOnce(Guest) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.came += 1;
        let (number, strangers) = (self.came, self.strangers.clone());
        let handle = self.connections.spawn(serve(Guest { number, strangers }));
        // It cannot have begun: whoever calls this is on the same thread.
        self.strangers.with(|strangers| strangers.insert(number, handle));
    }

    /// Never, if nobody is there.
    pub(super) async fn somebody_left(&mut self) {
        if self.connections.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    pub(super) async fn all_left(&mut self) {
        while self.connections.join_next().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    /// Stays until it is sent away, which the receiver hears of.
    fn stay(
        crowd: &mut Crowd,
        knows: impl FnOnce(&Guest) + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (staying, gone) = oneshot::channel::<()>();
        crowd.add(|guest| async move {
            knows(&guest);
            std::future::pending::<()>().await;
            drop((guest, staying));
        });
        gone
    }

    #[tokio::test]
    async fn when_it_is_full_the_stranger_that_came_first_leaves() {
        let mut crowd = Crowd::new(3);
        let mut known = stay(&mut crowd, Guest::is_known);
        let first = stay(&mut crowd, |_| {});
        let mut second = stay(&mut crowd, |_| {});
        tokio::task::yield_now().await;
        assert!(crowd.make_room().await);
        assert!(first.await.is_err());
        assert!(known.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        assert!(second.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
    }

    #[tokio::test]
    async fn when_all_are_known_nobody_comes_in() {
        let mut crowd = Crowd::new(2);
        let _both = [stay(&mut crowd, Guest::is_known), stay(&mut crowd, Guest::is_known)];
        tokio::task::yield_now().await;
        assert!(!crowd.make_room().await);
    }

    #[tokio::test]
    async fn whoever_left_is_no_stranger_any_more() {
        let mut crowd = Crowd::new(1);
        crowd.add(|guest| async move { drop(guest) });
        crowd.somebody_left().await;
        assert!(crowd.make_room().await);
        assert!(!crowd.send_a_stranger_away().await);
    }
}
