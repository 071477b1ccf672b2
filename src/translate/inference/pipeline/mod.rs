//! From a request to its translations: [`Translator::plan`] chooses the way, [`Plan::run`] goes it and reports events.
//!
//! Evaluations and scores of given translations go the same ways: each is an [`Operation`], to which [`Plan::apply`] says which
//! way is meant.

mod documents;
mod formality;
mod gathering;
mod joint;
mod pivot;
mod request;
mod second_look;
mod sequential;

use std::ops::ControlFlow;

use super::translation::Translation;
use super::translator::Translator;
use crate::error::Result;
use canopy_document::document::Document;
use canopy_metrics::formality::Formality;
use canopy_nn::search::SearchOptions;
use documents::Documents;
pub use formality::{FormalityConstraints, FormalityOption};
pub(super) use gathering::Gathered;
pub(super) use joint::JointSearch;
use request::OnStep;
pub use request::{
    DocumentRequest, KnownTranslations, OnEvent, Step, TranslationEvent, TranslationRequest,
};

/// A model that translates documents, whatever it computes with.
pub trait DocumentModel {
    /// Translates the sentences of a request.
    ///
    /// # Errors
    /// If a device fails, or a sentence cannot be translated; the error names the sentence.
    fn run(&self, request: TranslationRequest<'_>, on_event: &mut OnEvent<'_>) -> Result<()>;
}

impl DocumentModel for Translator {
    fn run(&self, request: TranslationRequest<'_>, on_event: &mut OnEvent<'_>) -> Result<()> {
        self.plan(&request).run(request, on_event)
    }
}

/// The way in which a model goes through documents.
#[derive(Debug)]
pub enum Plan<'t> {
    /// All sentences of all documents in one search, which shares time, not text.
    Joint(&'t Translator),
    /// Sentence by sentence, each after the translations before it, which the encoder reads, or whose form of address is kept.
    Sequential {
        /// The model.
        translator: &'t Translator,
        /// The form of address where none was used before.
        form: Option<Formality>,
    },
    /// Freely first, then once more the sentences that leave a form of address.
    InForm {
        /// The form of address.
        choice: FormalityOption,
        /// The words of each form.
        forms: &'t FormalityConstraints,
        /// The model.
        translator: &'t Translator,
        /// The way in which it translates.
        then: Box<Plan<'t>>,
    },
    /// Into a third language, and from there further.
    Pivot {
        /// The model that reads the document, with the second one behind it.
        first: &'t Translator,
        /// The model that reads what the first one writes.
        second: &'t Translator,
        /// The form of address of what the second one writes.
        formality: Option<FormalityOption>,
    },
}

/// An operation along a plan, with a method for each way; `Break` where the caller ends it.
pub(super) trait Operation {
    /// All sentences together.
    fn joint(&mut self, translator: &Translator) -> Result<ControlFlow<()>>;

    /// Sentence by sentence; `form` is the form of address where none was used before.
    fn sequential(
        &mut self,
        translator: &Translator,
        form: Option<Formality>,
    ) -> Result<ControlFlow<()>>;

    /// As `then` does, and once more what leaves a form of address.
    fn in_form(
        &mut self,
        form: (FormalityOption, &FormalityConstraints),
        translator: &Translator,
        then: &Plan<'_>,
    ) -> Result<ControlFlow<()>>;

    /// By the first model, and what it writes by the second.
    fn pivot(
        &mut self,
        models: [&Translator; 2],
        formality: Option<FormalityOption>,
    ) -> Result<ControlFlow<()>>;
}

/// Inputs of one pass over sentences other than their documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass<'a> {
    pub options: &'a SearchOptions,
    /// Translations that are read after each sentence, the last one first.
    pub before: &'a [Vec<u32>],
    /// The requested form of address where none is fixed.
    pub form: Option<Formality>,
    /// Where sentences are translations themselves, the document that they are of: terms are looked up there.
    pub term_source: Option<&'a Document>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(options: &'a SearchOptions) -> Self {
        Self {
            options,
            before: &[],
            form: None,
            term_source: None,
        }
    }
}

