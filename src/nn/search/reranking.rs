//! The choice among the translations that a search has found, by a model of the opposite direction.
//!
//! The re-ranking of Yee et al., EMNLP 2019, without their language model: the largest `log p(y | x) + λ log p(x | y)`,
//! either sum by the length penalty of its own sentence (theirs: by its length), is chosen. The search keeps more hypotheses
//! than requested, so that there is a choice.

use std::ops::ControlFlow;

use super::batch::{SourceFrame, SourceSentence, SourceText};
use super::beam::{Hypothesis, SearchOptions};
use super::document_search::Stop;
use super::forced_decoding::{Candidates, force_documents};
use crate::model::{Model, Reranker};
use canopy_document::placeholder;
use canopy_tokenize::{Side, Tokenizer};

/// Hypotheses that are kept for each requested one.
const WIDER: usize = 2;

impl SearchOptions {
    /// Hypotheses that are kept for each sentence, before a channel chooses among them.
    pub fn beam_of(&self, model: &Model) -> usize {
        match self.beam_size {
            0 => {
                let own = model.beam_size.unwrap_or(Self::USUAL_BEAM);
                // The returned alternatives have to be found.
                own.max(self.alternatives + 1)
            }
            requested => requested,
        }
    }

    /// Options of the search of a model: with its beam and length penalty where none is given, wider where a re-ranker chooses.
    pub(super) fn for_model(self, model: &Model) -> Self {
        let wider = if model.reranker.is_some() { WIDER } else { 1 };
        Self {
            beam_size: self.beam_of(model) * wider,
            length_penalty: self.length_penalty.or(model.length_penalty),
            ..self
        }
    }
}

/// For each sentence of `text`, by its number, the translation from which `reranker` recovers it best. One that was cut off
/// is chosen where all are, and so is one that is longer than `reranker` reads; where the sentence itself is, the most
/// probable one is.
pub(super) fn chosen(
    (text, vocabulary, options): (&SourceText, &dyn Tokenizer, &SearchOptions),
    reranker: &Reranker,
    found: Vec<(usize, Vec<Hypothesis>)>,
) -> ControlFlow<Stop, Vec<(usize, Hypothesis)>> {
    let texts = Texts {
        own: vocabulary,
        back: reranker.tokenizer.as_deref(),
    };
    let prefix = texts.target_prefix();
    let (mut sentences, mut sources) = (Vec::new(), Candidates::new());
    let mut owners = Vec::new();
    // What the re-ranker would read of each hypothesis, if it can.
    let mut readable: Vec<Vec<bool>> = Vec::with_capacity(found.len());
    for (number, hypotheses) in &found {
        let position = text.sentences[*number].position;
        let source = texts.back_ids(Side::Source, source(text, *number));
        let mut read = Vec::with_capacity(hypotheses.len());
        for hypothesis in hypotheses {
            let ids = texts.back_ids(Side::Target, &hypothesis.ids);
            // Either with its end.
            let fits = source.len().max(ids.len()) < reranker.max_tokens;
            read.push(fits);
            if fits {
                sources.insert(sentences.len(), vec![[prefix, &source].concat()]);
                sentences.push(SourceSentence { ids, position });
                owners.push(*number);
            }
        }
        readable.push(read);
    }
    let mut log_probs = vec![0.0; sentences.len()];
    let back = SourceText {
        frame: texts.frame(),
        ..SourceText::from_sentences(sentences)
    };
    let (model, vocabulary) = (&reranker.model, texts.back.unwrap_or(vocabulary));
    let scored = force_documents(model, vocabulary, &back, &sources, options, &mut |forced| {
        log_probs[forced.number] = forced.log_probs[prefix.len()..].iter().sum();
        ControlFlow::Continue(())
    });
    if let Err(broken) = scored {
        return ControlFlow::Break(Stop::Invalid(broken.with_number(owners[broken.number])));
    }
    let mut log_probs = log_probs.into_iter();
    let best = |((number, hypotheses), readable): ((usize, Vec<Hypothesis>), Vec<bool>)| {
        let penalty = options.penalty(source(text, number).len());
        let scored = hypotheses
            .into_iter()
            .zip(readable)
            .map(|(hypothesis, is_readable)| {
                let back = is_readable.then(|| log_probs.next());
                let score = back
                    .flatten()
                    .map(|back| hypothesis.score(options) + reranker.weight * back / penalty);
                (hypothesis, score)
            });
        // The first of equal ones. They come with those that ended by themselves before all others.
        let best = scored.reduce(|best, other| {
            let is_better = other.1 > best.1 && best.0.cut_off == other.0.cut_off;
            if is_better { other } else { best }
        });
        (number, best.expect("one at least").0)
    };
    ControlFlow::Continue(found.into_iter().zip(readable).map(best).collect())
}

/// Sentences of a search in the ids of a re-ranker, which may have a tokenizer of its own.
struct Texts<'a> {
    own: &'a dyn Tokenizer,
    back: Option<&'a dyn Tokenizer>,
}

impl Texts<'_> {
    /// The ids of one side of the search as the re-ranker has them on its other side. Placeholders go where it has none.
    fn back_ids(&self, side: Side, ids: &[u32]) -> Vec<u32> {
        let Some(back) = self.back else {
            return ids.to_vec();
        };
        let mut text = self.own.decode(side, ids);
        if back.placeholder_ids().is_empty() {
            text = placeholder::stripped(&text);
        }
        let other = match side {
            Side::Source => Side::Target,
            Side::Target => Side::Source,
        };
        back.encode(other, &text)
    }

    /// The ids with which every translation of the re-ranker begins; they cost nothing.
    fn target_prefix(&self) -> &[u32] {
        self.back.map_or(&[], |back| &back.special().target_prefix)
    }

    fn frame(&self) -> SourceFrame {
        self.back.map_or_else(SourceFrame::default, |back| {
            SourceFrame::from_special_ids(back.special())
        })
    }
}

/// The ids of a sentence without what a model reads after it.
fn source(text: &SourceText, number: usize) -> &[u32] {
    let ids = &text.sentences[number].ids;
    let own = ids
        .split(|&id| Some(id) == text.frame.sentence_break)
        .next();
    own.unwrap_or_default()
}
