//! How likely a model takes given translations to be, in their document.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use super::Translator;
use crate::error::{Error, Result};
use crate::inference::pipeline::{
    DocumentRequest, FormalityConstraints, FormalityOption, Gathered, JointSearch,
    KnownTranslations, Operation, Pass, Plan,
};
use canopy_document::document::Document;
use canopy_metrics::formality::Formality;
use canopy_nn::search::{Candidates, SearchOptions, force_documents};

/// For each sentence, the mean log-probabilities of its candidates.
pub type MeanLogProbs = BTreeMap<usize, Vec<Option<f32>>>;

impl Translator {
    /// The mean log-probability of a token, the end of the sentence among them, of each of these translations of sentences
    /// (natural logarithm), by teacher forcing. None for a sentence that the model translates in parts, for what is longer
    /// than it reads, and where two models translate in a row.
    ///
    /// The model reads the document as when it translates, and `known` translations of other sentences where it reads such.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn mean_log_probs(
        &self,
        document: &Document,
        candidates: &BTreeMap<usize, Vec<String>>,
        known: &BTreeMap<usize, String>,
    ) -> Result<MeanLogProbs> {
        let unknown =
            |(&sentence, texts): (&usize, &Vec<String>)| (sentence, vec![None; texts.len()]);
        let mut scoring = Scoring {
            document,
            candidates,
            known: KnownTranslations::fixed(known.clone()),
            means: candidates.iter().map(unknown).collect(),
        };
        let end = Plan::new(self, None).apply(&mut scoring)?;
        debug_assert!(end.is_continue(), "nobody breaks it off");
        Ok(scoring.means)
    }
}

/// Candidates that are scored, and the means of those that have been.
struct Scoring<'a> {
    document: &'a Document,
    candidates: &'a BTreeMap<usize, Vec<String>>,
    known: KnownTranslations,
    means: MeanLogProbs,
}

impl Operation for Scoring<'_> {
    fn joint(&mut self, translator: &Translator) -> Result<ControlFlow<()>> {
        let sentences: Vec<usize> = self.candidates.keys().copied().collect();
        if !sentences.is_empty() {
            self.score(translator, &sentences, &[])?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn sequential(
        &mut self,
        translator: &Translator,
        _: Option<Formality>,
    ) -> Result<ControlFlow<()>> {
        let candidates = self.candidates;
        for &sentence in candidates.keys() {
            let reader = translator.reader();
            let before = reader.read_before(self.document, sentence, &self.known);
            self.score(translator, &[sentence], &before)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn in_form(
        &mut self,
        _: (FormalityOption, &FormalityConstraints),
        _: &Translator,
        then: &Plan<'_>,
    ) -> Result<ControlFlow<()>> {
        then.apply(self)
    }

    /// Scores nothing: the text between the two models is not given.
    fn pivot(
        &mut self,
        _: [&Translator; 2],
        _: Option<FormalityOption>,
    ) -> Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }
}

impl Scoring<'_> {
    /// Scores the candidates of sentences, which are read after `before`.
    fn score(
        &mut self,
        translator: &Translator,
        sentences: &[usize],
        before: &[Vec<u32>],
    ) -> Result<()> {
        let Scoring {
            document,
            candidates,
            known,
            means,
        } = self;
        let mut request = DocumentRequest {
            document,
            sentences,
            known,
        };
        let options = SearchOptions::default();
        let pass = Pass {
            before,
            ..Pass::new(&options)
        };
        let search = JointSearch::new(translator, pass);
        let mut gathered = search.gathered(sentences.iter().map(|&sentence| (0, sentence)));
        search.gather(0, &mut request, &mut gathered)?;
        let Gathered {
            mut text,
            owners,
            pending,
            ..
        } = gathered;
        let special = translator.tokenizer().special();
        let longest = translator.description().model.max_tokens - 1;
        let (mut forced, mut places) = (Candidates::new(), HashMap::new());
        for &number in &text.wanted {
            let ((_, sentence), _) = owners[number];
            let [(source, _)] = pending[&(0, sentence)].parts.as_slice() else {
                continue;
            };
            let own = forced.entry(number).or_default();
            for (candidate, text) in candidates[&sentence].iter().enumerate() {
                let ids = search.reader().read_ids_of_translation(text, source);
                if !ids.is_empty() && ids.len() <= longest {
                    places.insert((number, own.len()), (sentence, candidate));
                    own.push(ids);
                }
            }
        }
        text.wanted.retain(|number| forced.contains_key(number));
        let (model, vocabulary) = (translator.model(), translator.tokenizer());
        model.read_packed()?;
        // What every translation begins with says nothing of any.
        let begun = special.target_prefix.len();
        let mut found = |scores: canopy_nn::search::ForcedScores| {
            let (sentence, candidate) = places[&(scores.number, scores.candidate)];
            let log_probs = scores.log_probs.get(begun..).unwrap_or_default();
            if let Some(means) = means.get_mut(&sentence) {
                means[candidate] = mean(log_probs);
            }
            ControlFlow::Continue(())
        };
        let scored = translator
            .loaded
            .device
            .attempt(|| force_documents(model, vocabulary, &text, &forced, &options, &mut found));
        match scored {
            Ok(done) => Ok(done.map_err(|broken| broken.into_error(&text, vocabulary))?),
            Err(message) => Err(Error::DeviceFailed {
                sentence: sentences
                    .first()
                    .map_or_else(String::new, |&it| document.sentence_name(it)),
                message,
            }),
        }
    }
}

fn mean(log_probs: &[f32]) -> Option<f32> {
    let sum: f32 = log_probs.iter().sum();
    (!log_probs.is_empty()).then(|| sum / log_probs.len() as f32)
}
