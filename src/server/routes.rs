//! Which address leads where.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};

use super::refusal::Refusal;
use super::service::Service;
use super::{libre_translate, opus_cat, own, pages};

/// The addresses of this server, as `/openapi.json` describes them.
pub(super) fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/", get(pages::page))
        .route("/openapi.json", get(pages::openapi))
        .route("/health", get(libre_translate::health))
        .route("/languages", get(libre_translate::languages))
        .route("/frontend/settings", get(libre_translate::settings))
        .route("/detect", post(libre_translate::detect))
        .route("/translate", post(libre_translate::translate))
        .route("/translate_file", post(libre_translate::translate_file))
        .route("/download_file/{name}", get(libre_translate::download_file))
        .route("/v1/models", get(own::models))
        .route("/v1/translate", post(own::translate))
        .route("/v1/documents", post(own::translate_document))
        .route("/v1/documents/{id}", get(own::download))
        .route("/{service}/{action}", any(opus_cat::act))
        .fallback(async || {
            Refusal::new(
                StatusCode::NOT_FOUND,
                "there is nothing at this address; GET /openapi.json lists what there is",
            )
        })
        .method_not_allowed_fallback(async || {
            Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this address does not accept such a request; GET /openapi.json lists what it accepts",
            )
        })
        // Our own limit is read first, and says what it is.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(with_headers))
        .with_state(service)
}

/// Adds what browsers want to know: other pages may call what LibreTranslate and OPUS-CAT let them call.
async fn with_headers(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_ours = path == "/" || path == "/openapi.json" || path.starts_with("/v1/");
    let is_question = request.method() == Method::OPTIONS && !is_ours;
    let mut response = if is_question {
        StatusCode::NO_CONTENT.into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if !is_ours {
        allow_other_pages(headers);
    }
    response
}

fn allow_other_pages(headers: &mut HeaderMap) {
    let allowed: [(HeaderName, &str); 3] = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, X-Api-Key",
        ),
    ];
    for (name, value) in allowed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
