//! The page for people, and the description of the interfaces for programs.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

const PAGE: &str = include_str!("../../assets/server/index.html");
const OPENAPI: &str = include_str!("../../assets/server/openapi.json");

/// Content security policy of the page: it loads nothing but answers of this server.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) async fn page() -> Response {
    let mut headers = HeaderMap::new();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, html);
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    (headers, PAGE).into_response()
}

pub(super) async fn openapi() -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], OPENAPI).into_response()
}
