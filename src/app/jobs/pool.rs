//! A pool of threads, and lanes of requests that it answers.
//!
//! Requests of a lane are answered one after the other, in their order; those of different lanes at the same time. A pool starts a
//! thread when it has work and none is idle, so that a request waits for those of its own lane alone.

use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Event, JobId};
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;

/// The job of a failure that no answer reports itself.
const NO_JOB: JobId = JobId(0);

/// Where answers go: events for the window, which is woken for each.
#[derive(Clone)]
pub struct EventSender {
    events: Sender<Event>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl EventSender {
    /// Sends an event to the window and wakes it.
    pub fn send(&self, event: impl Into<Event>) {
        // The window may already be gone; then the event is not needed.
        let _ = self.events.send(event.into());
        (self.wake)();
    }

    /// Wakes the window.
    pub fn wake(&self) {
        (self.wake)();
    }

    /// Does the work, and reports a panic in it as a failure.
    fn caught(&self, work: impl FnOnce()) {
        let done: Result<()> = caught(|| {
            work();
            Ok(())
        });
        if let Err(error) = done {
            self.send(Event::Failed { job: NO_JOB, error });
        }
    }
}

impl fmt::Debug for EventSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSender").finish_non_exhaustive()
    }
}

/// Threads with a queue of jobs. They end when the last handle of the pool and its lanes is dropped, once the queue is empty.
#[derive(Debug, Clone)]
pub struct Pool {
    owner: Arc<Owner>,
    events: EventSender,
}

/// The threads' end with the last handle.
#[derive(Debug)]
struct Owner(Arc<Threads>);

#[derive(Debug)]
struct Threads {
    name: &'static str,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Box<dyn FnOnce() + Send>>,
    num_threads: usize,
    /// Threads that wait for a job.
    num_idle: usize,
    /// Jobs that there may be at a time: one of each lane, and those of no lane that have not ended.
    most_jobs: usize,
    is_closed: bool,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = self.jobs.len();
        f.debug_struct("Queue")
            .field("jobs", &jobs)
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Starts the first thread of a pool, whose threads are called `name`; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn new(
        name: &'static str,
        events: Sender<Event>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let threads = Arc::new(Threads {
            name,
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        let mut queue = locked(&threads.queue);
        let started = threads.start(&mut queue);
        drop(queue);
        started.map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self {
            owner: Arc::new(Owner(threads)),
            events: EventSender {
                events,
                wake: Arc::new(wake),
            },
        })
    }

    /// A handle of these threads whose events wake the window in another way.
    #[must_use]
    pub fn waking(&self, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            owner: Arc::clone(&self.owner),
            events: EventSender {
                events: self.events.events.clone(),
                wake: Arc::new(wake),
            },
        }
    }

    /// The sender that jobs of the pool report by.
    pub fn events(&self) -> &EventSender {
        &self.events
    }

    /// Has a thread do a job of no lane.
    pub fn run(&self, job: impl FnOnce(&EventSender) + Send + 'static) {
        let (threads, events) = (Arc::clone(&self.owner.0), self.events.clone());
        locked(&threads.queue).most_jobs += 1;
        self.owner.0.push(Box::new(move || {
            events.caught(|| job(&events));
            locked(&threads.queue).most_jobs -= 1;
        }));
    }

    /// A lane of requests, which `answer` answers.
    pub fn lane<A: Answerer>(&self, answer: A) -> Lane<A::Request> {
        locked(&self.owner.0.queue).most_jobs += 1;
        let inbox = Arc::new(Inbox::default());
        let (own, answer) = (Arc::clone(&inbox), Mutex::new(answer));
        Lane {
            inbox,
            answer_all: Arc::new(move |events: &EventSender| {
                let mut answer = locked(&answer);
                while let Some(request) = own.next(A::supersedes) {
                    events.caught(|| answer.answer(request));
                }
            }),
            pool: self.clone(),
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        locked(&self.0.queue).is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Threads {
    fn start(self: &Arc<Self>, queue: &mut Queue) -> std::io::Result<()> {
        let threads = Arc::clone(self);
        let thread = std::thread::Builder::new().name(self.name.to_owned());
        thread.spawn(move || {
            while let Some(job) = threads.next() {
                job();
            }
        })?;
        queue.num_threads += 1;
        Ok(())
    }

    fn push(self: &Arc<Self>, job: Box<dyn FnOnce() + Send>) {
        let mut queue = locked(&self.queue);
        queue.jobs.push_back(job);
        let is_short = queue.jobs.len() > queue.num_idle;
        if is_short && queue.num_threads < queue.most_jobs {
            // Where the system gives no more threads, the job waits for one that is there.
            let _ = self.start(&mut queue);
        }
        drop(queue);
        self.changed.notify_one();
    }

    /// Waits for the next job; none if there will be none.
    fn next(&self) -> Option<Box<dyn FnOnce() + Send>> {
        let mut queue = locked(&self.queue);
        queue.num_idle += 1;
        let is_idle = |queue: &mut Queue| queue.jobs.is_empty() && !queue.is_closed;
        let queue = self.changed.wait_while(queue, is_idle);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        queue.num_idle -= 1;
        queue.jobs.pop_front()
    }
}

/// The answerer of the requests of a lane. Each answer is an event, also that of a request that fails.
pub trait Answerer: Send + 'static {
    /// A request of its lane.
    type Request: Send + 'static;

    /// Answers one request.
    fn answer(&mut self, request: Self::Request);

    /// Whether nobody awaits the answer to `earlier`, since `later` waits as well.
    fn supersedes(_later: &Self::Request, _earlier: &Self::Request) -> bool {
        false
    }
}

/// The window's end of a lane of requests.
pub struct Lane<R> {
    inbox: Arc<Inbox<R>>,
    answer_all: Arc<dyn Fn(&EventSender) + Send + Sync>,
    pool: Pool,
}

impl<R> fmt::Debug for Lane<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").finish_non_exhaustive()
    }
}

