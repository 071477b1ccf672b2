//! The worker: it alone owns the model and its device.

mod computing;
mod preparing;
#[cfg(test)]
pub(super) mod tests;
mod translating;

use std::sync::mpsc::Sender;

use self::computing::Computing;
use super::pool::{Lane, Pool};
use super::{Event, Request};
use crate::error::Result;
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

/// The lane of [`Request`]s: the only one of its pool, since one model is in use at a time.
pub type Worker = Lane<Request>;

impl Worker {
    /// Starts the pool; `wake` is called after every event. It computes while it holds `device_lock`.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::spawn_with(OwnModels, device_lock, events, wake)
    }

    /// Starts the pool with other models.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn_with(
        models: impl Models,
        device_lock: DeviceLock,
        events: Sender<Event>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let pool = Pool::new("canopy-compute", events, wake)?;
        let events = pool.events().clone();
        Ok(pool.lane(Computing::new(
            models,
            move |event: Event| events.send(event),
            device_lock,
        )))
    }
}
