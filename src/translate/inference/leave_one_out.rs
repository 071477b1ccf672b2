//! Leave one out: a translation scored again without each sentence that its model can read.
//!
//! The sentence that is left out leaves a gap: the others keep their places in the document, and none moves into the reach
//! of a model that reads a number of sentences before. A model that chooses among all sentences chooses among those that are
//! left.

use std::ops::{ControlFlow, Range};

use super::forced_documents::{ForcedDocuments, Untranslated};
use super::tracing::{Excerpt, TracedText};
use super::translation::Translation;
use super::translator::Translator;
use crate::error::{Error, Result};
use canopy_document::document::Document;
use canopy_document::placeholder::visible;
use canopy_explain::trace::{Trace, TraceSource};
use canopy_explain::{
    Attention, AttentionRole, ContextChange, ContextEdit, LeaveOneOut, Query, ScoredWord,
    query_side, sentence_weights,
};
use canopy_nn::model::{Context, ContextReach, ContextSentence};
use canopy_nn::search::SearchOptions;

/// Source tokens after which those who wait hear of the progress.
const STEP_TOKENS: usize = 4_096;

/// A translated document and the sentence of it whose context is changed.
#[derive(Debug, Clone, Copy)]
pub struct ChangedContext<'a> {
    /// The document.
    pub document: &'a Document,
    /// One for each sentence, or none.
    pub translations: &'a [Option<Translation>],
    /// Number of the sentence in the document.
    pub sentence: usize,
}

/// A model that is asked how the context of a sentence changes its translation.
#[derive(Debug, Clone, Copy)]
pub struct ContextProbe<'a> {
    pub(super) translator: &'a Translator,
    pub(super) changed: ChangedContext<'a>,
    pub(super) options: &'a SearchOptions,
}

impl Translator {
    /// Questions about the context of a sentence, whose answers are searched and scored by `options`.
    pub fn probe<'a>(
        &'a self,
        changed: ChangedContext<'a>,
        options: &'a SearchOptions,
    ) -> ContextProbe<'a> {
        ContextProbe {
            translator: self,
            changed,
            options,
        }
    }
}

