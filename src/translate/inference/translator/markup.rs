//! Markup that a model does not read, all of it where its vocabulary has no placeholders: taken out before, put back by
//! alignment.

use std::collections::BTreeMap;

use super::Translator;
use crate::inference::markup_projection::{
    Alignment, Projected, StrippedSource, WordLink, projected, word_links,
};
use crate::inference::translation::{Flag, Translation};
use canopy_document::placeholder;
use canopy_nn::model::{AttentionKind, PackedBatch, RecordedVisits, Recording};
use canopy_tokenize::{Side, Tokenizer};

/// The heads of the cross-attention whose weights align words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlignmentHeads {
    /// All of the layer four fifths up: the last but one of six, as Garg et al., "Jointly Learning to Align and Translate with
    /// Transformer Models", EMNLP 2019, §3, found best, and the last of two.
    #[default]
    NearTop,
    /// All of a layer, their weights averaged.
    Layer(usize),
    /// One that was trained to align, or that was found to do it best.
    Head {
        /// Layer, counted from 0.
        layer: usize,
        /// Head of the layer, counted from 0.
        head: usize,
    },
}

impl AlignmentHeads {
    /// The layer, the number of layers, and the head if not all.
    fn select(self, num_layers: usize) -> (usize, Option<usize>) {
        let last = num_layers.saturating_sub(1);
        match self {
            Self::NearTop => (num_layers * 4 / 5, None),
            Self::Layer(layer) => (layer.min(last), None),
            Self::Head { layer, head } => (layer.min(last), Some(head)),
        }
    }
}

impl Translator {
    /// The alignment of words by this model.
    pub fn aligner(&self) -> WordAligner<'_> {
        WordAligner {
            translator: self,
            tokenizer: self.tokenizer(),
            heads: self.options.alignment_heads,
        }
    }
}

/// The alignment of words by a model's cross-attention, and what is placed by it.
#[derive(Debug, Clone, Copy)]
pub struct WordAligner<'t> {
    translator: &'t Translator,
    tokenizer: &'t dyn Tokenizer,
    heads: AlignmentHeads,
}

