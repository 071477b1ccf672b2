//! Access control: clients need the key, if there is one, and the same version.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::routes::Shared;
use crate::refusal::Refusal;
use canopy_translate::remote::{PROGRAM, PROTOCOL, VERSION_HEADER, version};

/// Passes on requests that may be met. A missing key and a wrong one get the same answer, and nothing else.
pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    if shared.access.check(headers, None).is_err() {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let theirs = headers.get(VERSION_HEADER).and_then(|it| it.to_str().ok());
    if theirs != Some(version().as_str()) {
        let found = match theirs.and_then(|theirs| theirs.split_once('/')) {
            Some((program, protocol)) => format!("you have Canopy {program} (protocol {protocol})"),
            None => "you do not say which version you have".to_owned(),
        };
        return Refusal::new(
            StatusCode::UPGRADE_REQUIRED,
            format!(
                "this machine has Canopy {PROGRAM} (protocol {PROTOCOL}), {found}; install the same version on both"
            ),
        )
        .into_response();
    }
    next.run(request).await
}
