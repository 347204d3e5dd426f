//! The HTTP server of the scripted model.
//!
//! It asks the conversation for the next turn.

use std::io;
use std::sync::Mutex;

use serde_json::{Value, json};
use tiny_http::{Header, Method, Response};

use super::messages::Reply;
use super::{Conversation, Request, next_turn, responses};
use crate::script::{Refusal, Turn};

/// Answers requests until it is stopped.
pub(super) fn serve(server: &tiny_http::Server, conversation: &Mutex<Conversation>) {
    while let Ok(mut request) = server.recv() {
        let answer = answer(&mut request, conversation);
        // A client may disconnect: a session can be killed at any time.
        drop(request.respond(answer.into_response()));
    }
}

enum HttpAnswer {
    Empty,
    Json(u16, Value),
    Events(String),
}

impl HttpAnswer {
    fn into_response(self) -> Response<io::Cursor<Vec<u8>>> {
        let (status, kind, body) = match self {
            Self::Empty => return Response::from_data([]),
            Self::Json(status, body) => (status, "application/json", body.to_string()),
            Self::Events(body) => (200, "text/event-stream", body),
        };
        let response = Response::from_string(body).with_status_code(status);
        match Header::from_bytes("Content-Type", kind) {
            Ok(header) => response.with_header(header),
            Err(()) => response,
        }
    }

    /// Both APIs have the message in the same field.
    fn refusal(Refusal { status, resets_at }: Refusal) -> Self {
        let message = format!("the script says {status}");
        let Some(resets_at) = resets_at else {
            return Self::error(status, "scripted_error", message);
        };
        let kind = "usage_limit_reached";
        let error = json!({ "type": kind, "message": message, "resets_at": resets_at });
        Self::Json(status, json!({ "error": error }))
    }

    fn error(status: u16, kind: &str, message: String) -> Self {
        let error = json!({ "type": kind, "message": message });
        Self::Json(status, json!({ "type": "error", "error": error }))
    }
}

fn answer(request: &mut tiny_http::Request, conversation: &Mutex<Conversation>) -> HttpAnswer {
    let url = request.url();
    let path = url.split_once('?').map_or(url, |(path, _query)| path);
    let answer_to: fn(Value, &Mutex<Conversation>) -> HttpAnswer = match (request.method(), path) {
        (Method::Head, "/") => return HttpAnswer::Empty,
        (Method::Post, "/v1/messages") => to_claude,
        (Method::Post, "/v1/responses") => to_codex,
        (Method::Post, "/v1/messages/count_tokens") => count_tokens,
        (method, _) => {
            let message = format!("the scripted model does not know {method} {url}");
            return HttpAnswer::error(404, "not_found_error", message);
        }
    };
    let mut body = Vec::new();
    let read = io::Read::read_to_end(request.as_reader(), &mut body);
    let parsed = read.and_then(|_| Ok(serde_json::from_slice(&body)?));
    match parsed {
        Ok(body) => answer_to(body, conversation),
        Err(error) => HttpAnswer::error(400, "invalid_request_error", error.to_string()),
    }
}

fn to_claude(body: Value, conversation: &Mutex<Conversation>) -> HttpAnswer {
    let request = Request::new(body);
    let model = request.model().to_owned();
    let streamed = request.wants_stream();
    let turn = if request.is_side_call() {
        Turn::text("A scripted session")
    } else {
        next_turn(conversation, request)
    };
    if let Some(refusal) = turn.refused {
        return HttpAnswer::refusal(refusal);
    }
    let reply = Reply::new(&turn, &model);
    if streamed {
        HttpAnswer::Events(reply.events())
    } else {
        HttpAnswer::Json(200, reply.message())
    }
}

/// Codex always streams, and has no side calls.
fn to_codex(body: Value, conversation: &Mutex<Conversation>) -> HttpAnswer {
    let turn = next_turn(conversation, Request::new(body));
    match turn.refused {
        Some(refusal) => HttpAnswer::refusal(refusal),
        None => HttpAnswer::Events(responses::events(&turn)),
    }
}

/// An estimate: four characters a token.
fn count_tokens(body: Value, _: &Mutex<Conversation>) -> HttpAnswer {
    let tokens = body.to_string().len() / 4;
    HttpAnswer::Json(200, json!({ "input_tokens": tokens }))
}
