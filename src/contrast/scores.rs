//! Scores of the translations of a contrastive set, in their documents.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::{ControlFlow, Range};

use super::{ContrastiveSet, SetSentence, TargetContext};
use crate::error::Result;
use canopy_corpus::{DocumentUnits, Segment, SegmentUnit};
use canopy_document::placeholder::stripped;
use canopy_metrics::formality::Formality;
use canopy_nn::search::{Candidates, SearchOptions, SourceSentence, SourceText, force_documents};
use canopy_tokenize::Side;
use canopy_translate::inference::{
    Reads, SegmentRequest, Translator, bert_sequences, is_translatable,
};

#[cfg(test)]
mod tests;

/// The context that is read with a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextOptions {
    /// Sentences before it; all of the document if none is said.
    pub before: Option<usize>,
    /// Sentences after it; all of the document if none is said.
    pub after: Option<usize>,
    /// Models that read translations of other sentences get the human ones instead of their own.
    pub gold_target_context: bool,
    /// Beam size of the search for its own translations.
    pub beam_size: usize,
}

impl ContextOptions {
    fn search(&self) -> SearchOptions {
        SearchOptions {
            beam_size: self.beam_size,
            ..SearchOptions::default()
        }
    }
}

/// Scores of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct SetScores {
    /// For each item its candidates' log-probabilities (natural logarithm): sums over tokens and the end of the sentence.
    /// None for an item that is longer than the model reads.
    pub items: Vec<Option<Vec<f64>>>,
    /// The translations of other sentences that the model read.
    pub target_context: TargetContext,
}

/// Translations of a document's sentences, from its beginning on; none for unknown ones.
type Translations = Vec<Option<String>>;

/// The text of a set as the model reads it.
#[derive(Default)]
struct SetText {
    text: SourceText,
    candidates: Candidates,
    /// Item and candidate of the item, for each of `candidates`.
    owners: HashMap<(usize, usize), (usize, usize)>,
}

/// Scores all candidates of a set by a model. `go_on` gets the number of candidates that are done, and may break it off:
/// what is missing then has no score.
///
/// # Errors
/// If BERT returns non-finite numbers, or the model non-finite scores.
pub fn score(
    translator: &Translator,
    set: &ContrastiveSet,
    options: &ContextOptions,
    go_on: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<SetScores> {
    Scorer(translator).score(set, options, go_on)
}

/// A model that scores.
struct Scorer<'t>(&'t Translator);

