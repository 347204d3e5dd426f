//! Why a request is not answered, and with what words.

use hyper::StatusCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Malformed,
    /// It was meant for another server.
    WrongHost,
    NoToken,
    /// A page from elsewhere had it sent.
    WrongSite,
    NoSuchPage,
    WrongMethod,
    /// Nobody said that the run may be told anything from here.
    OnlyToLookAt,
    /// Orders are posted.
    OnlyToPost,
    NotJson,
    /// What was posted is no order, or took too long to come.
    NoOrder,
    TooLong,
    /// As many pages as there may be are kept up to date already.
    TooManyWatch,
    /// Nobody is there to paint the page.
    Gone,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::NoOrder => StatusCode::BAD_REQUEST,
            Self::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::WrongSite | Self::OnlyToLookAt => StatusCode::FORBIDDEN,
            Self::NoSuchPage => StatusCode::NOT_FOUND,
            Self::WrongMethod | Self::OnlyToPost => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyWatch | Self::Gone => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Malformed => "This is no request that this server reads.",
            Self::WrongHost => "This server goes by another name. Use the link from the terminal.",
            Self::NoToken => {
                "Use the link that ralph-loop serve printed in the terminal: it has a token in it."
            }
            Self::WrongSite => "Another page asked for this. Use the link from the terminal.",
            Self::NoSuchPage => "There is no such page. The run is at /.",
            Self::WrongMethod => "This page can only be looked at.",
            Self::OnlyToLookAt => {
                "This page can only be looked at. Start ralph-loop serve with --allow-orders to tell \
                 the run something from here."
            }
            Self::OnlyToPost => "Orders are posted here.",
            Self::NotJson => "An order is posted as application/json.",
            Self::NoOrder => {
                "This is no order. One looks like {\"kind\":\"pause\"}: pause, go-on, skip (with a story), \
                 stop, or steer (with a text)."
            }
            Self::TooLong => "This is longer than any order.",
            Self::TooManyWatch => "Too many pages watch this run. Close one and try again.",
            Self::Gone => "The page cannot be made. Start ralph-loop serve again.",
        }
    }
}