impl ContextProbe<'_> {
    /// The sentences before and after the sentence that the model can read for it, its own among them; nothing if it reads
    /// sentences by themselves.
    fn reach(&self) -> Range<usize> {
        let config = &self.translator.description().model;
        let (sentence, count) = (self.changed.sentence, self.changed.document.sentences.len());
        let reach = match config.context {
            Some(Context::Bert {
                sentence: ContextSentence::Previous,
                ..
            }) => Some(ContextReach::Previous(1)),
            Some(Context::Bert {
                sentence: ContextSentence::Same,
                ..
            }) => None,
            Some(context) => Some(context.reach()),
            None if config.reads_formality => Some(ContextReach::Before),
            None => Some(ContextReach::Previous(config.previous_translations))
                .filter(|_| config.previous_translations > 0),
        };
        match reach {
            None => sentence..sentence,
            Some(ContextReach::Document) => 0..count,
            Some(ContextReach::Before) => 0..sentence + 1,
            Some(ContextReach::Previous(before)) => sentence.saturating_sub(before)..sentence + 1,
        }
    }

    /// The change of a translation's probability without each sentence that the model can read for it, next to the
    /// attention that the sentence has. `step` hears how many sentences are done and how many there are, and may break it
    /// off.
    ///
    /// A model that reads translations reads nothing in the place of those that are missing.
    ///
    /// # Errors
    /// [`Error::NotLeftOut`] if the model reads nothing else, nothing is in its reach, the sentence is not translated, or
    /// `step` breaks it off; if the device fails.
    pub fn leave_one_out(
        &self,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<LeaveOneOut> {
        let ChangedContext {
            document,
            translations,
            sentence,
        } = self.changed;
        let read = self.read_context()?;
        let others: Vec<usize> = read.clone().filter(|&other| other != sentence).collect();
        let mut report = |done| match step(done, others.len()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::NotLeftOut {
                problem: "it was stopped",
            }),
        };
        report(0)?;
        let trace =
            self.translator
                .trace_part(document, translations, Some(sentence..sentence + 1))?;
        let masses = Masses::from_trace(trace, sentence);
        let mut view = self.in_whole_context(&read)?;
        let mut documents = ForcedDocuments::default();
        let mut scored: Vec<Vec<f32>> = Vec::new();
        let name = || document.sentence_name(sentence);
        for (number, &other) in others.iter().enumerate() {
            let excerpt = self.excerpt(&read, Some(other));
            let mut left = translations.to_vec();
            left[other] = None;
            let text = TracedText::within(self.translator, document, &left, &excerpt)?;
            documents.push(&text, sentence, Untranslated::Nothing);
            if documents.num_tokens() >= STEP_TOKENS || number + 1 == others.len() {
                let documents = std::mem::take(&mut documents);
                scored.extend(documents.log_probs(self.translator, self.options, &name)?);
                report(number + 1)?;
            }
        }
        let changes = others.iter().zip(&scored).map(|(&other, log_probs)| {
            let text = document.sentences[other].plain_text();
            ContextChange {
                attention: masses.as_ref().map(|masses| masses.sentence_mass(other)),
                ..ContextChange::new(other, text, &view.words, log_probs)
            }
        });
        view.changes = changes.collect();
        view.attention = masses.map(|masses| masses.meaning);
        Ok(view.correlated())
    }

    /// The change of a translation's probability by an edited sentence of its context.
    ///
    /// # Errors
    /// As [`Self::leave_one_out`], and if the sentence is out of the model's reach.
    pub fn edit(&self, edit: &ContextEdit) -> Result<LeaveOneOut> {
        let ChangedContext {
            document,
            translations,
            sentence,
        } = self.changed;
        let read = self.read_context()?;
        if edit.sentence == sentence || !read.contains(&edit.sentence) {
            return Err(Error::NotLeftOut {
                problem: "the model does not read the edited sentence for this one",
            });
        }
        let mut view = self.in_whole_context(&read)?;
        let (mut edited, mut targets) = (document.clone(), translations.to_vec());
        let place = &mut edited.sentences[edit.sentence];
        if let Some(source) = &edit.source {
            place.text.clone_from(source);
            place.points.clear();
        }
        if let Some(target) = &edit.target {
            targets[edit.sentence] = Some(Translation::written(target.clone()));
        }
        let changed = ChangedContext {
            document: &edited,
            translations: &targets,
            sentence,
        };
        let (_, log_probs) = ContextProbe { changed, ..*self }.scored_in(&read)?;
        let text = document.sentences[edit.sentence].plain_text();
        view.changes = vec![ContextChange {
            edit: Some(edit.clone()),
            ..ContextChange::new(edit.sentence, text, &view.words, &log_probs)
        }];
        Ok(view)
    }

    /// The sentences that the model needs to read for one.
    fn read_context(&self) -> Result<Range<usize>> {
        let ChangedContext {
            translations,
            sentence,
            ..
        } = self.changed;
        let not = |problem| Err(Error::NotLeftOut { problem });
        let read = self.reach();
        if read.is_empty() {
            return not("this model reads each sentence by itself; open one that reads documents");
        }
        if read.len() == 1 {
            return not("no other sentence is in the model's reach");
        }
        if translations[sentence].is_none() {
            return not("the sentence is not translated");
        }
        Ok(read)
    }

    /// The sentences that are encoded for one.
    fn excerpt(&self, read: &Range<usize>, left_out: Option<usize>) -> Excerpt {
        let sentence = self.changed.sentence;
        let sentences = if self.translator.model().encodes_documents() {
            read.clone()
        } else {
            sentence..sentence + 1
        };
        Excerpt {
            sentences,
            left_out,
        }
    }

    /// The translation in its whole context, nothing changed.
    fn in_whole_context(&self, read: &Range<usize>) -> Result<LeaveOneOut> {
        let ChangedContext {
            document,
            translations,
            sentence,
        } = self.changed;
        let (pieces, log_probs) = self.scored_in(read)?;
        let words = pieces.iter().zip(log_probs);
        let words = words.map(|(piece, log_prob)| ScoredWord {
            label: piece.trim_start_matches('▁').to_owned(),
            begins: piece.starts_with('▁'),
            log_prob,
        });
        let own = &document.sentences[sentence];
        let translation = translations[sentence].as_ref();
        Ok(LeaveOneOut {
            model: self.translator.description().name.clone(),
            sentence,
            source: own.plain_text(),
            translation: translation.map_or_else(String::new, |it| visible(&it.text, &own.points)),
            words: words.collect(),
            changes: Vec::new(),
            attention: None,
            rank_correlation: None,
            selected: None,
        })
    }

    /// Subwords of the translation and their log-probabilities in these sentences.
    fn scored_in(&self, read: &Range<usize>) -> Result<(Vec<String>, Vec<f32>)> {
        let ChangedContext {
            document,
            translations,
            sentence,
        } = self.changed;
        let excerpt = self.excerpt(read, None);
        let text = TracedText::within(self.translator, document, translations, &excerpt)?;
        let longest = self.translator.description().model.max_tokens;
        let own = text.parts.iter().filter(|part| part.sentence == sentence);
        let mut targets = own.map(|part| part.target.as_ref());
        if !targets.all(|target| target.is_some_and(|ids| ids.len() < longest)) {
            return Err(Error::NotLeftOut {
                problem: "the translation is longer than the model can write",
            });
        }
        let mut documents = ForcedDocuments::default();
        documents.push(&text, sentence, Untranslated::Nothing);
        let pieces = documents.pieces(0, self.translator.tokenizer());
        if pieces.is_empty() {
            return Err(Error::NotLeftOut {
                problem: "the sentence has no words to translate",
            });
        }
        let name = || document.sentence_name(sentence);
        let mut log_probs = documents.log_probs(self.translator, self.options, &name)?;
        Ok((pieces, log_probs.pop().unwrap_or_default()))
    }
}

/// The attention that a sentence gives to each other one.
struct Masses {
    /// Ascending.
    weights: Vec<(u32, f32)>,
    meaning: String,
}

impl Masses {
    /// Mean over the words of the sentence and the heads of the last layer; none if no such attention is traced.
    fn from_trace(trace: Trace, sentence: usize) -> Option<Self> {
        let source = TraceSource::from(trace);
        let query = Query::sentence(query_side(&source), sentence);
        let attention = Attention::find(&source, &query, AttentionRole::Context).ok()?;
        Some(Self {
            weights: sentence_weights(&source, &query).ok()?,
            meaning: query.breadcrumb(source.overview(), &attention),
        })
    }

    fn sentence_mass(&self, other: usize) -> f32 {
        let weight = self.weights.iter().find(|(it, _)| *it as usize == other);
        weight.map_or(0.0, |(_, weight)| *weight)
    }
}
