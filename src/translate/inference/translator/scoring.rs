//! How likely a model takes given translations to be, in their document.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use super::Translator;
use crate::error::{Error, Result};
use crate::inference::pipeline::{DocumentRequest, Gathered, JointSearch, KnownTranslations, Pass};
use canopy_document::document::Document;
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
            translator: self,
            candidates,
            means: candidates.iter().map(unknown).collect(),
        };
        if self.second.is_some() {
            return Ok(scoring.means);
        }
        let mut known = KnownTranslations::fixed(known.clone());
        let sentences: Vec<usize> = candidates.keys().copied().collect();
        let reads_before = self.description().model.translations_before() > 0;
        let at_once = if reads_before {
            1
        } else {
            sentences.len().max(1)
        };
        for group in sentences.chunks(at_once) {
            let before = match group {
                [sentence] if reads_before => {
                    self.reader().read_before(document, *sentence, &known)
                }
                _ => Vec::new(),
            };
            let request = DocumentRequest {
                document,
                sentences: group,
                known: &mut known,
            };
            scoring.score(request, &before)?;
        }
        Ok(scoring.means)
    }
}

/// Candidates that are scored, and the means of those that have been.
struct Scoring<'a> {
    translator: &'a Translator,
    candidates: &'a BTreeMap<usize, Vec<String>>,
    means: MeanLogProbs,
}

impl Scoring<'_> {
    /// Scores the candidates of the sentences of a request, which are read after `before`.
    fn score(&mut self, mut request: DocumentRequest<'_>, before: &[Vec<u32>]) -> Result<()> {
        let Scoring {
            translator,
            candidates,
            means,
        } = self;
        let sentences = request.sentences.iter();
        let options = SearchOptions::default();
        let pass = Pass {
            before,
            ..Pass::new(&options)
        };
        let search = JointSearch::new(translator, pass);
        let mut gathered = search.gathered(sentences.map(|&sentence| (0, sentence)));
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
            Ok(done) => Ok(done.map_err(|broken| broken.of_text(&text, vocabulary))?),
            Err(message) => Err(Error::DeviceFailed {
                sentence: request
                    .sentences
                    .first()
                    .map_or_else(String::new, |&it| request.document.sentence_name(it)),
                message,
            }),
        }
    }
}

fn mean(log_probs: &[f32]) -> Option<f32> {
    let sum: f32 = log_probs.iter().sum();
    (!log_probs.is_empty()).then(|| sum / log_probs.len() as f32)
}
