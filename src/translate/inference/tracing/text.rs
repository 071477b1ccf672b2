//! A document and its translation as the model reads and writes them.

use std::collections::HashMap;
use std::ops::Range;

use super::super::pipeline::KnownTranslations;
use super::super::translation::Translation;
use super::super::translator::{Translator, is_translatable};
use crate::error::Result;
use canopy_document::document::{Document, SectionNumbers, Sentence, section_numbers};
use canopy_explain::trace::{TracedSentence, TracedWindow};
use canopy_nn::model::{Batch, BertSequence, PackedBatch};
use canopy_nn::search::{LARGEST, SourceFrame, SourceSentence, SourceText, Window, windows};
use canopy_tokenize::{Side, SpecialIds, Tokenizer};

/// Source tokens of a sentence-level model that are traced at once: bounds the memory of a pass, not its result.
const GROUP_TOKENS: usize = 2_048;

/// Stands for a word of a translation that has no row.
const NO_ROW: u32 = u32::MAX;

/// One sequence of the model: a sentence of the document or a part of it.
pub(in crate::inference) struct TracedPart {
    /// Number in the document.
    pub sentence: usize,
    /// Without `eos`.
    pub target: Option<Vec<u32>>,
}

/// All parts of the sentences that are read, in the order of the document: tokens have the same numbers here and there.
pub(in crate::inference) struct TracedText {
    pub parts: Vec<TracedPart>,
    /// Sources of each part, with what is read behind it.
    sources: Vec<SourceSentence>,
    /// Where the encoder reads translations before: their rows behind each part.
    behind: Vec<Vec<Option<u32>>>,
    /// BERT's sequence of each part; empty where no BERT is read.
    pieces: Vec<BertSequence>,
    /// Numbers of the sections that each is in.
    headings: Vec<SectionNumbers>,
    translated: bool,
    special: SpecialIds,
}

/// Words that are written, by their sentences: each with its row, ends of parts counted.
#[derive(Default)]
struct TargetRows {
    words: HashMap<usize, Vec<(u32, u32)>>,
    next: u32,
}

impl TargetRows {
    /// The parts of the next sentence.
    fn push(&mut self, sentence: usize, parts: &[Option<Vec<u32>>]) {
        let words = self.words.entry(sentence).or_default();
        for ids in parts.iter().flatten() {
            for &id in ids {
                words.push((id, self.next));
                self.next += 1;
            }
            self.next += 1;
        }
    }

    /// The row of each of the words `ids` of a sentence, [`NO_ROW`] if the sentence has others.
    fn rows(&self, sentence: usize, ids: &[u32]) -> Vec<u32> {
        let words = self.words.get(&sentence).map_or(&[][..], Vec::as_slice);
        if words.iter().map(|(id, _)| id).eq(ids) {
            return words.iter().map(|&(_, row)| row).collect();
        }
        vec![NO_ROW; ids.len()]
    }
}

/// The sentences of a document that are read, which keep their places in it.
#[derive(Debug, Clone)]
pub(in crate::inference) struct Excerpt {
    pub sentences: Range<usize>,
    /// The one among them that is not.
    pub left_out: Option<usize>,
}

impl Excerpt {
    pub(crate) fn whole(document: &Document) -> Self {
        Self {
            sentences: 0..document.sentences.len(),
            left_out: None,
        }
    }

    fn reads(&self, sentence: usize) -> bool {
        self.sentences.contains(&sentence) && self.left_out != Some(sentence)
    }
}

impl TracedText {
    /// # Errors
    /// If BERT returns non-finite numbers.
    pub(crate) fn new(
        translator: &Translator,
        document: &Document,
        translations: &[Option<Translation>],
    ) -> Result<Self> {
        Self::within(
            translator,
            document,
            translations,
            &Excerpt::whole(document),
        )
    }

