//! The sentences that a word or sentence took most from, as running text with a weight for each word.
//!
//! After Tables 6 and 7 of Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation",
//! NAACL 2019.

use serde::Serialize;

use super::map::by_weight;
use super::query::{Attention, AttentionRole, Query};
use super::question::query_side;
use super::rows::{Rows, sentence_weights};
use crate::error::Result;
use crate::trace::{Side, TraceSource};

/// The top context sentences.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts about weights, each of its own"
)]
pub struct ContextView {
    /// Heading of the view.
    pub title: String,
    /// The query, with layer and head.
    pub query: String,
    /// The meaning of a number: weight of one row, or mass of several.
    pub measure: String,
    /// The side of the selected sentence.
    pub side: Side,
    /// The side of the context sentences.
    pub context_side: Side,
    /// The selected sentence; its words have no weight, or 1 for the selected word.
    #[serde(rename = "asked")]
    pub selected: ContextSentence,
    /// The sentences with the most weight, most first.
    pub sentences: Vec<ContextSentence>,
    /// Weight of the other sentences, and how many have any.
    pub others: (usize, f32),
    /// Weight that belongs to no sentence.
    pub rest: f32,
    /// Whether that of its own source sentence is part of the rest.
    #[serde(rename = "is_beside_own")]
    pub includes_own: bool,
    /// Whether that of the instructions and of the translation so far is, too: a prompt was read.
    pub is_of_prompt: bool,
    /// Whether the words of the context sentences have weights of their own.
    pub words_weighed: bool,
    /// Whether the words of the selected sentence have weights of the same kind as the others.
    #[serde(rename = "asked_is_weighed")]
    pub selected_is_weighed: bool,
}

/// A sentence and the weights of its words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextSentence {
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// 0 to 1, dropped words included.
    pub weight: f32,
    /// Its words in reading order.
    pub words: Vec<ShadedWord>,
}

/// A subword and its weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShadedWord {
    /// The subword for display.
    pub text: String,
    /// Whether a space precedes it.
    pub begins: bool,
    /// 0 to 1, `None` if the row has weights of sentences only.
    pub weight: Option<f32>,
}

impl ContextView {
    /// At most `limit` sentences.
    ///
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn new(source: &TraceSource, query: &Query, limit: usize) -> Result<Self> {
        let attention = Attention::find(source, query, AttentionRole::Context)?;
        let info = attention.info(source);
        let side = info.keys.side();
        let reader = Rows::new(source, &attention);
        let rows = attention.query_rows(source, query);
        let measure = attention.measure(rows.len());
        let mean = reader.mean(rows)?;
        let weights = mean.sentences.iter().filter(|(_, weight)| *weight > 0.0);
        let total = weights
            .map(|&(sentence, weight)| (sentence, f64::from(weight)))
            .collect();
        let order = by_weight(&total);
        let (shown, others) = order.split_at(limit.min(order.len()));
        let weight = |word: usize| {
            let place = mean
                .words
                .binary_search_by_key(&word, |&(word, _)| word as usize);
            let weight = place.map_or(0.0, |place| mean.words[place].1);
            info.keys.are_words().then_some(weight)
        };
        #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
        let share = |sentence: &u32| total[sentence] as f32;
        let sentences = shown.iter().map(|number| {
            let rows = reader.keys.rows(*number as usize);
            let weights = rows.map(weight).collect();
            sentence(source, side, *number as usize, share(number), weights)
        });
        let sentences = sentences.collect();
        let tokens = source.overview().sentences(query.side)[query.sentence]
            .tokens
            .len();
        let weights = (0..tokens).map(|word| (query.word == Some(word)).then_some(1.0));
        Ok(Self {
            title: "What was read with this".to_owned(),
            query: query.breadcrumb(source.overview(), &attention),
            measure,
            side: query.side,
            context_side: side,
            selected: sentence(source, query.side, query.sentence, 0.0, weights.collect()),
            sentences,
            others: (others.len(), others.iter().map(share).sum()),
            rest: mean.sentence_rest,
            includes_own: info.includes_own,
            is_of_prompt: source.overview().model.num_encoder_layers == 0,
            words_weighed: info.keys.are_words(),
            selected_is_weighed: false,
        })
    }

