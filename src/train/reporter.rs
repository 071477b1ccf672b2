//! How a run speaks with the world: events out, orders in.

use super::control::{Control, Order, Orders};
use super::device_lock::DeviceLock;
use super::event::{Phase, TrainingEvent};
use super::run_folder::RunFolder;
use crate::error::Result;

pub(super) struct Reporter<'a> {
    pub folder: RunFolder,
    orders: Orders,
    observe: &'a mut dyn FnMut(&TrainingEvent),
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(
        folder: RunFolder,
        control: &Control,
        observe: &'a mut dyn FnMut(&TrainingEvent),
    ) -> Self {
        let orders = Orders::new(control.clone(), folder.path());
        Self {
            folder,
            orders,
            observe,
        }
    }

    /// Writes an event to the run folder and passes it on.
    pub(crate) fn report(&mut self, event: TrainingEvent) -> Result<()> {
        event.log();
        self.folder.record(&event)?;
        (self.observe)(&event);
        Ok(())
    }

    pub(crate) fn phase(&mut self, phase: Phase) -> Result<()> {
        self.report(TrainingEvent::Phase { phase })
    }

    pub(crate) fn warn(&mut self, message: String) -> Result<()> {
        self.report(TrainingEvent::Warning { message })
    }

    /// The order in force.
    pub(crate) fn order(&mut self) -> Order {
        self.orders.current()
    }

    /// Sleeps while the order is to pause.
    pub(crate) fn wait(&mut self) {
        self.orders.wait();
    }

    pub(crate) fn device_lock(&self) -> DeviceLock {
        self.orders.device_lock().clone()
    }
}