impl WordAligner<'_> {
    /// Puts the markup of a source sentence, whose points show `points`, into any translation of it.
    pub fn with_markup(&self, source: &str, points: &[String], target: &str) -> Projected {
        let source = StrippedSource::from_text(source, points);
        let target = placeholder::folded(&placeholder::stripped(target));
        let ids = self.tokenizer.encode(Side::Target, &target);
        let alignment = self.alignment(&[(&source.text, &ids)]);
        // Tokens of the text itself, not of what its ids show.
        let tokens = self.tokenizer.tokens(Side::Target, &target).into_iter();
        let alignment = Alignment {
            target: tokens.map(|token| token.range).collect(),
            ..alignment
        };
        projected(
            &source,
            &target,
            &alignment,
            &self.translator.description().languages.target,
        )
    }

    /// Which words of a sentence, whose points show `points`, became which words of a translation; nothing where two models
    /// in a row translate, or the sentence is too long for the model.
    pub fn word_links(&self, source: &str, points: &[String], target: &str) -> Vec<WordLink> {
        let source = StrippedSource::from_text(source, points);
        let target = placeholder::folded(&placeholder::stripped(target));
        if self.translator.second.is_some()
            || self.translator.reader().parts(&source.text).len() != 1
        {
            return Vec::new();
        }
        let ids = self.tokenizer.encode(Side::Target, target.trim());
        if ids.is_empty() || ids.len() >= self.translator.description().model.max_tokens {
            return Vec::new();
        }
        let alignment = self.alignment(&[(&source.text, &ids)]);
        let lead = target.len() - target.trim_start().len();
        let tokens = self
            .tokenizer
            .tokens(Side::Target, target.trim())
            .into_iter();
        let alignment = Alignment {
            target: tokens
                .map(|token| token.range.start + lead..token.range.end + lead)
                .collect(),
            ..alignment
        };
        word_links(&source.text, &target, &alignment)
    }

    /// Puts the markup back into a translation whose `parts` are the pieces of source text and their ids.
    pub(in crate::inference) fn put_back(
        &self,
        mut translation: Translation,
        source: &StrippedSource,
        parts: &[(&str, &[u32])],
    ) -> Translation {
        if source.is_whole_in(&translation.text) {
            return translation;
        }
        let alignment = self.alignment(parts);
        let language = &self.translator.description().languages.target;
        let projected = projected(source, &translation.text, &alignment, language);
        translation.text = projected.text;
        if projected.is_repaired {
            translation.flags.push(Flag::Markup);
        }
        translation
    }

    /// The alignment of consecutive parts of a source text and what was written for them. White space around parts is
    /// part of neither.
    fn alignment(&self, parts: &[(&str, &[u32])]) -> Alignment {
        let special = self.tokenizer.special();
        let (mut source, mut target) = (PackedBatch::default(), PackedBatch::default());
        let mut alignment = Alignment::default();
        let (mut source_start, mut target_start) = (0, 0);
        let mut counts = Vec::with_capacity(parts.len());
        for (text, ids) in parts {
            let core = text.trim();
            let lead = text.len() - text.trim_start().len();
            let tail = text.len() - lead.min(text.len()) - core.len();
            let tokens = self.tokenizer.tokens(Side::Source, core);
            let decoded = self.tokenizer.decoded(Side::Target, ids);
            let source_ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
            source.begin_document();
            source.push(&special.framed(&source_ids), (0, 0));
            target.begin_document();
            target.push(&[&[special.start], *ids].concat(), (0, 0));
            let first = source_start + lead;
            alignment.source.extend(
                tokens
                    .iter()
                    .map(|token| token.range.start + first..token.range.end + first),
            );
            let first = target_start + lead;
            alignment.target.extend(
                decoded
                    .ranges
                    .iter()
                    .map(|range| range.start + first..range.end + first),
            );
            counts.push((tokens.len(), ids.len()));
            source_start += text.len();
            target_start += lead + decoded.text.len() + tail;
        }
        let rows = self.attention(&source, &target);
        let (num_source, mut before) = (alignment.source.len(), 0);
        for (part, &(num_tokens, num_ids)) in counts.iter().enumerate() {
            let first = source.sentences[part].start + special.source_prefix.len();
            for row in 0..num_ids {
                let mut weights = vec![0.0; num_source];
                let read = rows.get(&(target.sentences[part].start + row));
                for &(key, weight) in read.into_iter().flatten() {
                    let place = (key as usize)
                        .checked_sub(first)
                        .filter(|&place| place < num_tokens);
                    if let Some(place) = place {
                        weights[before + place] = weight;
                    }
                }
                alignment.weights.push(weights);
            }
            before += num_tokens;
        }
        alignment
    }

    /// For each row of the target what it read of which rows of the source: the row from which a token was written shows
    /// where it comes from.
    fn attention(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
    ) -> BTreeMap<usize, Vec<(u32, f32)>> {
        let num_layers = self.translator.description().model.num_decoder_layers;
        let (wanted, head) = self.heads.select(num_layers);
        let keep = Recording {
            least: 0.0,
            visits: RecordedVisits::None,
            encoder_from: usize::MAX,
            decoder_from: wanted,
        };
        let recorder = self.translator.model().record(source, target, keep);
        let layers = recorder.layers.iter();
        let layer = layers
            .filter(|it| it.kind == AttentionKind::Cross)
            .min_by_key(|it| it.layer);
        let mut rows: BTreeMap<usize, Vec<(u32, f32)>> = BTreeMap::new();
        if let Some(layer) = layer {
            let num_heads = layer.attention_weights.num_heads.max(1);
            for (index, read) in layer.attention_weights.rows.iter().enumerate() {
                let is_selected =
                    head.is_none_or(|head| index % num_heads == head.min(num_heads - 1));
                if !is_selected {
                    continue;
                }
                let row = rows.entry(index / num_heads).or_default();
                for &(key, weight) in &read.keys {
                    match row.iter_mut().find(|(other, _)| *other == key) {
                        Some((_, sum)) => *sum += weight,
                        None => row.push((key, weight)),
                    }
                }
            }
        }
        rows
    }
}
