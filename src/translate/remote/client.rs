//! Requests to another machine, tried again where the connection breaks.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::{Agent, Body};

use super::files::Files;
use super::host::RemoteHost;
use super::keys::key_of;
use super::messages::{Description, Missing, RootedFiles, VERSION_HEADER, version};
use crate::error::{Error, Result};

/// Time for which a connection is retried before an error is reported.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two attempts: twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long nothing may come.
const READ_TIME: Duration = Duration::from_secs(20);

/// How long it may take to be connected.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Bytes of an answer that is read into memory, at most.
const MOST_BYTES: u64 = 256 << 20;

/// A key, which no message shows.
struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Bytes sent over a connection: bodies, without the headers of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Number of requests.
    pub round_trips: u64,
    /// Bytes that went there.
    pub sent: u64,
    /// Bytes that came from there.
    pub received: u64,
}

/// Another machine that computes, which has been found.
#[derive(Debug)]
pub struct Client {
    host: RemoteHost,
    key: Option<Key>,
    agent: Agent,
    device: String,
    round_trips: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    /// Digests of what it has.
    uploaded: Mutex<HashSet<String>>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The connection broke, or the server has no room now.
    Lost(String),
    /// The server does not know the requested object.
    Gone(String),
    /// Nobody waits for it any more.
    Cancelled,
    Final(Error),
}

