//! Documents that are translated along a plan.

use std::ops::ControlFlow;

use super::formality::translate_in_form;
use super::pivot::translate_through;
use super::request::OnStep;
use super::sequential::translate_in_order;
use super::{
    DocumentRequest, FormalityConstraints, FormalityOption, JointSearch, OnEvent, Operation, Pass,
    Plan, TranslationEvent,
};
use crate::error::Result;
use crate::inference::translator::Translator;
use canopy_metrics::formality::Formality;

/// A pass over sentences of documents.
pub(super) struct Documents<'s, 'r> {
    pub requests: &'s mut [DocumentRequest<'r>],
    pub pass: Pass<'s>,
    pub on_event: &'s mut OnEvent<'s>,
}

impl Documents<'_, '_> {
    /// Goes over the documents one after the other.
    fn each(
        &mut self,
        mut translate: impl FnMut(
            &mut DocumentRequest<'_>,
            Pass<'_>,
            &mut OnStep<'_>,
        ) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let on_event = &mut *self.on_event;
        for (document, request) in self.requests.iter_mut().enumerate() {
            let on_step = &mut |step| on_event(TranslationEvent { document, step });
            if translate(request, self.pass, on_step)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Operation for Documents<'_, '_> {
    fn joint(&mut self, translator: &Translator) -> Result<ControlFlow<()>> {
        JointSearch::new(translator, self.pass).run(self.requests, self.on_event)
    }

    fn sequential(
        &mut self,
        translator: &Translator,
        form: Option<Formality>,
    ) -> Result<ControlFlow<()>> {
        self.each(|request, pass, on_step| {
            let form = pass.form.or(form);
            translate_in_order(translator, request, Pass { form, ..pass }, on_step)
        })
    }

    fn in_form(
        &mut self,
        (choice, _): (FormalityOption, &FormalityConstraints),
        translator: &Translator,
        then: &Plan<'_>,
    ) -> Result<ControlFlow<()>> {
        self.each(|request, pass, on_step| {
            translate_in_form(choice, (translator, then), request, pass, on_step)
        })
    }

    fn pivot(
        &mut self,
        models: [&Translator; 2],
        formality: Option<FormalityOption>,
    ) -> Result<ControlFlow<()>> {
        self.each(|request, pass, on_step| {
            translate_through(models, formality, request, pass, on_step)
        })
    }
}
