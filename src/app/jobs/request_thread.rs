//! A thread that answers requests one after the other, for as long as the window is open.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::Event;
use crate::error::{BaseError, Error, Result};

/// The window's end of the thread.
#[derive(Debug)]
pub struct RequestThread<R> {
    requests: Sender<R>,
    _thread: JoinHandle<()>,
}

impl<R: Send + 'static> RequestThread<R> {
    /// Starts a thread called `name` that runs `answer` until the window closes; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(
        name: &str,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
        answer: impl FnOnce(&Receiver<R>, &dyn Fn(Event)) + Send + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                answer(&inbox, &|event| {
                    // The window may already be gone; then the event is not needed.
                    let _ = events.send(event);
                    wake();
                });
            })
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self {
            requests,
            _thread: thread,
        })
    }

    pub fn send(&self, request: R) {
        // Fails only after the thread has ended, which it does when the window closes.
        let _ = self.requests.send(request);
    }
}
