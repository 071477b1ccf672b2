//! Log-probabilities of given translations, each with the context with which it would be searched.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::batch::SourceText;
use super::beam::SearchOptions;
use super::document_search::{DocumentSearch, Stop, within};
use super::encodings::EncodingCache;
use super::invalid_scores::InvalidScores;
use crate::model::{Batch, Batching, Model, PackedBatch, SpecialTokens};
use canopy_kernels::DropoutSource;
use canopy_tokenize::Tokenizer;

/// Translations by the numbers of their sentences, without `bos` and `eos`.
pub type Candidates = BTreeMap<usize, Vec<Vec<u32>>>;

/// A given translation with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ForcedScores {
    /// Number of the sentence.
    pub number: usize,
    /// Which of the sentence's translations.
    pub candidate: usize,
    /// Log-probability of each token and of the end of the sentence (natural logarithm).
    pub log_probs: Vec<f32>,
}

/// Scores `candidates`, translations of the wanted sentences; `forced` gets each as soon as it is
/// there, and breaks it off.
///
/// A bilingual model reads the known translations of other sentences, and where there is none a draft of its own, searched
/// with `options`, as when it translates.
///
/// # Errors
/// If the scores of a sentence are no log-probabilities.
pub fn force_documents(
    model: &Model,
    vocabulary: &dyn Tokenizer,
    text: &SourceText,
    candidates: &Candidates,
    options: &SearchOptions,
    forced: &mut dyn FnMut(ForcedScores) -> ControlFlow<()>,
) -> Result<(), InvalidScores> {
    let found = &mut |_| ControlFlow::Continue(());
    let mut search = DocumentSearch::new(model, vocabulary, text, options, found);
    Stop::result(search.force(candidates, forced))
}

/// A sentence and one of its translations, by their numbers.
type Pair = (usize, usize);

impl DocumentSearch<'_> {
    pub(super) fn force(
        &mut self,
        candidates: &Candidates,
        forced: &mut dyn FnMut(ForcedScores) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        if !self.model.encodes_documents() {
            for pairs in batches(candidates, &self.text.wanted) {
                let batch = self.alone(&pairs, candidates);
                let log_probs = self.executor.label_log_probs(&batch);
                report(&log_probs, &batch, &pairs, forced)?;
            }
            return ControlFlow::Continue(());
        }
        let mut kept = EncodingCache::default();
        for (group, wanted) in self.wanted_groups() {
            let (rows, encoded) = self.encoded(&group, &wanted, &mut kept);
            let mut translations = None;
            if self.model.is_bilingual() {
                self.first_pass(&group, &wanted, &encoded)?;
                // Burn's layers read the drafts anew.
                self.states_of_drafts(&group);
                let (target, none) = (self.translations(&group), DropoutSource::none());
                translations = self.model.translations(&rows, &target, &encoded, &none);
            }
            for pairs in batches(candidates, &wanted) {
                let numbers: Vec<usize> = pairs.iter().map(|(number, _)| *number).collect();
                let translated = within(&group, |window| window.own.clone(), &numbers);
                let tokens = self.model.network.tokens();
                let batch = batch(rows.clone(), translated, &pairs, candidates, &tokens);
                let read = translations.as_ref();
                let log_probs = self.model.label_log_probs(&encoded, read, &batch);
                report(&log_probs, &batch, &pairs, forced)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Sentences by themselves with translations of theirs.
    fn alone(&self, pairs: &[Pair], candidates: &Candidates) -> Batch {
        let mut numbers: Vec<usize> = pairs.iter().map(|(number, _)| *number).collect();
        numbers.dedup();
        let position = |(number, _): &Pair| numbers.iter().position(|other| other == number);
        let translated = pairs.iter().filter_map(position).collect();
        let source = self.text.alone(&numbers);
        batch(
            source,
            translated,
            pairs,
            candidates,
            &self.model.network.tokens(),
        )
    }
}

/// All translations of the wanted sentences, in batches of about [`Batching::TOKENS`] tokens.
fn batches(candidates: &Candidates, wanted: &[usize]) -> Vec<Vec<Pair>> {
    let mut batches: Vec<Vec<Pair>> = Vec::new();
    let mut sum = 0;
    for &number in wanted {
        for (candidate, ids) in candidates.get(&number).into_iter().flatten().enumerate() {
            let more = ids.len() + 1;
            match batches.last_mut() {
                Some(batch) if sum + more <= Batching::TOKENS => batch.push((number, candidate)),
                _ => {
                    batches.push(vec![(number, candidate)]);
                    sum = 0;
                }
            }
            sum += more;
        }
    }
    batches
}

fn batch(
    source: PackedBatch,
    translated: Vec<usize>,
    pairs: &[Pair],
    candidates: &Candidates,
    tokens: &SpecialTokens,
) -> Batch {
    let mut batch = Batch {
        source,
        translated,
        ..Batch::default()
    };
    for (number, candidate) in pairs {
        let ids = candidates[number][*candidate].as_slice();
        batch.target.begin_document();
        batch.target.push(&[&[tokens.start], ids].concat(), (0, 0));
        batch.labels.extend_from_slice(ids);
        batch.labels.push(tokens.end);
    }
    batch
}

fn report(
    log_probs: &[f32],
    batch: &Batch,
    pairs: &[Pair],
    forced: &mut dyn FnMut(ForcedScores) -> ControlFlow<()>,
) -> ControlFlow<Stop> {
    for (&(number, candidate), rows) in pairs.iter().zip(&batch.target.sentences) {
        let log_probs = log_probs[rows.clone()].to_vec();
        if let Some(&found) = log_probs
            .iter()
            .find(|it| it.is_nan() || **it == f32::INFINITY)
        {
            return ControlFlow::Break(Stop::Invalid(InvalidScores { number, found }));
        }
        Stop::cancelled(forced(ForcedScores {
            number,
            candidate,
            log_probs,
        }))?;
    }
    ControlFlow::Continue(())
}
