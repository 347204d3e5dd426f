//! All that are connected. Whoever has shown the token stays; when it gets full, unauthenticated leave in the
//! order they came, so that a newcomer always has time to show it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::{AbortHandle, JoinSet};

#[derive(Debug)]
pub(super) struct Connections {
    connections: JoinSet<()>,
    most: usize,
    came: u64,
    unauthenticated: Unauthenticated,
}

/// By the order they came in.
#[derive(Debug, Clone, Default)]
struct Unauthenticated(Arc<Mutex<BTreeMap<u64, AbortHandle>>>);

/// One of them, as itself.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    unauthenticated: Unauthenticated,
}

impl Connection {
    /// It showed the token.
    pub(super) fn is_known(&self) {
        self.unauthenticated.with(|unauthenticated| unauthenticated.remove(&self.number));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.is_known();
    }
}

impl Unauthenticated {
    fn with<T>(&self, change: impl FnOnce(&mut BTreeMap<u64, AbortHandle>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Connections {
    pub(super) fn new(most: usize) -> Self {
        let unauthenticated = Unauthenticated::default();
        Self { connections: JoinSet::new(), most, came: 0, unauthenticated }
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
        let Some((_, stranger)) = self.unauthenticated.with(BTreeMap::pop_first) else {
            return false;
        };
        stranger.abort();
        self.somebody_left().await;
        true
    }

    pub(super) fn add<F>(&mut self, serve: impl FnOnce(Connection) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.came += 1;
        let (number, unauthenticated) = (self.came, self.unauthenticated.clone());
        let handle = self.connections.spawn(serve(Connection { number, unauthenticated }));
        // It cannot have begun: whoever calls this is on the same thread.
        self.unauthenticated.with(|unauthenticated| unauthenticated.insert(number, handle));
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
        connections: &mut Connections,
        knows: impl FnOnce(&Connection) + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (staying, gone) = oneshot::channel::<()>();
        connections.add(|connection| async move {
            knows(&connection);
            std::future::pending::<()>().await;
            drop((connection, staying));
        });
        gone
    }

    #[tokio::test]
    async fn when_it_is_full_the_stranger_that_came_first_leaves() {
        let mut connections = Connections::new(3);
        let mut known = stay(&mut connections, Connection::is_known);
        let first = stay(&mut connections, |_| {});
        let mut second = stay(&mut connections, |_| {});
        tokio::task::yield_now().await;
        assert!(connections.make_room().await);
        assert!(first.await.is_err());
        assert!(known.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        assert!(second.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
    }

    #[tokio::test]
    async fn when_all_are_known_nobody_comes_in() {
        let mut connections = Connections::new(2);
        let _both = [
            stay(&mut connections, Connection::is_known),
            stay(&mut connections, Connection::is_known),
        ];
        tokio::task::yield_now().await;
        assert!(!connections.make_room().await);
    }

    #[tokio::test]
    async fn whoever_left_is_no_stranger_any_more() {
        let mut connections = Connections::new(1);
        connections.add(|connection| async move { drop(connection) });
        connections.somebody_left().await;
        assert!(connections.make_room().await);
        assert!(!connections.send_a_stranger_away().await);
    }
}
