//! The worker thread: it alone owns the model and its device.

mod preparing;
mod request_loop;
#[cfg(test)]
pub(super) mod tests;
mod translating;

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use self::request_loop::Loop;
use super::{Event, Request};
use crate::error::{BaseError, Error, Result};
use canopy_train::DeviceLock;
use canopy_translate::inference::{DeviceChoice, Leg, OnEvent, TranslationRequest, Translator};

/// The worker's way to open models and to translate with them; tests put failures in its place.
pub trait Models: Send + 'static {
    /// Opens models in a row; `device` becomes the CPU where that is what they compute on.
    ///
    /// # Errors
    /// As [`Translator::open_legs`].
    fn open(&self, legs: &[Leg], device: &mut DeviceChoice) -> Result<Translator> {
        let translator = Translator::open_legs(legs, *device)?;
        if translator.loaded().is_on_cpu() {
            *device = DeviceChoice::Cpu;
        }
        Ok(translator)
    }

    /// Translates the sentences of a request.
    ///
    /// # Errors
    /// As [`Translator::run`].
    fn translate(
        &self,
        by: &Translator,
        request: TranslationRequest<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<()> {
        Ok(by.run(request, on_event)?)
    }
}

/// Models as they are.
struct OwnModels;

impl Models for OwnModels {}

/// The window's end of the worker thread.
#[derive(Debug)]
pub struct Worker {
    requests: Sender<Request>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread; `wake` is called after every event. It computes while it holds `device_lock`.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        Self::spawn_with(OwnModels, device_lock, events, wake)
    }

    /// Starts the thread with other models.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn_with(
        models: impl Models,
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("canopy-worker".to_owned())
            .spawn(move || {
                let emit = |event| {
                    // The window may already be gone; then the event is not needed.
                    let _ = events.send(event);
                    wake();
                };
                Loop::new(models, emit, device_lock).run(&inbox);
            })
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self { requests, thread })
    }

    /// Queues a request; `false` if the thread has ended.
    pub fn send(&self, request: Request) -> bool {
        self.requests.send(request).is_ok()
    }

    /// Whether the thread has ended, which it does only when it is dropped.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}
