//! Open connections. At the limit, the oldest connection that has not shown the token is closed.

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

/// In the order of their arrival.
#[derive(Debug, Clone, Default)]
struct Unauthenticated(Arc<Mutex<BTreeMap<u64, AbortHandle>>>);

/// The handle of one connection.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    unauthenticated: Unauthenticated,
}

impl Connection {
    /// Called after it showed the token.
    pub(super) fn authenticated(&self) {
        self.unauthenticated.with(|unauthenticated| unauthenticated.remove(&self.number));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.authenticated();
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

    /// Closes an unauthenticated connection if necessary; returns whether one more fits.
    pub(super) async fn make_space(&mut self) -> bool {
        while self.connections.len() >= self.most {
            if !self.close_unauthenticated().await {
                return false;
            }
        }
        true
    }

    /// Returns whether there was one.
    pub(super) async fn close_unauthenticated(&mut self) -> bool {
        let Some((_, oldest)) = self.unauthenticated.with(BTreeMap::pop_first) else {
            return false;
        };
        oldest.abort();
        self.one_closed().await;
        true
    }

    pub(super) fn add<F>(&mut self, serve: impl FnOnce(Connection) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.came += 1;
        let (number, unauthenticated) = (self.came, self.unauthenticated.clone());
        let handle = self.connections.spawn(serve(Connection { number, unauthenticated }));
        // The task cannot have started yet, because the runtime has only this thread.
        self.unauthenticated.with(|unauthenticated| unauthenticated.insert(number, handle));
    }

    /// Never completes without connections.
    pub(super) async fn one_closed(&mut self) {
        if self.connections.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    pub(super) async fn all_closed(&mut self) {
        while self.connections.join_next().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    /// A connection that stays open until it is aborted; the receiver is then closed.
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
    async fn at_the_limit_the_oldest_unauthenticated_connection_is_closed() {
        let mut connections = Connections::new(3);
        let mut known = stay(&mut connections, Connection::authenticated);
        let first = stay(&mut connections, |_| {});
        let mut second = stay(&mut connections, |_| {});
        tokio::task::yield_now().await;
        assert!(connections.make_space().await);
        assert!(first.await.is_err());
        assert!(known.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        assert!(second.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
    }

    #[tokio::test]
    async fn no_connection_is_accepted_when_all_are_authenticated() {
        let mut connections = Connections::new(2);
        let _both = [
            stay(&mut connections, Connection::authenticated),
            stay(&mut connections, Connection::authenticated),
        ];
        tokio::task::yield_now().await;
        assert!(!connections.make_space().await);
    }

    #[tokio::test]
    async fn a_closed_connection_is_no_longer_unauthenticated() {
        let mut connections = Connections::new(1);
        connections.add(|connection| async move { drop(connection) });
        connections.one_closed().await;
        assert!(connections.make_space().await);
        assert!(!connections.close_unauthenticated().await);
    }
}
