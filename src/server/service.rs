//! State that all requests share: models, queue, limits, results.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::access::Access;
use super::fields::{collected, drain};
use super::job::{Answer, Item, Job, Way};
use super::languages::Library;
use super::queue::Queue;
use super::refusal::Refusal;
use super::results::Results;
use super::running::ServerOptions;
use crate::error::Result;

/// Bodies of the largest size that are held at once.
const LARGEST_BODIES: usize = 16;

/// Bytes of translated files that wait to be fetched, and how long they do.
const KEPT_BYTES: usize = 256 << 20;
const KEPT_FOR: Duration = Duration::from_mins(15);

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The server as its requests see it.
#[derive(Debug)]
pub(super) struct Service {
    pub access: Access,
    pub library: Library,
    pub queue: Arc<Queue>,
    pub results: Results,
    pub max_body_bytes: usize,
    pub request_secs: u64,
    /// Where it can be reached, for clients that do not say how they did.
    pub address: String,
    /// Kibibytes of bodies that there is room for.
    room: Arc<Semaphore>,
}

/// A request for translations.
#[derive(Debug)]
pub(super) struct TextRequest {
    pub way: Way,
    pub items: Vec<Item>,
    pub links_words: bool,
}

impl Service {
    pub(crate) fn new(
        options: &ServerOptions,
        library: Library,
        queue: Arc<Queue>,
        address: String,
    ) -> Self {
        Self {
            access: Access::new(options.key.as_deref()),
            library,
            queue,
            results: Results::new(KEPT_BYTES, KEPT_FOR),
            max_body_bytes: options.max_body_bytes,
            request_secs: options.request_secs,
            address,
            room: Arc::new(Semaphore::new(
                kibibytes(options.max_body_bytes) as usize * LARGEST_BODIES,
            )),
        }
    }

    /// Room for a body of the length that its headers say.
    ///
    /// # Errors
    /// 413 if it is too large, 429 if there is no room.
    fn room_for(&self, headers: &HeaderMap) -> Result<OwnedSemaphorePermit, Refusal> {
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let length = length.map_or(self.max_body_bytes, |length| {
            usize::try_from(length).unwrap_or(usize::MAX)
        });
        if length > self.max_body_bytes {
            return Err(Refusal::too_large(self.max_body_bytes));
        }
        let room = Arc::clone(&self.room).try_acquire_many_owned(kibibytes(length));
        room.map_err(|_none| Refusal::busy())
    }

    /// The whole body of a request, with the room that it takes.
    ///
    /// # Errors
    /// 413 if it is too large, 429 if there is no room, 408 if it does not arrive in time.
    pub(crate) async fn body(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<(Bytes, OwnedSemaphorePermit), Refusal> {
        let room = match self.room_for(headers) {
            Ok(room) => room,
            Err(refusal) => {
                drain(headers, body.into_data_stream());
                return Err(refusal);
            }
        };
        let collected = collected(headers, body, self.max_body_bytes);
        let in_time = tokio::time::timeout(BODY_TIME, collected).await;
        let bytes = in_time.unwrap_or_else(|_late| {
            Err(Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the request did not arrive within {} s",
                    BODY_TIME.as_secs()
                ),
            ))
        });
        Ok((bytes?, room))
    }

    /// Has the worker translate. If the client leaves, this is dropped, and the worker continues with the others.
    ///
    /// # Errors
    /// 429 if too many wait, 504 if it takes too long, and what the worker says.
    pub(crate) async fn translated(&self, request: TextRequest) -> Result<Answer, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.queue.push(Job {
            way: request.way,
            items: request.items,
            links_words: request.links_words,
            reply,
        })?;
        let limit = Duration::from_secs(self.request_secs);
        match tokio::time::timeout(limit, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_dropped)) => Err(Refusal::closing()),
            Err(_late) => Err(Refusal::too_slow(self.request_secs)),
        }
    }

    /// The address by which a client reached this server, as it says.
    pub(crate) fn base(&self, headers: &HeaderMap) -> String {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let is_host = |host: &&str| {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte))
        };
        host.filter(is_host)
            .map_or_else(|| self.address.clone(), |host| format!("http://{host}"))
    }
}

/// Does what takes a while on another thread: reading and writing of documents.
///
/// # Errors
/// If it fails, or panics.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_panicked| {
        Err(Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this document brought the program to a fault",
        ))
    })
}

/// Kibibytes that hold `bytes` bytes.
fn kibibytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX / 64)
}