/// Body of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sent<'a> {
    Nothing,
    Json(&'a [u8]),
    File(&'a Path),
}

impl Client {
    /// Connects to a machine, and reads the name of its device.
    ///
    /// # Errors
    /// If it cannot be reached, does not know the key, or has another version.
    pub fn connect(host: RemoteHost) -> Result<Arc<Self>> {
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT_TIME))
            .timeout_per_read(Some(READ_TIME))
            .timeout_per_write(Some(READ_TIME))
            .http_status_as_error(false)
            // The key goes to the address that the user has named, and to no other.
            .max_redirects(0)
            .proxy(None)
            .build();
        let mut client = Self {
            host,
            key: key_of(host).map(Key),
            agent: Agent::new_with_config(config),
            device: String::new(),
            round_trips: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            uploaded: Mutex::default(),
        };
        let found: Result<Description, Fault> = client.get("");
        client.device = found.map_err(|fault| client.error(fault))?.device;
        Ok(Arc::new(client))
    }

    /// Where it is.
    pub fn host(&self) -> RemoteHost {
        self.host
    }

    /// The device there, for a status bar.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// All that has gone over the connection so far.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            round_trips: self.round_trips.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
        }
    }

    /// Sends what the server lacks of a folder or file.
    ///
    /// # Errors
    /// If a file has changed meanwhile, the server has no room, or the connection stays broken.
    pub fn upload(&self, files: &Files, named: &Path) -> Result<RootedFiles> {
        let rooted = files.rooted();
        if self.uploaded().contains(&rooted.digest) {
            return Ok(rooted);
        }
        let list = serde_json::to_vec(files).unwrap_or_default();
        let place = format!("/folders/{}", rooted.digest);
        let request = || self.put::<Missing>(&place, Sent::Json(&list));
        let mut missing = patiently(&mut go_on, request).map_err(|fault| self.error(fault))?;
        for file in files.list() {
            let Some(at) = missing
                .missing
                .iter()
                .position(|digest| *digest == file.sha256)
            else {
                continue;
            };
            missing.missing.swap_remove(at);
            let (place, path) = (format!("/files/{}", file.sha256), file.place(named));
            let send = || self.put::<Missing>(&place, Sent::File(&path));
            patiently(&mut go_on, send).map_err(|fault| self.error(fault))?;
        }
        self.uploaded().insert(rooted.digest.clone());
        Ok(rooted)
    }

    /// Forgets what was sent: the server says that it is not there.
    pub(super) fn forget_uploads(&self) {
        self.uploaded().clear();
    }

    fn uploaded(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.uploaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server's answer to a request in JSON; the connection may break for a while.
    ///
    /// # Errors
    /// If it stays broken, or the server refuses.
    pub fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        question: &impl Serialize,
    ) -> Result<T> {
        let question = serde_json::to_vec(question).unwrap_or_default();
        let request = || self.post(path, &question);
        patiently(&mut go_on, request).map_err(|fault| self.error(fault))
    }

    /// Stores JSON on the server; idempotent.
    ///
    /// # Errors
    /// As [`Self::post_json`].
    pub fn put_json<T: DeserializeOwned>(
        &self,
        path: &str,
        question: &impl Serialize,
    ) -> Result<T> {
        let question = serde_json::to_vec(question).unwrap_or_default();
        let request = || self.put(path, Sent::Json(&question));
        patiently(&mut go_on, request).map_err(|fault| self.error(fault))
    }

    /// The server's answer to a request without a body.
    ///
    /// # Errors
    /// As [`Self::post_json`].
    pub fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        patiently(&mut go_on, || self.get(path)).map_err(|fault| self.error(fault))
    }

    /// Bytes, with the headers before them; `idle` is called while the connection is broken, and may end it with none.
    ///
    /// # Errors
    /// As [`Self::post_json`].
    pub fn bytes_at(
        &self,
        path: &str,
        idle: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<(HeaderMap, Vec<u8>)>> {
        let read = || {
            let mut answer = self.attempt("GET", path, Sent::Nothing)?;
            let bytes = self.bytes(&mut answer)?;
            Ok((answer.headers().clone(), bytes))
        };
        match patiently(idle, read) {
            Ok(read) => Ok(Some(read)),
            Err(Fault::Cancelled) => Ok(None),
            Err(fault) => Err(self.error(fault)),
        }
    }

    /// Downloads the file at `path` to a file here, via a temporary file next to it.
    ///
    /// # Errors
    /// As [`Self::post_json`], and if the file cannot be written.
    pub fn download(&self, path: &str, to: &Path) -> Result<()> {
        let write = || -> Result<(), Fault> {
            let mut answer = self.attempt("GET", path, Sent::Nothing)?;
            let failed = |cause| Fault::Final(Error::write(to)(cause));
            let mut file = File::create(to).map_err(failed)?;
            let mut from = answer.body_mut().as_reader();
            let mut buffer = vec![0; 1 << 16];
            loop {
                let length = from
                    .read(&mut buffer)
                    .map_err(|cause| Fault::Lost(cause.to_string()))?;
                if length == 0 {
                    return Ok(());
                }
                self.received.fetch_add(length as u64, Ordering::Relaxed);
                file.write_all(&buffer[..length]).map_err(failed)?;
            }
        };
        patiently(&mut go_on, write).map_err(|fault| self.error(fault))
    }

    /// Has the server delete something.
    ///
    /// # Errors
    /// As [`Self::post_json`].
    pub fn delete(&self, path: &str) -> Result<()> {
        let request = || self.attempt("DELETE", path, Sent::Nothing);
        let done = patiently(&mut go_on, request);
        done.map(|_| ()).map_err(|fault| self.error(fault))
    }

    /// Notifies the server, if it can be reached, that a job is no longer awaited.
    pub(super) fn cancel(&self, job: &str) {
        let _ = self.attempt("DELETE", &format!("/jobs/{job}"), Sent::Nothing);
    }

    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        self.json(self.attempt("GET", path, Sent::Nothing)?)
    }

    pub(super) fn post<T: DeserializeOwned>(&self, path: &str, body: &[u8]) -> Result<T, Fault> {
        self.json(self.attempt("POST", path, Sent::Json(body))?)
    }

    fn put<T: DeserializeOwned>(&self, path: &str, body: Sent<'_>) -> Result<T, Fault> {
        self.json(self.attempt("PUT", path, body)?)
    }

    fn json<T: DeserializeOwned>(&self, mut answer: Response<Body>) -> Result<T, Fault> {
        let bytes = self.bytes(&mut answer)?;
        serde_json::from_slice(&bytes).map_err(|_cause| {
            Fault::Final(self.refused("it answers with something else than Canopy does"))
        })
    }

    fn bytes(&self, answer: &mut Response<Body>) -> Result<Vec<u8>, Fault> {
        let body = answer.body_mut().with_config().limit(MOST_BYTES);
        let bytes = body.read_to_vec();
        let bytes = bytes.map_err(|cause| Fault::Lost(cause.to_string()))?;
        self.received
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }

    fn attempt(&self, method: &str, path: &str, sent: Sent<'_>) -> Result<Response<Body>, Fault> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("http://{}/compute/v1{path}", self.host))
            .header(VERSION_HEADER, version())
            .header("Content-Type", "application/json");
        let request = match &self.key {
            Some(Key(key)) => request.header("Authorization", format!("Bearer {key}")),
            None => request,
        };
        let odd = |_cause| {
            Fault::Final(Error::RemoteKey {
                host: self.host.to_string(),
            })
        };
        let answer = match sent {
            Sent::Nothing => self.agent.run(request.body(()).map_err(odd)?),
            Sent::Json(body) => {
                self.sent.fetch_add(body.len() as u64, Ordering::Relaxed);
                self.agent.run(request.body(body).map_err(odd)?)
            }
            Sent::File(path) => {
                let failed = |cause| Fault::Final(Error::read(path)(cause));
                let file = File::open(path).map_err(failed)?;
                let length = file.metadata().map_err(failed)?.len();
                self.sent.fetch_add(length, Ordering::Relaxed);
                self.agent.run(request.body(file).map_err(odd)?)
            }
        };
        let answer = answer.map_err(|cause| Fault::Lost(cause.to_string()))?;
        self.answered(answer)
    }

    /// An answer that is one.
    fn answered(&self, mut answer: Response<Body>) -> Result<Response<Body>, Fault> {
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        if status == StatusCode::UNAUTHORIZED {
            return Err(Fault::Final(Error::RemoteKey {
                host: self.host.to_string(),
            }));
        }
        let bytes = self.bytes(&mut answer).unwrap_or_default();
        let said: Option<serde_json::Value> = serde_json::from_slice(&bytes).ok();
        let said = said.and_then(|said| Some(said["error"].as_str()?.to_owned()));
        let message = said.unwrap_or_else(|| format!("it answers {}", status.as_u16()));
        Err(match status {
            StatusCode::NOT_FOUND => Fault::Gone(message),
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::REQUEST_TIMEOUT => Fault::Lost(message),
            _ => Fault::Final(self.refused(&message)),
        })
    }

    pub(super) fn refused(&self, message: &str) -> Error {
        Error::RemoteRefused {
            message: message.to_owned(),
            host: self.host.to_string(),
        }
    }

    /// A fault in words for a person.
    pub(super) fn error(&self, fault: Fault) -> Error {
        match fault {
            Fault::Lost(reason) => Error::RemoteLost {
                reason,
                host: self.host.to_string(),
            },
            Fault::Gone(message) => self.refused(&message),
            Fault::Cancelled => self.refused("nobody waits for it"),
            Fault::Final(error) => error,
        }
    }
}

/// Tries again where the connection breaks, with longer and longer pauses, until patience is at its end.
pub(super) fn patiently<T>(
    idle: &mut dyn FnMut() -> ControlFlow<()>,
    mut request: impl FnMut() -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (mut broken_since, mut pause) = (None, FIRST_PAUSE);
    loop {
        let reason = match request() {
            Err(Fault::Lost(reason)) => reason,
            done => return done,
        };
        let since = *broken_since.get_or_insert_with(Instant::now);
        if since.elapsed() + pause > PATIENCE {
            return Err(Fault::Lost(reason));
        }
        let until = Instant::now() + pause;
        while Instant::now() < until {
            if idle().is_break() {
                return Err(Fault::Cancelled);
            }
            std::thread::sleep(FIRST_PAUSE.min(until.saturating_duration_since(Instant::now())));
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Nobody ends it.
pub(super) fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}