    /// The text of a part of the document.
    ///
    /// # Errors
    /// If BERT returns non-finite numbers.
    pub(crate) fn within(
        translator: &Translator,
        document: &Document,
        translations: &[Option<Translation>],
        excerpt: &Excerpt,
    ) -> Result<Self> {
        let (model, reader) = (translator.model(), translator.reader());
        let (mut parts, mut read, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
        let (mut behind, mut rows) = (Vec::new(), TargetRows::default());
        let (sections, mut headings) = (section_numbers(&document.sections), Vec::new());
        let config = &translator.description().model;
        let reads_translations = config.translations_before() > 0;
        let known = if reads_translations {
            KnownTranslations::from_translations(translations)
        } else {
            KnownTranslations::default()
        };
        // The document was translated with the same ones.
        let contexts = reader.bert_sequences(document, excerpt.left_out)?;
        for (sentence, translation) in translations.iter().enumerate() {
            if !excerpt.reads(sentence) {
                continue;
            }
            let Sentence { text, points, .. } = &document.sentences[sentence];
            let copied = !is_translatable(text);
            // A model that reads sentences by themselves does not read what is copied.
            if copied && !model.reads_documents() && !reads_translations {
                continue;
            }
            let text = reader.read_text(text, points);
            let sources = reader.parts(&text);
            let mut targets = vec![None; sources.len()];
            if let Some(translation) = translation
                && (!copied || model.is_bilingual() || reads_translations)
                && let Some(written) = written(translator, translation, sources.len())
            {
                targets = written.into_iter().map(Some).collect();
            }
            let own = contexts.get(sentence).into_iter().cycle();
            pieces.extend(own.take(sources.len()).cloned());
            let position = document.position(sentence);
            headings.extend(sources.iter().map(|_| sections[position.section]));
            let (mut before, mut rows_before) = (Vec::new(), Vec::new());
            if config.previous_translations > 0 {
                let known = reader.translations_before(document, sentence, &known);
                for (other, ids) in known {
                    if excerpt.left_out == Some(other) {
                        continue;
                    }
                    rows_before.push(rows.rows(other, &ids));
                    before.push(ids);
                }
            } else if reads_translations {
                before = reader.read_before(document, sentence, &known);
            }
            read.extend(sources.into_iter().map(|source| {
                let mut ids = reader.read_ids(source.trim(), points);
                let rows = reader.suffix_of_translations(&rows_before, ids.len(), NO_ROW);
                let row = |row: u32| (row != NO_ROW).then_some(row);
                behind.push(rows.into_iter().map(row).collect());
                ids.extend(reader.suffix(&before, ids.len()));
                SourceSentence {
                    ids,
                    position: (position.sentence_in_paragraph, position.paragraph),
                }
            }));
            if config.previous_translations > 0 {
                rows.push(sentence, &targets);
            }
            let targets = targets.into_iter();
            parts.extend(targets.map(|target| TracedPart { sentence, target }));
        }
        Ok(Self {
            parts,
            sources: read,
            behind,
            pieces,
            headings,
            translated: translations.iter().any(Option::is_some),
            special: translator.tokenizer().special().clone(),
        })
    }

    /// Tokens of some parts, in source and target.
    pub(crate) fn words(&self, parts: Range<usize>) -> [usize; 2] {
        let target = self.parts[parts.clone()].iter();
        [
            parts
                .map(|part| self.own_words(part).iter().sum::<usize>())
                .sum(),
            target
                .filter_map(|part| part.target.as_ref())
                .map(|ids| ids.len() + 1)
                .sum(),
        ]
    }

    /// Source words of a part: those before and those after what is read [behind](Self::behind) the sentence.
    pub(crate) fn own_words(&self, part: usize) -> [usize; 2] {
        let SpecialIds {
            source_prefix,
            source_suffix,
            ..
        } = &self.special;
        let sentence = self.sources[part].ids.len() - self.behind[part].len();
        [source_prefix.len() + sentence, source_suffix.len()]
    }

    /// Words of translations before that the encoder reads with a part, and breaks between them: the row of each, if it
    /// has one.
    pub(crate) fn behind(&self, part: usize) -> &[Option<u32>] {
        &self.behind[part]
    }

    /// Words of a part as the encoder reads it.
    fn num_read(&self, part: usize) -> usize {
        self.own_words(part).iter().sum::<usize>() + self.behind[part].len()
    }

    /// All parts as one document, none of which is wanted or known.
    pub(crate) fn source_text(&self) -> SourceText {
        let mut text = SourceText {
            sentences: self.sources.clone(),
            pieces: self.pieces.clone(),
            headings: self.headings.clone(),
            frame: SourceFrame::from_special_ids(&self.special),
            ..SourceText::default()
        };
        text.documents.push(0..self.sources.len());
        text
    }

    /// How many parts a sentence has.
    pub(crate) fn num_parts(&self, sentence: usize) -> f32 {
        let first = self.parts.partition_point(|part| part.sentence < sentence);
        let own = self.parts[first..].iter();
        own.take_while(|part| part.sentence == sentence)
            .map(|_| 1.0)
            .sum()
    }

    /// Tokens of the side that has more.
    pub(crate) fn num_words(&self, parts: Range<usize>) -> usize {
        let [source, target] = self.words(parts);
        source.max(target)
    }

    /// Parts of these sentences.
    pub(crate) fn parts_of(&self, sentences: &Range<usize>) -> Range<usize> {
        let before = |end: usize| self.parts.partition_point(|part| part.sentence < end);
        before(sentences.start)..before(sentences.end)
    }

    /// Parts that are read at once: as in the search, where the model reads documents.
    pub(crate) fn windows(&self, whole: bool) -> Vec<Window> {
        if whole {
            return windows(&self.sources, &(0..self.parts.len()), LARGEST);
        }
        let mut groups: Vec<Range<usize>> = Vec::new();
        let mut tokens = 0;
        for number in 0..self.sources.len() {
            tokens += self.num_read(number);
            match groups.last_mut() {
                Some(group) if tokens <= GROUP_TOKENS => group.end = number + 1,
                _ => {
                    groups.push(number..number + 1);
                    tokens = self.num_read(number);
                }
            }
        }
        let alone = groups.into_iter().map(|group| Window {
            read: group.clone(),
            own: group,
        });
        alone.collect()
    }

    /// The windows as a trace describes them; the parts of one sentence may be in two.
    pub(crate) fn traced_windows(&self, windows: &[Window]) -> Vec<TracedWindow> {
        let sentence = |part: usize| self.parts[part].sentence;
        let windows = windows.iter().map(|Window { read, own }| TracedWindow {
            first: sentence(read.start),
            own: sentence(own.start),
            end: sentence(own.end - 1) + 1,
        });
        windows.collect()
    }

    /// Source and target of some parts, as [`Model::record`](canopy_nn::model::Model::record) takes them.
    pub(crate) fn rows(&self, parts: Range<usize>) -> (PackedBatch, PackedBatch) {
        let (mut source, mut target) = (PackedBatch::default(), PackedBatch::default());
        for number in parts {
            let (part, SourceSentence { ids, position }) =
                (&self.parts[number], &self.sources[number]);
            source.push(&self.special.framed(ids), *position);
            if let Some(pieces) = self.pieces.get(number) {
                source.push_pieces(pieces);
            }
            source.push_headings(self.headings[number]);
            let words = part.target.as_ref();
            let words = words.map(|ids| [&[self.special.start], ids.as_slice()].concat());
            target.push(&words.unwrap_or_default(), *position);
        }
        (source, target)
    }

    /// The translated parts of a sentence, with what is read around them.
    fn batches(&self, sentence: usize, whole: bool) -> Vec<Batch> {
        let is_own = |&number: &usize| self.parts[number].sentence == sentence;
        let windows = if whole {
            self.windows(true)
        } else {
            let alone = (0..self.parts.len()).filter(is_own);
            let alone = alone.map(|number| number..number + 1);
            let window = |part: Range<usize>| Window {
                read: part.clone(),
                own: part,
            };
            alone.map(window).collect()
        };
        let batches = windows.into_iter().filter_map(|Window { read, own }| {
            let own: Vec<usize> = own.filter(is_own).collect();
            if own.is_empty() {
                return None;
            }
            let (source, references) = self.rows(read.clone());
            let mut batch = Batch {
                source,
                references,
                translated: own.iter().map(|number| number - read.start).collect(),
                ..Batch::default()
            };
            for &number in &own {
                let ids = self.parts[number].target.as_deref().unwrap_or_default();
                let target = [&[self.special.start], ids].concat();
                batch.target.push(&target, self.sources[number].position);
                batch.labels.extend_from_slice(ids);
                batch.labels.push(self.special.eos);
            }
            Some(batch)
        });
        batches.collect()
    }

    pub(crate) fn traced_source(
        &self,
        tokenizer: &dyn Tokenizer,
        document: &Document,
    ) -> Vec<TracedSentence> {
        let mut sentences = located(document);
        for (sentence, of_document) in sentences.iter_mut().zip(&document.sentences) {
            of_document.text.clone_into(&mut sentence.text);
            sentence.points.clone_from(&of_document.points);
        }
        for (number, part) in self.parts.iter().enumerate() {
            let ids = &self.sources[number].ids;
            let own = ids.len() - self.behind[number].len();
            let read = self.special.framed(&ids[..own]);
            let pieces = read.iter().map(|&id| tokenizer.piece(Side::Source, id));
            sentences[part.sentence].tokens.extend(pieces);
        }
        sentences
    }

    /// Nothing if nothing is translated.
    pub(crate) fn traced_target(
        &self,
        tokenizer: &dyn Tokenizer,
        document: &Document,
        translations: &[Option<Translation>],
    ) -> Vec<TracedSentence> {
        if !self.translated {
            return Vec::new();
        }
        let mut sentences = located(document);
        let sources = document.sentences.iter();
        for ((sentence, translation), source) in sentences.iter_mut().zip(translations).zip(sources)
        {
            if let Some(translation) = translation {
                translation.text.clone_into(&mut sentence.text);
                sentence.points.clone_from(&source.points);
            }
        }
        for part in &self.parts {
            if let Some(target) = &part.target {
                let ids = target.iter().chain([&self.special.eos]);
                let pieces = ids.map(|&id| tokenizer.piece(Side::Target, id));
                sentences[part.sentence].tokens.extend(pieces);
            }
        }
        sentences
    }
}

impl Translator {
    /// The batches in which the model reads a document and writes the parts of one sentence: one for each window that
    /// they are
    /// in. None if the written text cannot be divided into parts, or is longer than the model can write.
    ///
    /// # Errors
    /// If BERT returns non-finite numbers.
    pub fn batches_of(
        &self,
        document: &Document,
        translations: &[Option<Translation>],
        sentence: usize,
    ) -> Result<Option<Vec<Batch>>> {
        let text = TracedText::new(self, document, translations)?;
        let longest = self.description().model.max_tokens;
        let own = text.parts.iter().filter(|part| part.sentence == sentence);
        let mut targets = own.map(|part| part.target.as_ref());
        let fits = targets.all(|target| target.is_some_and(|ids| ids.len() < longest));
        Ok(fits.then(|| text.batches(sentence, self.model().reads_documents())))
    }
}

/// The tokens of each of `count` parts, if they are known.
fn written(
    translator: &Translator,
    translation: &Translation,
    count: usize,
) -> Option<Vec<Vec<u32>>> {
    if translation.parts.len() == count {
        return Some(translation.parts.clone());
    }
    let encode = |text: &str| {
        let read = translator.reader().read_translation(text);
        translator.tokenizer().encode(Side::Target, &read)
    };
    if count == 1 {
        return Some(vec![encode(&translation.text)]);
    }
    let parts = translator.reader().parts(&translation.text);
    (parts.len() == count).then(|| parts.into_iter().map(encode).collect())
}

fn located(document: &Document) -> Vec<TracedSentence> {
    let sentences = (0..document.sentences.len()).map(|sentence| {
        let position = document.position(sentence);
        TracedSentence {
            section: position.section,
            paragraph: position.paragraph,
            sentence_in_paragraph: position.sentence_in_paragraph,
            ..TracedSentence::default()
        }
    });
    sentences.collect()
}