impl Scorer<'_> {
    fn score(
        &self,
        set: &ContrastiveSet,
        options: &ContextOptions,
        go_on: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<SetScores> {
        let target_context = match (self.0.info().reads, options.gold_target_context) {
            (Reads::Translations, false) => TargetContext::Own,
            (Reads::Translations, true) => TargetContext::Gold,
            (Reads::Nothing | Reads::Confirmed | Reads::Source, _) => TargetContext::None,
        };
        let none = SetScores {
            items: vec![None; set.items.len()],
            target_context,
        };
        let Some(translations) = self.translations_of(set, options, &mut || go_on(0))? else {
            return Ok(none);
        };
        let read = self.set_text(set, &translations, options)?;
        let mut scores: Vec<Vec<Option<f64>>> = set
            .items
            .iter()
            .map(|item| vec![None; item.candidates().count()])
            .collect();
        let search = options.search();
        let mut done = 0;
        let (model, vocabulary) = (self.0.model(), self.0.tokenizer());
        model.read_packed()?;
        let forced = force_documents(
            model,
            vocabulary,
            &read.text,
            &read.candidates,
            &search,
            &mut |forced| {
                let (item, candidate) = read.owners[&(forced.number, forced.candidate)];
                let sum: f64 = forced.log_probs.iter().map(|&x| f64::from(x)).sum();
                scores[item][candidate] = Some(sum);
                done += 1;
                go_on(done)
            },
        );
        forced.map_err(|broken| broken.into_error(&read.text, vocabulary))?;
        Ok(SetScores {
            items: scores
                .into_iter()
                .map(|scores| scores.into_iter().collect())
                .collect(),
            ..none
        })
    }

    /// The translations of each document that an encoder reads with later sentences; none if `go_on` breaks it off.
    fn translations_of(
        &self,
        set: &ContrastiveSet,
        options: &ContextOptions,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Translations>>> {
        let mut counts = vec![0; set.documents.len()];
        for item in &set.items {
            let read = self.0.reader().before(item.sentence);
            if !read.is_empty() {
                counts[item.document] = read.end.max(counts[item.document]);
            }
        }
        let before = set.documents.iter().zip(counts);
        let before = before.map(|(document, count)| &document.sentences[..count]);
        if options.gold_target_context {
            let known = |sentences: &[SetSentence]| {
                let references = sentences.iter().map(|it| it.reference.clone());
                references.collect()
            };
            return Ok(Some(before.map(known).collect()));
        }
        let documents: Vec<DocumentUnits> = before.clone().map(units).collect();
        let numbered = before.enumerate();
        let segments = numbered.flat_map(|(number, sentences)| segments(number, sentences));
        let search = options.search();
        let segments: Vec<Segment> = segments.collect();
        let request = SegmentRequest {
            documents: &documents,
            segments: &segments,
            search: &search,
            formality: None,
        };
        let found = self.0.translate_segments(request, go_on)?;
        Ok(found.map(|found| {
            let mut translations = vec![Vec::new(); documents.len()];
            for (segment, texts) in segments.iter().zip(found) {
                translations[segment.document].push(Some(texts.concat()));
            }
            translations
        }))
    }

    /// The translations before a sentence that the encoder reads.
    fn read_behind(
        &self,
        sentence: usize,
        sources: &[SetSentence],
        translations: &Translations,
        options: &ContextOptions,
    ) -> Vec<Vec<u32>> {
        let most = options.before.unwrap_or(usize::MAX);
        let read = self.0.reader().before(sentence);
        let first = read.start.max(sentence.saturating_sub(most));
        let target = |other: usize| translations.get(other)?.clone();
        if self.0.description().model.reads_formality {
            let source = |other: usize| sources[other].source.as_str();
            let target = |other| target(other).filter(|_| other >= first);
            let form = Formality::last_before(sentence, source, target);
            let encode = |form: Formality| {
                self.0
                    .tokenizer()
                    .encode(Side::Source, form.side_constraint())
            };
            return form.map(encode).into_iter().collect();
        }
        let known = (first..sentence).filter_map(target);
        known
            .map(|text| self.0.tokenizer().encode(Side::Target, &text))
            .collect()
    }

    fn set_text(
        &self,
        set: &ContrastiveSet,
        translations: &[Translations],
        options: &ContextOptions,
    ) -> Result<SetText> {
        let mut read = SetText::default();
        // Items of one document that read all of it are encoded together.
        let mut placed: HashMap<(usize, Range<usize>), Vec<usize>> = HashMap::new();
        for (number, item) in set.items.iter().enumerate() {
            let sentences = &set.documents[item.document].sentences;
            let candidates = item
                .candidates()
                .map(|text| self.0.tokenizer().encode(Side::Target, text));
            let candidates: Vec<Vec<u32>> = candidates.collect();
            let source = self
                .0
                .tokenizer()
                .encode(Side::Source, &sentences[item.sentence].source);
            let longest = self.0.description().model.max_tokens - 1;
            if source.len() > longest || candidates.iter().any(|ids| ids.len() > longest) {
                continue;
            }
            let context = self.context(item.sentence, sentences.len(), options);
            let firsts = match placed.entry((item.document, context.clone())) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let read = &mut read.text;
                    let first = read.sentences.len();
                    let added = self.add_document(read, &sentences[context.clone()], options)?;
                    let before = self.read_behind(
                        item.sentence,
                        sentences,
                        &translations[item.document],
                        options,
                    );
                    // A model that reads translations after a sentence reads no other sentence.
                    for sentence in &mut read.sentences[first..] {
                        sentence
                            .ids
                            .extend(self.0.reader().suffix(&before, sentence.ids.len()));
                    }
                    entry.insert(added)
                }
            };
            let sentence = firsts[item.sentence - context.start];
            if !read.candidates.contains_key(&sentence) {
                read.text.wanted.push(sentence);
            }
            let known = read.candidates.entry(sentence).or_default();
            for (candidate, ids) in candidates.into_iter().enumerate() {
                read.owners
                    .insert((sentence, known.len()), (number, candidate));
                known.push(ids);
            }
        }
        Ok(read)
    }

    /// The sentences of a document that are read with one of them.
    fn context(&self, sentence: usize, len: usize, options: &ContextOptions) -> Range<usize> {
        if !self.0.model().reads_documents() {
            return sentence..sentence + 1;
        }
        let first = options
            .before
            .map_or(0, |before| sentence.saturating_sub(before));
        let end = options
            .after
            .map_or(len, |after| len.min(sentence + 1 + after));
        first..end
    }

    /// Adds a document; the number that each of its sentences gets, or the first part of one that is too long.
    ///
    /// The human translation of such a sentence is not read: it is unknown where to cut it.
    fn add_document(
        &self,
        text: &mut SourceText,
        sentences: &[SetSentence],
        options: &ContextOptions,
    ) -> Result<Vec<usize>> {
        let (begin, longest) = (
            text.sentences.len(),
            self.0.description().model.max_tokens - 1,
        );
        let shown: Vec<String> = sentences
            .iter()
            .map(|sentence| stripped(&sentence.source))
            .collect();
        let pieces = bert_sequences(self.0, &shown)?;
        let mut firsts = Vec::with_capacity(sentences.len());
        for (number, sentence) in sentences.iter().enumerate() {
            firsts.push(text.sentences.len());
            let parts: Vec<&str> = match self.0.reader().parts(&sentence.source) {
                parts if parts.len() > 1 => parts.into_iter().map(str::trim).collect(),
                _ => vec![sentence.source.as_str()],
            };
            let known = match &sentence.reference {
                Some(reference) if options.gold_target_context => Some(reference),
                _ => (!is_translatable(&sentence.source)).then_some(&sentence.source),
            };
            if let Some(known) = known.filter(|_| parts.len() == 1) {
                let mut ids = self.0.tokenizer().encode(Side::Target, known);
                ids.truncate(longest);
                text.known.insert(text.sentences.len(), ids);
            }
            for part in parts {
                let mut ids = self.0.tokenizer().encode(Side::Source, part);
                let (shown, own) = (stripped(part), ids.len());
                let tokenizer = self.0.tokenizer();
                ids.extend(self.0.description().fuzzy_suffix(&shown, own, tokenizer));
                text.sentences.push(SourceSentence {
                    ids,
                    position: sentence.place,
                });
                text.pieces.extend(pieces.get(number).cloned());
            }
        }
        text.documents.push(begin..text.sentences.len());
        Ok(firsts)
    }
}

/// Sentences as they are translated, one after the other.
fn units(sentences: &[SetSentence]) -> DocumentUnits {
    let sources = sentences.iter().enumerate();
    let sources = sources.map(|(number, sentence)| ((0, number), sentence.source.clone()));
    DocumentUnits {
        sources: sources.collect(),
        shown: sentences.iter().map(|it| stripped(&it.source)).collect(),
        ..DocumentUnits::default()
    }
}

fn segments(document: usize, sentences: &[SetSentence]) -> impl Iterator<Item = Segment> {
    let segment = move |(number, sentence): (usize, &SetSentence)| Segment {
        source: sentence.source.clone(),
        reference: String::new(),
        units: vec![SegmentUnit {
            source: sentence.source.clone(),
            reference: String::new(),
            place: (0, number),
            identical: false,
            points: Vec::new(),
        }],
        document,
        paragraph: number,
        unseen: true,
        repeated: false,
    };
    sentences.iter().enumerate().map(segment)
}
