//! Where requests are answered: what the auth lets in gets what it asked for.

use std::sync::Arc;
use std::sync::mpsc;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::{Method, Request};
use project::orders::Order;
use tokio::sync::{Semaphore, oneshot, watch};

use super::connections::Connection;
use crate::answer::{self, Answer, Answered};
use crate::auth::{Asked, Auth, Refusal};
use crate::limits::Limits;
use crate::renderer::{Ask, Page};
use crate::snapshot::Snapshot;
use crate::stream::Stream;

/// Room for the longest line to steer with every character escaped.
const LONGEST_ORDER: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct RequestHandler {
    pub(super) auth: Auth,
    pub(super) asks: mpsc::Sender<Ask>,
    pub(super) snapshot: watch::Receiver<Snapshot>,
    pub(super) places: Arc<Semaphore>,
    pub(super) limits: Limits,
}

impl RequestHandler {
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Connection,
    ) -> Answered {
        let (head, body) = request.into_parts();
        let answer = match self.auth.admit(&head) {
            Ok(asked) => {
                connection.is_known();
                self.give(asked, &head.method, body).await
            }
            Err(refusal) => Err(refusal),
        };
        Ok(answer.unwrap_or_else(answer::refusal))
    }

    async fn give(&self, asked: Asked, method: &Method, body: Incoming) -> Result<Answer, Refusal> {
        let or_waiting = |page, give: fn(_) -> Answer| match page {
            Page::Of(html) => give(html),
            Page::Waiting => answer::no_run_yet(),
        };
        Ok(match asked {
            Asked::Link(navigation) => {
                answer::welcome(navigation, &self.auth.cookie, self.auth.token.as_str())
            }
            Asked::Page => or_waiting(self.ask(Ask::Page).await?, answer::page),
            Asked::Report => or_waiting(self.ask(Ask::Report).await?, answer::report),
            Asked::Status => {
                let json = self.ask(Ask::Status).await?;
                answer::status(json.ok_or(Refusal::NoSuchPage)?)
            }
            Asked::Events if method == Method::HEAD => answer::events(None),
            Asked::Events => answer::events(Some(self.stream().await?)),
            Asked::Order => {
                let order = self.order(body).await?;
                answer::given(self.ask(|to| Ask::Order(order, to)).await?)
            }
        })
    }

    /// The place is taken first: the renderer sees by it that somebody watches.
    async fn stream(&self) -> Result<Stream, Refusal> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| Refusal::TooManyWatch)?;
        self.ask(Ask::Picture).await?;
        Ok(Stream::of(self.snapshot.clone(), self.limits.heartbeat, place))
    }

    async fn order(&self, body: Incoming) -> Result<Order, Refusal> {
        let whole = Limited::new(body, LONGEST_ORDER).collect();
        let read = tokio::time::timeout(self.limits.request, whole).await;
        let body = read.map_err(|_| Refusal::NoOrder)?.map_err(|error| {
            if error.is::<LengthLimitError>() { Refusal::TooLong } else { Refusal::NoOrder }
        })?;
        serde_json::from_slice(&body.to_bytes()).map_err(|_| Refusal::NoOrder)
    }

    async fn ask<T>(&self, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Result<T, Refusal> {
        let (to, from) = oneshot::channel();
        self.asks.send(ask(to)).map_err(|_| Refusal::Gone)?;
        from.await.map_err(|_| Refusal::Gone)
    }
}
