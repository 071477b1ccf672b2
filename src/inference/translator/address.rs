//! The form of address of a document, kept: a person who has said `du` once is not asked again.
//!
//! Whatever the model reads: the words of the form are constraints of its search, as terms are. Measured in
//! `docs/results.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Translator;
use super::terms::{SOFT_BONUS, TermMode, spelt};
use crate::corpus::is_same_language;
use crate::metrics::discourse::{FormOfAddress, begins_sentence};
use crate::search::{TermConstraints, TermForce};
use crate::text::document::Document;
use crate::tokenizers::{Side, Tokenizer};

/// The words of each form as a tokenizer spells them.
#[derive(Debug, Clone)]
pub struct AddressForms {
    /// Where a text speaks of nobody else, and where it may.
    constraints: Vec<(FormOfAddress, [Arc<TermConstraints>; 2])>,
}

impl AddressForms {
    /// One word of a form, and none that only another one has.
    pub fn new(tokenizer: &dyn Tokenizer, mode: TermMode) -> Self {
        let ids = |words: &[String]| {
            let ids = words.iter().flat_map(|word| spelt(word, tokenizer));
            ids.collect::<Vec<_>>()
        };
        // Behind which a word has a capital, whatever it means.
        let ends_sentence = |&id: &u32| {
            let piece = tokenizer.piece(Side::Target, id);
            let opens = piece.ends_with(['„', '‚', '«', '›', '(', '–', '—']);
            opens || !piece.is_empty() && begins_sentence(&piece)
        };
        let num_tokens = u32::try_from(tokenizer.len(Side::Target)).expect("ids fit 32 bits");
        let ends: Vec<u32> = (0..num_tokens).filter(ends_sentence).collect();
        let force = match mode {
            TermMode::Hard => TermForce::Hard,
            TermMode::Soft => TermForce::Soft { bonus: SOFT_BONUS },
        };
        let constraints = FormOfAddress::ALL.map(|form| {
            let wanted = ids(&form.words());
            let constraints = [true, false].map(|is_sure| {
                let forbidden = ids(&form.words_of_others(is_sure));
                let wanted = std::slice::from_ref(&wanted);
                let constraints = TermConstraints::new(wanted, &forbidden, force);
                let within = ids(&form.words_of_others_within());
                Arc::new(constraints.forbidding_within(&within, ends.clone()))
            });
            (form, constraints)
        });
        Self {
            constraints: constraints.into(),
        }
    }

    /// The constraints that ask for a form in the translation of `source`.
    pub fn of(&self, form: FormOfAddress, source: &str) -> Option<Arc<TermConstraints>> {
        let mut constraints = self.constraints.iter();
        let (_, [sure, unsure]) = constraints.find(|(other, _)| *other == form)?;
        let is_sure = FormOfAddress::is_sure_in(source);
        Some(Arc::clone(if is_sure { sure } else { unsure }))
    }
}

impl Translator {
    /// Keeps the form of address where documents are evaluated, too.
    pub fn keep_address_form(&mut self, mode: TermMode) {
        self.address = Some(Arc::new(AddressForms::new(self.tokenizer(), mode)));
    }

    /// The forms of address that are kept where documents are evaluated, if they are.
    pub fn address_forms(&self) -> Option<&AddressForms> {
        self.address.as_deref()
    }

    /// The forms for translations from English into German.
    fn german_forms(&self) -> Option<&AddressForms> {
        let languages = &self.description().languages;
        let is_german =
            is_same_language(&languages.source, "en") && is_same_language(&languages.target, "de");
        is_german.then(|| {
            self.german_forms
                .get_or_init(|| AddressForms::new(self.tokenizer(), TermMode::Soft))
        })
    }

    /// What asks a part of a sentence for the form of address that a person has used last before it in this document.
    pub(super) fn asked_address(
        &self,
        document: &Document,
        sentence: usize,
        (part, fixed): (&str, &BTreeMap<usize, String>),
    ) -> Option<Arc<TermConstraints>> {
        if fixed.is_empty() || !FormOfAddress::is_chosen_for(part) {
            return None;
        }
        let forms = self.german_forms()?;
        let mut before = fixed.range(..sentence).rev();
        let form = before.find_map(|(&other, target)| {
            FormOfAddress::kept_by(&document.sentences[other].text, target)
        });
        forms.of(form?, part)
    }
}
