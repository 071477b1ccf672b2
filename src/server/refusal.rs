//! Answers to requests that cannot be met: a status and `{"error": …}`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::{BaseError, Error};
use canopy_base::error::find;
use canopy_translate::error::is_of_device;

/// Why a request is not met, for its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub status: StatusCode,
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    /// A request that is wrong.
    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// As LibreTranslate says it.
    pub(crate) fn missing(name: &str) -> Self {
        Self::wrong(format!("Invalid request: missing {name} parameter"))
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the request is larger than the {limit} bytes that this server reads"),
        )
    }

    pub(crate) fn busy() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too many requests wait already; try again in a moment",
        )
    }

    pub(crate) fn too_slow(secs: u64) -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            format!("it took longer than the {secs} s that this server gives a request"),
        )
    }

    pub(crate) fn closing() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "the server is ending")
    }
}

/// A document of a client that cannot be read or written.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status =
            if matches!(find(&error), Some(BaseError::Panicked { .. })) || is_of_device(&error) {
                StatusCode::INTERNAL_SERVER_ERROR
            } else {
                StatusCode::BAD_REQUEST
            };
        Self::new(status, error.to_string())
    }
}

/// Refusals for errors of the crates that are used here.
macro_rules! refuses {
    ($($error:ty),*) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                Error::from(error).into()
            }
        })*
    };
}

refuses!(
    BaseError,
    canopy_document::error::Error,
    canopy_train::error::Error
);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (
            self.status,
            json_response(&json!({ "error": self.message })),
        )
            .into_response();
        let headers = response.headers_mut();
        match self.status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response
    }
}

/// A response of JSON.
pub(super) fn json_response(value: &serde_json::Value) -> impl IntoResponse + use<> {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], value.to_string())
}