struct Inbox<R> {
    requests: Mutex<Requests<R>>,
    is_done: Condvar,
}

struct Requests<R> {
    waiting: VecDeque<R>,
    /// Whether a thread answers them, or will.
    is_answering: bool,
}

impl<R> Default for Inbox<R> {
    fn default() -> Self {
        Self {
            requests: Mutex::new(Requests {
                waiting: VecDeque::new(),
                is_answering: false,
            }),
            is_done: Condvar::new(),
        }
    }
}

impl<R> Inbox<R> {
    /// The first request that is not superseded.
    fn next(&self, supersedes: fn(&R, &R) -> bool) -> Option<R> {
        let mut requests = locked(&self.requests);
        while let Some(request) = requests.waiting.pop_front() {
            let mut later = requests.waiting.iter();
            if !later.any(|later| supersedes(later, &request)) {
                return Some(request);
            }
        }
        requests.is_answering = false;
        self.is_done.notify_all();
        None
    }
}

impl<R: Send + 'static> Lane<R> {
    /// Queues a request.
    pub fn send(&self, request: R) {
        let mut requests = locked(&self.inbox.requests);
        requests.waiting.push_back(request);
        if !std::mem::replace(&mut requests.is_answering, true) {
            let (answer_all, events) = (Arc::clone(&self.answer_all), self.pool.events.clone());
            self.pool
                .owner
                .0
                .push(Box::new(move || answer_all(&events)));
        }
    }

    /// Waits until everything queued is done.
    pub fn finish(&self) {
        let requests = locked(&self.inbox.requests);
        let is_busy = |requests: &mut Requests<R>| requests.is_answering;
        // A panic in an answer has been reported already.
        drop(self.inbox.is_done.wait_while(requests, is_busy));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Waits for a signal before each answer, which is `Finished` with its number; panics at 0.
    struct Slow {
        events: EventSender,
        signals: Receiver<()>,
    }

    impl Answerer for Slow {
        type Request = u64;

        fn answer(&mut self, request: u64) {
            self.signals.recv().expect("a signal");
            assert_ne!(request, 0, "zero panics");
            let job = JobId(request);
            self.events.send(Event::Finished { job });
        }

        fn supersedes(later: &u64, earlier: &u64) -> bool {
            *later >= 100 && *earlier >= 100
        }
    }

    fn pool() -> (Pool, Receiver<Event>) {
        let (sender, events) = channel();
        (Pool::new("test", sender, || ()).expect("a thread"), events)
    }

    fn slow(pool: &Pool) -> (Lane<u64>, Sender<()>) {
        let (signal, signals) = channel();
        let events = pool.events().clone();
        (pool.lane(Slow { events, signals }), signal)
    }

    fn finished(events: &Receiver<Event>) -> u64 {
        match events.recv().expect("an event") {
            Event::Finished { job } => job.0,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_lane_keeps_its_order_and_waits_for_no_other() {
        let (pool, events) = pool();
        let ((first, go_first), (second, go_second)) = (slow(&pool), slow(&pool));
        for request in [1, 2, 3] {
            first.send(request);
        }
        second.send(9);
        go_second.send(()).expect("it waits");
        assert_eq!(finished(&events), 9);
        for _ in 0..3 {
            go_first.send(()).expect("it waits");
        }
        first.finish();
        assert_eq!([(); 3].map(|()| finished(&events)), [1, 2, 3]);
    }

    #[test]
    fn what_is_superseded_is_not_answered() {
        let (pool, events) = pool();
        let (lane, go) = slow(&pool);
        for request in [1, 101, 2, 102] {
            lane.send(request);
        }
        for _ in 0..3 {
            go.send(()).expect("it waits");
        }
        lane.finish();
        assert_eq!([(); 3].map(|()| finished(&events)), [1, 2, 102]);
    }

    #[test]
    fn a_panic_is_reported_and_the_lane_goes_on() {
        let (pool, events) = pool();
        let (lane, go) = slow(&pool);
        lane.send(0);
        lane.send(1);
        go.send(()).expect("it waits");
        let failed = events.recv().expect("an event");
        assert!(matches!(failed, Event::Failed { job: NO_JOB, .. }));
        go.send(()).expect("it waits");
        assert_eq!(finished(&events), 1);
    }
}