    /// Shares of the words in the encodings of their sentences, by source2token: of the selected sentence and of
    /// at most `limit` sentences that it read most, with their attention mass in the last layer.
    ///
    /// # Errors
    /// If the trace has no encodings of sentences, no such layer, head or sentence, or cannot be read.
    pub fn encodings(source: &TraceSource, query: &Query, limit: usize) -> Result<Self> {
        let query = Query {
            word: None,
            ..*query
        };
        let attention = Attention::find(source, &query, AttentionRole::Encoding)?;
        let side = attention.info(source).keys.side();
        let reader = Rows::new(source, &attention);
        let encoded = |number: usize, mass: f32| -> Result<ContextSentence> {
            let mean = reader.mean(attention.rows(source, number))?;
            let weight = |word: usize| {
                let place = mean
                    .words
                    .binary_search_by_key(&word, |&(word, _)| word as usize);
                Some(place.map_or(0.0, |place| mean.words[place].1))
            };
            let weights = reader.keys.rows(number).map(weight).collect();
            Ok(sentence(source, side, number, mass, weights))
        };
        let read = Query::sentence(query_side(source), query.sentence);
        let mut read = sentence_weights(source, &read).unwrap_or_default();
        read.retain(|&(number, weight)| weight > 0.0 && number as usize != query.sentence);
        read.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let (shown, others) = read.split_at(limit.min(read.len()));
        let sentences = shown
            .iter()
            .map(|&(number, mass)| encoded(number as usize, mass));
        Ok(Self {
            title: "What sentences are encoded from".to_owned(),
            query: query.breadcrumb(source.overview(), &attention),
            measure: "share of a word in the encoding of its sentence (source2token)".to_owned(),
            side,
            context_side: side,
            selected: encoded(query.sentence, 0.0)?,
            sentences: sentences.collect::<Result<_>>()?,
            others: (others.len(), others.iter().map(|(_, weight)| weight).sum()),
            rest: 0.0,
            includes_own: false,
            is_of_prompt: false,
            words_weighed: true,
            selected_is_weighed: true,
        })
    }

    /// For a terminal: a sentence a paragraph, and its words with the most weight.
    pub fn text(&self) -> String {
        use std::fmt::Write;
        let mut text = format!("{}\n{}\n\n", self.query, self.measure);
        let mean = if self.selected_is_weighed {
            self.selected.mean()
        } else {
            0.0
        };
        let running = |word: &ShadedWord| word.weight.is_some_and(|weight| weight > mean);
        let running = self.selected.running(running);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:>5}       {running}\n", self.selected.sentence + 1);
        for sentence in &self.sentences {
            let mean = sentence.mean();
            let running = sentence.running(|word| word.weight.is_some_and(|weight| weight > mean));
            let (number, weight) = (sentence.sentence + 1, sentence.weight);
            let _ = writeln!(text, "{number:>5}  {weight:.3}  {running}");
        }
        if self.sentences.is_empty() {
            text.push_str("       nothing: it looked at no other sentence\n");
        }
        let (count, weight) = self.others;
        if count > 0 {
            let _ = writeln!(text, "       {weight:.3}  in {count} other sentences");
        }
        if self.rest > 0.0 {
            let rest = match (self.includes_own, self.is_of_prompt) {
                (true, true) => {
                    "its own source sentence, instructions, the translation so far; of others too little each"
                }
                (true, false) => "its own source sentence; of others too little each",
                (false, _) => "rest: too little each, or no word",
            };
            let _ = writeln!(text, "       {:.3}  {rest}", self.rest);
        }
        if self.words_weighed && !self.sentences.is_empty() {
            text.push_str(
                "\n[words in brackets] have more weight than the mean of their sentence\n",
            );
        }
        text
    }
}

impl ContextSentence {
    fn mean(&self) -> f32 {
        let weights = self.words.iter().filter_map(|word| word.weight);
        weights.sum::<f32>() / self.words.len().max(1) as f32
    }

    /// As text, words that are to be marked in brackets.
    pub(super) fn running(&self, marked: impl Fn(&ShadedWord) -> bool) -> String {
        let mut text = String::new();
        let mut is_open = false;
        for word in &self.words {
            let marked = marked(word);
            if is_open && !marked {
                text.push(']');
            }
            if word.begins && !text.is_empty() {
                text.push(' ');
            }
            if marked && !is_open {
                text.push('[');
            }
            is_open = marked;
            text.push_str(&word.text);
        }
        if is_open {
            text.push(']');
        }
        text
    }
}

fn sentence(
    source: &TraceSource,
    side: Side,
    number: usize,
    weight: f32,
    weights: Vec<Option<f32>>,
) -> ContextSentence {
    let tokens = &source.overview().sentences(side)[number].tokens;
    let words = tokens.iter().zip(weights).enumerate();
    let words = words.map(|(place, (token, weight))| ShadedWord {
        text: token.trim_start_matches('▁').to_owned(),
        begins: place > 0 && (token.starts_with('▁') || token == "<eos>"),
        weight,
    });
    ContextSentence {
        sentence: number,
        weight,
        words: words.collect(),
    }
}
