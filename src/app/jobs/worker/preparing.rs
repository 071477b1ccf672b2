//! Models that are made for a document, and what they answer about it.

use std::ops::ControlFlow;

use super::Models;
use super::computing::Computing;
use crate::ExploreEvent;
use crate::error::{BaseError, Error, Result};
use crate::jobs::{Event, JobControl, JobId};
use canopy_document::document::Document;
use canopy_explain::{Explanation, ModelView};
use canopy_nn::model::MemoryUse;
use canopy_train::{DeviceGuard, ModelQuestion, explain, explain_by_language_model, for_document};
use canopy_translate::inference::Translator;

impl<M: Models, S: Fn(Event)> Computing<M, S> {
    /// Makes the model for a document, if it is not made for it yet.
    pub(super) fn make(
        &mut self,
        job: JobId,
        document: &Document,
        device_lock: &mut DeviceGuard<'_>,
        control: &JobControl,
    ) -> Result<()> {
        let sentences = document.plain_texts();
        if self.made.as_ref().is_some_and(|made| made.0 == sentences) {
            return Ok(());
        }
        let model = self.model.as_ref();
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        let step = &mut preparing(&self.emit, job, control, device_lock);
        let made = for_document(model, document, step);
        self.made = (!control.is_cancelled()).then_some((sentences, made));
        Ok(())
    }

    /// Lets a model learn from the document first if it is to; whether it does.
    pub(super) fn adapt_if_needed(
        &mut self,
        job: JobId,
        document: &Document,
        device_lock: &mut DeviceGuard<'_>,
    ) -> Result<bool> {
        let learns =
            |model: &Translator| model.description().model.memory_use == Some(MemoryUse::FineTune);
        let learns = self.model.as_ref().is_some_and(learns);
        if learns {
            self.make(job, document, device_lock, &JobControl::default())?;
        }
        Ok(learns)
    }

    /// Runs the model, or the one that is adapted to the document where that translates it.
    pub(super) fn explain(
        &mut self,
        job: JobId,
        question: &ModelQuestion<'_>,
        control: &JobControl,
    ) -> Result<Event> {
        if let Some(model) = &self.language_model {
            let lock = self.device_lock.clone();
            let mut device_lock = lock.take();
            let step = &mut preparing(&self.emit, job, control, &mut device_lock);
            let explanation = explain_by_language_model(model, question, step);
            return Ok(explained(job, control, explanation.map_err(Error::from)));
        }
        self.reload()?;
        let lock = self.device_lock.clone();
        let mut device_lock = lock.take();
        if question.view != ModelView::Memory {
            self.make(job, question.document, &mut device_lock, control)?;
        }
        if control.is_cancelled() {
            return Ok(Event::Cancelled { job });
        }
        let made = self.made.as_ref().and_then(|(_, made)| made.as_ref());
        let model = self.model.as_ref();
        let model = model.ok_or(Error::Base(BaseError::NoModel))?;
        let step = &mut preparing(&self.emit, job, control, &mut device_lock);
        let explanation = explain(model, made, question, &mut self.prepared, step);
        Ok(explained(job, control, explanation.map_err(Error::from)))
    }
}

/// The answer to a question, unless nobody waits for it.
fn explained(job: JobId, control: &JobControl, explanation: Result<Explanation>) -> Event {
    if control.is_cancelled() {
        return Event::Cancelled { job };
    }
    Event::Explore(ExploreEvent::Explained {
        job,
        explanation: explanation.map(Box::new),
    })
}

/// Reports how far a model is that is made for a document, and lets others compute in between.
pub(super) fn preparing<'a>(
    emit: &'a impl Fn(Event),
    job: JobId,
    control: &'a JobControl,
    device_lock: &'a mut DeviceGuard<'_>,
) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    move |done, num| {
        emit(Event::Adapting { job, done, num });
        device_lock.pass();
        flow(control)
    }
}

pub(super) fn flow(control: &JobControl) -> ControlFlow<()> {
    if control.is_cancelled() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
