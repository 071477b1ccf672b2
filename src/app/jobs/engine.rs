//! The worker thread's view of a model.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::error::Result;
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_explain::Explanation;
use canopy_explain::trace::Trace;
use canopy_nn::model::MemoryUse;
use canopy_qa::terms::Termbase;
use canopy_train::{ModelQuestion, Prepared, after_fixed, explain, for_document};
use canopy_translate::inference::{
    AddressChoice, KnownTranslations, MeanLogProbs, ModelInfo, SearchOptions, Step, Translation,
    Translator,
};

/// The worker's view of a loaded model; tests put something small in its place.
pub trait Engine {
    fn info(&self) -> &ModelInfo;

    fn device_name(&self) -> &str;

    /// Whether it computes on the CPU, so that no other device can take over.
    fn is_on_cpu(&self) -> bool;

    /// As [`Translator::remember`], and where it `learns` [`Translator::learn_from_memory`].
    ///
    /// # Errors
    /// If the model cannot learn.
    fn remember(&mut self, memory: TranslationMemory, learns: bool) -> Result<()>;

    /// As [`Translator::memory`].
    fn memory(&self) -> Option<Arc<TranslationMemory>>;

    /// Makes translations use these terms, or none, from now on.
    fn use_terms(&mut self, terms: Option<&Arc<Termbase>>) {
        let _ = terms;
    }

    /// Has translations address somebody so from now on, or as the model does.
    fn choose_address(&mut self, choice: Option<AddressChoice>) {
        let _ = choice;
    }

    /// Whether it is another model for each document, see [`MemoryUse::FineTune`].
    fn learns(&self) -> bool;

    /// One made for a document, see [`for_document`].
    fn adapted(
        &self,
        document: &Document,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Self>
    where
        Self: Sized;

    /// One that looks up what is `fixed` in a document, see [`after_fixed`]; none if it does not look up.
    fn after_confirmed(
        &self,
        document: &Document,
        fixed: &BTreeMap<usize, String>,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (document, fixed, step);
        None
    }

    /// As [`Translator::translate_with`].
    ///
    /// # Errors
    /// As there.
    fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()>;

    /// As [`Translator::mean_log_probs`].
    ///
    /// # Errors
    /// As there.
    fn mean_log_probs(
        &self,
        document: &Document,
        candidates: &BTreeMap<usize, Vec<String>>,
        known: &BTreeMap<usize, String>,
    ) -> Result<MeanLogProbs> {
        let _ = (document, candidates, known);
        Ok(MeanLogProbs::new())
    }

    /// As [`Translator::trace`], of texts; `top_t` is another T than the model's own.
    ///
    /// # Errors
    /// If BERT gives numbers that are none.
    fn trace(
        &self,
        document: &Document,
        targets: Vec<Option<String>>,
        part: Option<Range<usize>>,
        top_t: Option<usize>,
    ) -> Result<Trace>;

    /// As [`explain`]; `made` is the one that was [adapted](Self::adapted) to the document.
    ///
    /// # Errors
    /// If the device fails, or it has nothing to tell.
    fn explain(
        &self,
        made: Option<&Self>,
        question: &ModelQuestion<'_>,
        prepared: &mut Option<Prepared>,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Explanation>
    where
        Self: Sized;
}

/// Texts as translations that somebody has written.
pub(super) fn written(targets: Vec<Option<String>>) -> Vec<Option<Translation>> {
    let targets = targets.into_iter();
    targets.map(|text| text.map(Translation::written)).collect()
}

impl Engine for Translator {
    fn info(&self) -> &ModelInfo {
        self.info()
    }

    fn device_name(&self) -> &str {
        self.device_name()
    }

    fn is_on_cpu(&self) -> bool {
        self.is_on_cpu()
    }

    fn remember(&mut self, memory: TranslationMemory, learns: bool) -> Result<()> {
        if learns {
            self.learn_from_memory()?;
        }
        self.remember(memory);
        Ok(())
    }

    fn memory(&self) -> Option<Arc<TranslationMemory>> {
        self.memory().cloned()
    }

    fn use_terms(&mut self, terms: Option<&Arc<Termbase>>) {
        self.set_terms(terms);
    }

    fn choose_address(&mut self, choice: Option<AddressChoice>) {
        self.choose_address(choice);
    }

    fn learns(&self) -> bool {
        self.description().model.memory_use == Some(MemoryUse::FineTune)
    }

    fn adapted(
        &self,
        document: &Document,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Self> {
        for_document(self, document, step)
    }

    fn after_confirmed(
        &self,
        document: &Document,
        fixed: &BTreeMap<usize, String>,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Self> {
        after_fixed(self, document, fixed, step)
    }

    fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        Ok(self.translate_with(document, sentences, known, options, step)?)
    }

    fn mean_log_probs(
        &self,
        document: &Document,
        candidates: &BTreeMap<usize, Vec<String>>,
        known: &BTreeMap<usize, String>,
    ) -> Result<MeanLogProbs> {
        Ok(self.mean_log_probs(document, candidates, known)?)
    }

    fn trace(
        &self,
        document: &Document,
        targets: Vec<Option<String>>,
        part: Option<Range<usize>>,
        top_t: Option<usize>,
    ) -> Result<Trace> {
        Ok(self.trace_with(document, &written(targets), part, top_t)?)
    }

    fn explain(
        &self,
        made: Option<&Self>,
        question: &ModelQuestion<'_>,
        prepared: &mut Option<Prepared>,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Explanation> {
        Ok(explain(self, made, question, prepared, step)?)
    }
}
