//! Terms in translations: a sentence is searched freely, and once more with its terms if it did without them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Translator;
use canopy_document::placeholder;
use canopy_nn::search::{Hypothesis, TermConstraints, TermForce};
use canopy_qa::terms::{TermForms, TermUsage, Termbase};
use canopy_tokenize::{Side, Tokenizer};

/// How a search is made to use terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermMode {
    /// Hypotheses with a term rank higher.
    #[default]
    Soft,
    /// No translation ends without its terms.
    Hard,
}

/// By how much less likely a token a translation with its terms may be, on average, than the free one (natural logarithm);
/// above it the model is forced to something that it does not consider a sentence. Measured in `docs/research/terms.md`.
const MOST_LOSS: f32 = 0.8;

/// Bonus of a term in a soft search, in nats: as much as most words that a model likes less than its own cost it.
pub(in crate::inference) const SOFT_BONUS: f32 = 4.0;

/// Terms as a translator uses them.
#[derive(Debug)]
pub struct TermUse {
    usage: TermUsage,
    forms: TermForms,
    mode: TermMode,
}

impl TermUse {
    /// The terms of a termbase, in the forms that it states.
    pub fn new(base: Arc<Termbase>, mode: TermMode) -> Self {
        Self {
            usage: TermUsage::new(base),
            forms: TermForms::default(),
            mode,
        }
    }

    /// Adds the forms that terms have in these texts, such as the plural.
    #[must_use]
    pub fn with_forms_of<'t>(mut self, texts: impl Iterator<Item = &'t str>) -> Self {
        self.forms = TermForms::seen_in(self.usage.index().base(), texts);
        self
    }

    pub(super) fn base(&self) -> &Arc<Termbase> {
        self.usage.index().base()
    }

    /// The terms, for checking translations.
    pub fn usage(&self) -> &TermUsage {
        &self.usage
    }

    /// The terms of one sentence as ids.
    fn constraints(&self, terms: &[Vec<usize>], tokenizer: &dyn Tokenizer) -> TermConstraints {
        let base = self.usage.index().base();
        let spellings = |terms: &Vec<usize>| {
            let forms = terms.iter().flat_map(|&term| {
                let own = &base.terms[term];
                let forms = self.forms.get(term, own);
                let begins = forms
                    .iter()
                    .map(|form| at_the_beginning(form))
                    .collect::<Vec<_>>();
                forms.into_iter().chain(begins)
            });
            let ids = forms.flat_map(|form| spelt(&form, tokenizer));
            ids.collect::<Vec<_>>()
        };
        let wanted: Vec<Vec<Vec<u32>>> = terms.iter().map(spellings).collect();
        let forbidden = terms.iter().flat_map(|terms| self.usage.forbidden(terms));
        let forbidden: Vec<Vec<u32>> = forbidden.flat_map(|form| spelt(form, tokenizer)).collect();
        let force = match self.mode {
            TermMode::Hard => TermForce::Hard,
            TermMode::Soft => TermForce::Soft { bonus: SOFT_BONUS },
        };
        TermConstraints::new(&wanted, &forbidden, force)
    }
}

/// With a capital letter, as a sentence begins.
fn at_the_beginning(form: &str) -> String {
    let mut letters = form.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The ids of a text at the beginning of a sentence, after a space and after a bracket.
pub(in crate::inference) fn spelt(form: &str, tokenizer: &dyn Tokenizer) -> Vec<Vec<u32>> {
    let mut all = vec![tokenizer.encode(Side::Target, form)];
    for (before, text) in [("a", format!("a {form}")), ("(", format!("({form}"))] {
        let (before, ids) = (
            tokenizer.encode(Side::Target, before),
            tokenizer.encode(Side::Target, &text),
        );
        if let Some(ids) = ids.strip_prefix(before.as_slice())
            && !all.iter().any(|other| other == ids)
        {
            all.push(ids.to_vec());
        }
    }
    let unknown = tokenizer.special().unk;
    // Our own vocabulary can write everything, and so can those without an id for what is unknown.
    all.retain(|ids| !ids.is_empty() && unknown.is_none_or(|unknown| !ids.contains(&unknown)));
    all
}

/// The terms that the parts of a translation are to have, and what was found without them.
#[derive(Debug)]
pub(in crate::inference) struct TermWishes<'t> {
    /// None where a translator uses no terms.
    used: Option<&'t TermUse>,
    tokenizer: &'t dyn Tokenizer,
    /// By the number of the part, for each place the numbers of the terms that are meant there.
    terms: BTreeMap<usize, Vec<Vec<usize>>>,
    /// Free translations that lack some.
    held: BTreeMap<usize, Hypothesis>,
}

impl<'t> TermWishes<'t> {
    pub(crate) fn new(translator: &'t Translator) -> Self {
        Self {
            used: translator.resources.terms().map(AsRef::as_ref),
            tokenizer: translator.tokenizer(),
            terms: BTreeMap::new(),
            held: BTreeMap::new(),
        }
    }

    /// Looks up what a part is to have.
    pub(crate) fn add(&mut self, number: usize, source: &str) {
        let Some(terms) = self.used else {
            return;
        };
        let found = terms.usage.index().find(source).into_iter();
        let mut found: Vec<Vec<usize>> = found.map(|it| it.terms).collect();
        found.sort();
        found.dedup();
        if !found.is_empty() {
            self.terms.insert(number, found);
        }
    }

    /// Parts that are to be searched once more.
    pub(crate) fn held(&self) -> Vec<usize> {
        self.held.keys().copied().collect()
    }

    /// The translation of a part, and whether it has all terms; none while it is to be searched once more.
    pub(crate) fn settle(
        &mut self,
        number: usize,
        hypothesis: Hypothesis,
    ) -> Option<(Hypothesis, bool)> {
        let (Some(terms), Some(wanted)) = (self.used, self.terms.get(&number)) else {
            return Some((hypothesis, true));
        };
        let num_lacking = |hypothesis: &Hypothesis| {
            let text = self.tokenizer.decode(Side::Target, &hypothesis.ids);
            terms
                .usage
                .num_lacking(wanted, &placeholder::stripped(&text))
        };
        let lacking = num_lacking(&hypothesis);
        let Some(free) = self.held.remove(&number) else {
            if lacking == 0 {
                return Some((hypothesis, true));
            }
            self.held.insert(number, hypothesis);
            return None;
        };
        let is_worse = hypothesis.cut_off && !free.cut_off
            || per_token(&hypothesis) < per_token(&free) - MOST_LOSS
            || lacking > num_lacking(&free);
        if is_worse {
            return Some((free, false));
        }
        Some((hypothesis, lacking == 0))
    }

    /// Constraints of the parts that are searched once more.
    pub(crate) fn constraints(&self) -> HashMap<usize, Arc<TermConstraints>> {
        let Some(terms) = self.used else {
            return HashMap::new();
        };
        let held = self.held.keys().filter_map(|number| {
            let constraints = terms.constraints(self.terms.get(number)?, self.tokenizer);
            Some((*number, Arc::new(constraints)))
        });
        held.collect()
    }
}

/// The log-probability of a token, its end among them.
fn per_token(hypothesis: &Hypothesis) -> f32 {
    hypothesis.log_prob / (hypothesis.ids.len() + 1) as f32
}
