//! Translating through a third language: two models in a row.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use super::{KnownTranslations, Step, Translator};
use crate::inference::device::DeviceChoice;
use crate::inference::model_choice::Leg;
use crate::inference::translation::Translation;
use canopy_base::error::{Error, Result};
use canopy_corpus::is_same_language;
use canopy_document::document::Document;
use canopy_nn::search::SearchOptions;

impl Translator {
    /// Opens models in a row, each of which translates what the one before it wrote.
    ///
    /// # Errors
    /// As [`Self::open_between`] and [`Self::followed_by`]; [`Error::NoModel`] without any.
    pub fn open_legs(legs: &[Leg], device: DeviceChoice) -> Result<Self> {
        let mut opened: Option<Self> = None;
        for leg in legs {
            let (source, target) = (leg.source.as_deref(), leg.target.as_deref());
            let next = Self::open_between(&leg.folder, device, source, target)?;
            opened = Some(match opened {
                Some(first) => first.followed_by(next)?,
                None => next,
            });
        }
        opened.ok_or(Error::NoModel)
    }

    /// The same, whose translations `second` translates further.
    ///
    /// # Errors
    /// [`Error::Languages`] if `second` does not translate from the language that this one translates to.
    pub fn followed_by(mut self, second: Self) -> Result<Self> {
        let (own, other) = (&self.info, &second.info);
        if !is_same_language(&own.target_language, &other.source_language) {
            return Err(Error::Languages {
                asked: format!("{} to {}", own.target_language, other.target_language),
                has: format!("{} to {}", other.source_language, other.target_language),
            });
        }
        tracing::info!(
            first = own.name,
            second = other.name,
            "translates through a third language"
        );
        self.info.name = format!("{}, then {}", own.name, other.name);
        self.info
            .target_language
            .clone_from(&second.info.target_language);
        self.info.num_parameters += second.info.num_parameters;
        self.second = Some(Box::new(second));
        Ok(self)
    }

    /// The model that translates its translations further.
    pub fn second(&self) -> Option<&Self> {
        self.second.as_deref()
    }

    /// Translates with both models; what the first one finds is told as drafts.
    pub(super) fn translate_through(
        &self,
        second: &Self,
        document: &Document,
        sentences: &[usize],
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut open = Vec::with_capacity(sentences.len());
        for &index in sentences {
            match self.settled_in(document, &document.sentences[index].text) {
                Some(translation) => {
                    if step(Step::Translated { index, translation }).is_break() {
                        return Ok(());
                    }
                }
                None => open.push(index),
            }
        }
        // What the memory knows are whole ways, not halves of one.
        let first = Self {
            second: None,
            memory: None,
            terms: None,
            address: None,
            chosen_address: None,
            german_forms: OnceLock::new(),
            ..self.clone()
        };
        let mut middle = document.clone();
        let mut found: HashMap<usize, Translation> = HashMap::new();
        let mut is_cancelled = false;
        let num = open.len();
        first.translate(document, &open, options, &mut |index, translation| {
            middle.sentences[index].text.clone_from(&translation.text);
            found.insert(index, translation);
            let flow = step(Step::Drafted {
                done: found.len(),
                num,
            });
            is_cancelled |= flow.is_break();
            flow
        })?;
        if is_cancelled {
            return Ok(());
        }
        // The terms of the source are those of the last target.
        let second = Self {
            terms: self.terms.clone(),
            ..second.clone()
        };
        let source = |&index: &usize| (index, document.sentences[index].text.clone());
        let mut known = KnownTranslations {
            term_sources: open.iter().map(source).collect(),
            ..KnownTranslations::default()
        };
        second.translate_with(&middle, &open, &mut known, options, &mut |told| {
            let (index, translation) = match told {
                Step::Drafted { .. } => return ControlFlow::Continue(()),
                Step::Waiting | Step::Alternatives { .. } => return step(told),
                Step::Translated { index, translation } => (index, translation),
            };
            let mut translation = translation.checked(&document.sentences[index].text);
            if let Some(first) = found.get(&index) {
                let more = first.flags.iter().filter(|flag| flag.warns());
                for &flag in more {
                    if !translation.flags.contains(&flag) {
                        translation.flags.push(flag);
                    }
                }
                translation.log_prob += first.log_prob;
                translation.num_tokens += first.num_tokens;
            }
            step(Step::Translated { index, translation })
        })
    }
}
