//! Searches and traces that clients wait for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout_at};

use crate::access::new_key;
use crate::error::Error;
use crate::refusal::Refusal;
use canopy_translate::remote::{Found, Polled};

/// Time without requests after which a job is given up.
const ABANDONED_AFTER: Duration = Duration::from_secs(30);

/// How long a client waits for an answer without events, and how long for more of them once there are some.
pub(super) const POLL_TIME: Duration = Duration::from_secs(2);
const GATHER_TIME: Duration = Duration::from_millis(10);

/// Events of one answer, at most: one that is small comes through where connections are bad.
const MOST_EVENTS: usize = 64;

/// A job, and what came of it so far.
#[derive(Debug)]
pub(super) struct Job {
    events: Mutex<Vec<Found>>,
    ended: AtomicBool,
    cancelled: AtomicBool,
    last_request: Mutex<Instant>,
    /// Clients that wait for events now.
    waiting: AtomicUsize,
    changed: Notify,
    result: Mutex<Option<Arc<NamedTempFile>>>,
}

impl Job {
    fn new() -> Self {
        Self {
            events: Mutex::default(),
            ended: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            last_request: Mutex::new(Instant::now()),
            waiting: AtomicUsize::new(0),
            changed: Notify::new(),
            result: Mutex::default(),
        }
    }

    /// Whether it is no longer awaited.
    pub(super) fn is_abandoned(&self) -> bool {
        let is_left = || {
            self.waiting.load(Ordering::Relaxed) == 0
                && locked(&self.last_request).elapsed() > ABANDONED_AFTER
        };
        self.cancelled.load(Ordering::Relaxed) || is_left()
    }

    pub(super) fn push(&self, event: Found) {
        locked(&self.events).push(event);
        self.changed.notify_waiters();
    }

    /// The last event.
    pub(super) fn end(&self, event: Found) {
        self.ended.store(true, Ordering::Release);
        self.push(event);
    }

    pub(super) fn fail(&self, error: &Error) {
        self.end(Found::Failed {
            message: error.to_string(),
        });
    }

    pub(super) fn put_result(&self, file: NamedTempFile) {
        *locked(&self.result) = Some(Arc::new(file));
    }

    pub(super) fn result(&self) -> Option<Arc<NamedTempFile>> {
        *locked(&self.last_request) = Instant::now();
        locked(&self.result).clone()
    }

    /// Events from the one with this number on; waits a while for the first of them.
    pub(super) async fn events(self: &Arc<Self>, from: usize) -> Polled {
        let _waiting = Waiting::new(self);
        let until = tokio::time::Instant::now() + POLL_TIME;
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            if locked(&self.events).len() > from {
                break;
            }
            if timeout_at(until, changed).await.is_err() {
                break;
            }
        }
        if !self.ended.load(Ordering::Acquire) && locked(&self.events).len() > from {
            sleep(GATHER_TIME).await;
        }
        // Read first: the last event comes with the end.
        let ended = self.ended.load(Ordering::Acquire);
        let events = locked(&self.events);
        let left = events.get(from..).unwrap_or_default();
        let sent = &left[..left.len().min(MOST_EVENTS)];
        let last = matches!(
            events.last(),
            Some(Found::Done | Found::Failed { .. } | Found::Invalid { .. })
        );
        let polled = Polled {
            events: sent.to_vec(),
            ended: ended && last && sent.len() == left.len(),
        };
        drop(events);
        polled
    }
}

/// A client that waits, until it leaves.
struct Waiting(Arc<Job>);

impl Waiting {
    fn new(job: &Arc<Job>) -> Self {
        job.waiting.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(job))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *locked(&self.0.last_request) = Instant::now();
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All jobs by their names.
#[derive(Debug)]
pub(super) struct Jobs {
    jobs: Mutex<HashMap<String, Arc<Job>>>,
    /// Maximum number of waiting and running jobs.
    most: usize,
}

impl Jobs {
    pub(super) fn new(most: usize) -> Self {
        Self {
            jobs: Mutex::default(),
            most,
        }
    }

    /// A new job under a name that cannot be guessed.
    ///
    /// # Errors
    /// 429 if too many wait.
    pub(super) fn begin(&self) -> Result<(String, Arc<Job>), Refusal> {
        let mut jobs = locked(&self.jobs);
        jobs.retain(|_, job| !job.is_abandoned());
        let open = jobs
            .values()
            .filter(|job| !job.ended.load(Ordering::Relaxed));
        if open.count() >= self.most {
            return Err(Refusal::busy());
        }
        let (name, job) = (new_key()?, Arc::new(Job::new()));
        jobs.insert(name.clone(), Arc::clone(&job));
        Ok((name, job))
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Job>> {
        locked(&self.jobs).get(name).cloned()
    }

    pub(super) fn cancel(&self, name: &str) {
        if let Some(job) = locked(&self.jobs).remove(name) {
            job.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Ends all that are under way.
    pub(super) fn cancel_all(&self) {
        for (_, job) in locked(&self.jobs).drain() {
            job.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
