//! Which address leads where.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use futures_lite::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::guard::guard;
use super::jobs::Jobs;
use super::store::Store;
use super::trainings::{self, ComputeTrainings};
use super::worker::{Order, Search, Work};
use crate::access::Access;
use crate::fields::{collected, drain};
use crate::refusal::Refusal;
use canopy_translate::inference::TraceRequest;
use canopy_translate::remote::{Begun, Description, Missing, SearchRequest};

/// Bytes of a file, at most.
const LARGEST_FILE: u64 = 64 << 30;

/// How long a body may take to arrive, and how long nothing of a file may come.
const BODY_TIME: Duration = Duration::from_secs(30);

/// Bodies that are held at once.
const MOST_BODIES: usize = 8;

/// State that all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    pub access: Access,
    pub description: Description,
    pub store: Arc<Store>,
    pub jobs: Jobs,
    pub trainings: ComputeTrainings,
    pub max_body_bytes: usize,
    /// None once the server ends.
    pub work: Mutex<Option<Sender<Order>>>,
    pub room: Semaphore,
}

impl Shared {
    pub(super) fn room() -> Semaphore {
        Semaphore::new(MOST_BODIES)
    }

    /// Lets nothing in any more.
    pub(super) fn close(&self) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        *work = None;
    }

    fn begin(&self, work: Work) -> Answered {
        let (name, job) = self.jobs.begin()?;
        let sender = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = sender.as_ref().map(|sender| sender.send((job, work)));
        match sent {
            Some(Ok(())) => Ok(json(&Begun { job: name })),
            _ => Err(Refusal::closing()),
        }
    }
}

pub(super) type SharedState = State<Arc<Shared>>;
pub(super) type Answered = Result<Response, Refusal>;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let inner = Router::new()
        .route("/", get(describe))
        .route("/folders/{digest}", put(list))
        .route("/files/{digest}", put(receive))
        .route("/searches", post(search))
        .route("/traces", post(trace))
        .route("/jobs/{job}", delete(cancel))
        .route("/jobs/{job}/events", get(events))
        .route("/jobs/{job}/result", get(result))
        .route("/trainings", get(trainings::list))
        .route(
            "/trainings/{id}",
            put(trainings::begin)
                .get(trainings::state)
                .delete(trainings::remove),
        )
        .route("/trainings/{id}/order", post(trainings::order))
        .route("/trainings/{id}/events", get(trainings::events))
        .route("/trainings/{id}/files", get(trainings::files))
        .route("/trainings/{id}/files/{*path}", get(trainings::file));
    Router::new()
        .nest("/compute/v1", inner)
        .fallback(async || unknown())
        .method_not_allowed_fallback(async || unknown())
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

pub(super) fn unknown() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this address")
}

async fn describe(State(shared): SharedState) -> Response {
    json(&shared.description)
}

/// The JSON of a request.
pub(super) async fn read<T: DeserializeOwned>(
    shared: &Shared,
    request: Request,
) -> Result<T, Refusal> {
    let bytes = body(shared, request).await?;
    // What the parser says could quote the text.
    serde_json::from_slice(&bytes).map_err(|_fault| Refusal::wrong("the request is damaged"))
}

async fn body(shared: &Shared, request: Request) -> Result<Bytes, Refusal> {
    let is_too_large = length(&request).is_some_and(|length| length > shared.max_body_bytes as u64);
    let (parts, body) = request.into_parts();
    if is_too_large {
        drain(&parts.headers, body.into_data_stream());
        return Err(Refusal::too_large(shared.max_body_bytes));
    }
    let Ok(_room) = shared.room.try_acquire() else {
        drain(&parts.headers, body.into_data_stream());
        return Err(Refusal::busy());
    };
    let collected = collected(&parts.headers, body, shared.max_body_bytes);
    timeout(BODY_TIME, collected)
        .await
        .unwrap_or_else(|_late| Err(late()))
}

fn late() -> Refusal {
    Refusal::new(
        StatusCode::REQUEST_TIMEOUT,
        "the request did not arrive in time",
    )
}

