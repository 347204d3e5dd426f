//! Answers authenticated requests.

use std::sync::Arc;
use std::sync::mpsc;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::{Method, Request};
use project::orders::Order;
use tokio::sync::{Semaphore, oneshot, watch};

use super::connections::Connection;
use crate::auth::{Auth, Refusal, Route};
use crate::limits::ServerLimits;
use crate::renderer::RenderRequest;
use crate::response::{self, HandlerResult, HttpResponse};
use crate::snapshot::PageSnapshot;
use crate::stream::EventStream;

/// The longest instruction with every character escaped.
const LONGEST_ORDER: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct RequestHandler {
    pub(super) auth: Auth,
    pub(super) requests: mpsc::Sender<RenderRequest>,
    pub(super) snapshot: watch::Receiver<PageSnapshot>,
    pub(super) watcher_slots: Arc<Semaphore>,
    pub(super) limits: ServerLimits,
}

impl RequestHandler {
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Connection,
    ) -> HandlerResult {
        let (head, body) = request.into_parts();
        let answer = match self.auth.admit(&head) {
            Ok(route) => {
                connection.authenticated();
                self.respond(route, &head.method, body).await
            }
            Err(refusal) => Err(refusal),
        };
        Ok(answer.unwrap_or_else(response::refusal))
    }

    async fn respond(
        &self,
        route: Route,
        method: &Method,
        body: Incoming,
    ) -> Result<HttpResponse, Refusal> {
        let or_waiting = |page: Option<_>, respond: fn(_) -> HttpResponse| {
            page.map_or_else(response::no_run_yet, respond)
        };
        Ok(match route {
            Route::Link(navigation) => {
                response::welcome(navigation, &self.auth.cookie, self.auth.token.as_str())
            }
            Route::Page => or_waiting(self.ask(RenderRequest::Page).await?, response::page),
            Route::Report => or_waiting(self.ask(RenderRequest::Report).await?, response::report),
            Route::Status => {
                let json = self.ask(RenderRequest::Status).await?;
                response::status(json.ok_or(Refusal::NoSuchPage)?)
            }
            Route::Events if method == Method::HEAD => response::events(None),
            Route::Events => response::events(Some(self.stream().await?)),
            Route::Order => {
                let order = self.order(body).await?;
                response::order_result(self.ask(|to| RenderRequest::Order(order, to)).await?)
            }
        })
    }

    /// The slot is taken first, because it shows the renderer that a page is watching.
    async fn stream(&self) -> Result<EventStream, Refusal> {
        let slot =
            self.watcher_slots.clone().try_acquire_owned().map_err(|_| Refusal::TooManyWatch)?;
        self.ask(RenderRequest::Update).await?;
        Ok(EventStream::of(self.snapshot.clone(), self.limits.heartbeat, slot))
    }

    async fn order(&self, body: Incoming) -> Result<Order, Refusal> {
        let whole = Limited::new(body, LONGEST_ORDER).collect();
        let read = tokio::time::timeout(self.limits.request, whole).await;
        let body = read.map_err(|_| Refusal::NoOrder)?.map_err(|error| {
            if error.is::<LengthLimitError>() { Refusal::TooLong } else { Refusal::NoOrder }
        })?;
        serde_json::from_slice(&body.to_bytes()).map_err(|_| Refusal::NoOrder)
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> RenderRequest,
    ) -> Result<T, Refusal> {
        let (to, from) = oneshot::channel();
        self.requests.send(request(to)).map_err(|_| Refusal::Gone)?;
        from.await.map_err(|_| Refusal::Gone)
    }
}