impl Translator {
    /// The way in which this model translates a request.
    pub fn plan(&self, request: &TranslationRequest<'_>) -> Plan<'_> {
        Plan::new(self, request.formality)
    }

    /// Translates the sentences of a request.
    ///
    /// The fixed translation of a sentence that is too long for the model is not read: it is unknown where to cut it.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`](crate::error::Error::DeviceFailed) and
    /// [`BaseError::InvalidScores`](crate::error::BaseError::InvalidScores), which name the sentence; [`Self::on_cpu`] may continue
    /// with it.
    pub fn run(&self, request: TranslationRequest<'_>, on_event: &mut OnEvent<'_>) -> Result<()> {
        self.plan(&request).run(request, on_event)
    }

    /// Translates the named sentences of a document, the most urgent first in `sentences`.
    ///
    /// `finished` gets each sentence's index in the document and its translation as soon as it is found; `Break`
    /// cancels the rest, after the batch under way.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        options: &SearchOptions,
        finished: &mut dyn FnMut(usize, Translation) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut known = KnownTranslations::default();
        let request = TranslationRequest::new(document, sentences, &mut known, options);
        self.run(request, &mut |event| match event.step {
            Step::Translated { index, translation } => finished(index, translation),
            Step::Waiting | Step::Drafted { .. } | Step::Alternatives { .. } => {
                ControlFlow::Continue(())
            }
        })
    }
}

impl<'t> Plan<'t> {
    /// The way in which a model translates documents, in this form of address where it has a choice.
    pub(super) fn new(translator: &'t Translator, formality: Option<FormalityOption>) -> Self {
        Self::choose(translator, formality, false)
    }

    /// The way in which a model translates units of a corpus. Where each one keeps the form of address of those before it, they are
    /// translated in order, and `formality` counts only until a form is used.
    pub(super) fn for_units(
        translator: &'t Translator,
        formality: Option<FormalityOption>,
    ) -> Self {
        Self::choose(translator, formality, true)
    }

    fn choose(
        translator: &'t Translator,
        formality: Option<FormalityOption>,
        are_units: bool,
    ) -> Self {
        let second = translator.second();
        let resources = translator.resources();
        let alone = formality.filter(|_| second.is_none());
        let in_form = alone.and_then(|choice| Some((choice, resources.german_forms()?)));
        let keeps_form = are_units && resources.kept_forms().is_some();
        let in_order = keeps_form || translator.description().model.translations_before() > 0;
        match (second, in_form) {
            (Some(second), _) => Self::Pivot {
                first: translator,
                second,
                formality,
            },
            (None, Some((choice, _))) if are_units && in_order => Self::Sequential {
                translator,
                form: choice.form(),
            },
            (None, Some((choice, forms))) => Self::InForm {
                choice,
                forms,
                translator,
                then: Box::new(Self::choose(translator, None, are_units)),
            },
            (None, None) if in_order => Self::Sequential {
                translator,
                form: None,
            },
            (None, None) => Self::Joint(translator),
        }
    }

    /// Has an operation go the way of this plan.
    pub(super) fn apply(&self, operation: &mut dyn Operation) -> Result<ControlFlow<()>> {
        match self {
            Self::Joint(translator) => operation.joint(translator),
            Self::Sequential { translator, form } => operation.sequential(translator, *form),
            Self::InForm {
                choice,
                forms,
                translator,
                then,
            } => operation.in_form((*choice, forms), translator, then),
            Self::Pivot {
                first,
                second,
                formality,
            } => operation.pivot([first, second], *formality),
        }
    }

    /// Translates the sentences of a request; documents that cannot be searched together follow each other.
    ///
    /// # Errors
    /// As [`Translator::run`].
    pub fn run(&self, request: TranslationRequest<'_>, on_event: &mut OnEvent<'_>) -> Result<()> {
        let mut documents = request.documents;
        let end = self.pass(&mut documents, Pass::new(&request.search), on_event)?;
        tracing::debug!(cancelled = end.is_break(), "translated a request");
        Ok(())
    }

    /// Goes over documents once; breaks off where `on_event` does.
    pub(super) fn pass(
        &self,
        documents: &mut [DocumentRequest<'_>],
        pass: Pass<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<ControlFlow<()>> {
        self.apply(&mut Documents {
            requests: documents,
            pass,
            on_event,
        })
    }

    /// Goes over one document.
    fn pass_over(
        &self,
        request: &mut DocumentRequest<'_>,
        pass: Pass<'_>,
        on_step: &mut OnStep<'_>,
    ) -> Result<ControlFlow<()>> {
        let on_event = &mut |event: TranslationEvent| on_step(event.step);
        self.pass(std::slice::from_mut(request), pass, on_event)
    }
}