fn length(request: &Request) -> Option<u64> {
    let length = request.headers().get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

async fn list(
    State(shared): SharedState,
    Path(digest): Path<String>,
    request: Request,
) -> Answered {
    let list = body(&shared, request).await?;
    shared
        .store
        .list(&digest, &list)
        .map(|missing| json(&missing))
}

async fn receive(
    State(shared): SharedState,
    Path(digest): Path<String>,
    request: Request,
) -> Answered {
    let length = length(&request).ok_or_else(|| Refusal::wrong("a file says its length first"))?;
    if length > LARGEST_FILE {
        return Err(Refusal::too_large(
            usize::try_from(LARGEST_FILE).unwrap_or(usize::MAX),
        ));
    }
    let mut incoming = shared.store.receive(&digest, length)?;
    let mut stream = request.into_body().into_data_stream();
    loop {
        let chunk = timeout(BODY_TIME, stream.next()).await;
        match chunk.map_err(|_late| late())? {
            None => break,
            Some(chunk) => {
                let chunk = chunk.map_err(|_fault| Refusal::wrong("the request broke off"))?;
                incoming.take(&chunk)?;
            }
        }
    }
    shared.store.keep(incoming)?;
    Ok(json(&Missing::default()))
}

async fn search(State(shared): SharedState, request: Request) -> Answered {
    let SearchRequest {
        model,
        text,
        options,
    } = read(&shared, request).await?;
    shared.store.place(&model.files)?;
    let fits = options.beam_size <= 200 && options.alternatives < 100;
    let text = text.text().filter(|_| fits);
    let text =
        text.ok_or_else(|| Refusal::wrong("the numbers of the request do not fit each other"))?;
    shared.begin(Work::Search(Box::new(Search {
        model,
        text,
        options,
    })))
}

async fn trace(State(shared): SharedState, request: Request) -> Answered {
    let request: TraceRequest = read(&shared, request).await?;
    shared.store.place(&request.model.files)?;
    shared.begin(Work::Trace(Box::new(request)))
}

async fn events(State(shared): SharedState, Path(job): Path<String>, uri: Uri) -> Answered {
    let job = shared.jobs.get(&job).ok_or_else(unknown)?;
    let from = usize::try_from(from(&uri)).unwrap_or(usize::MAX);
    Ok(json(&job.events(from).await))
}

/// From where on a client wants to read.
pub(super) fn from(uri: &Uri) -> u64 {
    let fields = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let mut from = fields.filter(|(name, _)| name == "from");
    from.next()
        .and_then(|(_, from)| from.parse().ok())
        .unwrap_or(0)
}

/// A value as an answer.
pub(super) fn json(value: &impl Serialize) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let text = serde_json::to_vec(value).unwrap_or_default();
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn cancel(State(shared): SharedState, Path(job): Path<String>) -> StatusCode {
    shared.jobs.cancel(&job);
    StatusCode::NO_CONTENT
}

async fn result(State(shared): SharedState, Path(job): Path<String>) -> Answered {
    let job = shared.jobs.get(&job).ok_or_else(unknown)?;
    let file = job.result().ok_or_else(unknown)?;
    let path = file.path().to_owned();
    sent(path, file)
}

/// A file as an answer; `kept` is held until it has gone.
pub(super) fn sent<T: Send + Sync + 'static>(path: PathBuf, kept: T) -> Answered {
    let read = crate::error::Error::read(path.clone());
    let file = std::fs::File::open(&path).map_err(read)?;
    let length = file.metadata().map_or(0, |it| it.len());
    let chunks = futures_lite::stream::iter(Chunks { file, _kept: kept });
    let headers = [(header::CONTENT_LENGTH, length)];
    Ok((headers, Body::from_stream(chunks)).into_response())
}

/// A file piece by piece.
struct Chunks<T> {
    file: std::fs::File,
    _kept: T,
}

impl<T> Iterator for Chunks<T> {
    type Item = std::io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut buffer = vec![0; 1 << 17];
        match std::io::Read::read(&mut self.file, &mut buffer) {
            Ok(0) => None,
            Ok(length) => {
                buffer.truncate(length);
                Some(Ok(buffer.into()))
            }
            Err(fault) => Some(Err(fault)),
        }
    }
}
