//! Everything of a trace but the rows of its maps: what fits in memory whatever the document.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::gate::GateValues;
use super::map::{AttentionMap, MapInfo, MapKind, Side, Units};
use super::row::MapRow;
use super::tree::TracedTree;
use canopy_document::document::{Document, Section};
use canopy_document::placeholder;

/// The attention of a model while it translated one document, without its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Everything but the maps.
    pub overview: Overview,
    /// The maps of all layers and heads.
    pub maps: Vec<AttentionMap>,
}

impl Trace {
    /// Gives words whose gates were not read zeros, so that every word has its place.
    pub fn fill_gates(&mut self) {
        let words = [Side::Source, Side::Target].map(|side| self.overview.words(side).num_words());
        for gate in &mut self.overview.gates {
            let words = match gate.side {
                Side::Source => words[0],
                Side::Target => words[1],
            };
            for values in [&mut gate.mean, &mut gate.min, &mut gate.max] {
                values.resize(words, 0.0);
            }
        }
    }

    /// Empties the rows of all sentences but those of the requested part.
    pub fn forget_others(&mut self) {
        let Some(part) = self.overview.part.clone() else {
            return;
        };
        for map in &mut self.maps {
            let own = if map.info.queries.are_words() {
                let words = self.overview.words(map.info.queries.side());
                words.rows(part.start).start..words.rows(part.end - 1).end
            } else {
                part.clone()
            };
            for (number, row) in map.rows.iter_mut().enumerate() {
                if !own.contains(&number) {
                    *row = MapRow::default();
                }
            }
        }
    }

    /// Place of a map, see [`TraceSource::find`](super::TraceSource::find).
    pub fn find(&self, kind: MapKind, layer: usize, head: usize) -> Option<usize> {
        self.maps
            .iter()
            .position(|map| (map.info.kind, map.info.layer, map.info.head) == (kind, layer, head))
    }
}

/// Which document and model a trace is of, the words that its rows are numbered by, trees and gates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// The model that was traced.
    pub model: TracedModel,
    /// File name without its folder.
    pub document: String,
    /// Codes such as `en`.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// `sections[0]` is the document itself; a heading is the number of a paragraph.
    pub sections: Vec<Section>,
    /// The source sentences in reading order.
    pub source: Vec<TracedSentence>,
    /// The translation of each source sentence; empty if only the encoder was traced.
    pub target: Vec<TracedSentence>,
    /// How a document was read that is too long to be read at once; empty if it was read as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<TracedWindow>,
    /// Sentences whose attention was recorded; none if all of the document's was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Range<usize>>,
    /// Content trees over source sentences: none, one, or one for each window of a long document.
    pub trees: Vec<TracedTree>,
    /// Gates of all layers.
    pub gates: Vec<GateValues>,
}

/// Consecutive sentences of a long document that were read together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedWindow {
    /// The first sentence that was read.
    pub first: usize,
    /// The first one that was read for itself, those before it for the ones after it.
    pub own: usize,
    /// After the last one. If the parts of a sentence are in two windows, it is the next one's first.
    pub end: usize,
}

/// The model that was traced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedModel {
    /// Name of the model.
    pub name: String,
    /// Name of the preset, such as `selective`.
    pub system: String,
    /// Layers of the encoder.
    pub num_encoder_layers: usize,
    /// Layers of the decoder.
    pub num_decoder_layers: usize,
    /// Heads of a layer.
    pub num_heads: usize,
    /// T: the number of sentences that a word keeps, for systems that choose them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_t: Option<usize>,
    /// Layer and head of those that find the antecedent on a probe, the surest first: of language models, whose heads
    /// differ so much that their mean says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probed_heads: Vec<(usize, usize)>,
    /// Whether its words were looked up in a translation memory too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looks_up: bool,
}

/// A sentence as the model read or wrote it, and where it is in the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedSentence {
    /// Subwords, those of markup and end of sentence among them: everything that has a row.
    pub tokens: Vec<String>,
    /// The sentence for display.
    pub text: String,
    /// The text of each of its points, by number, as in the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<String>,
    /// Index of its section.
    pub section: usize,
    /// Within the document.
    pub paragraph: usize,
    /// Which sentence of its paragraph it is, from 0.
    pub sentence_in_paragraph: usize,
}

impl TracedSentence {
    /// The word that a token is a piece of, joined up to the next space or sign; in scripts without spaces, the token.
    pub fn word(&self, token: usize) -> Option<String> {
        let bare = |place: usize| Some(self.tokens.get(place)?.trim_start_matches(SPACE));
        let is_piece =
            |place: usize| bare(place).is_some_and(|it| !it.is_empty() && it.chars().all(joins));
        let begins = |place: usize| self.tokens[place].starts_with(SPACE);
        let own = bare(token)?;
        if !is_piece(token) {
            return Some(own.to_owned());
        }
        let (mut first, mut last) = (token, token);
        while first > 0 && !begins(first) && is_piece(first - 1) {
            first -= 1;
        }
        while is_piece(last + 1) && !begins(last + 1) {
            last += 1;
        }
        Some((first..=last).filter_map(bare).collect())
    }

    /// The text as a reader sees it.
    pub fn plain_text(&self) -> String {
        placeholder::visible(&self.text, &self.points)
    }
}

/// Begins a token that begins a word.
const SPACE: char = '▁';

/// Whether a letter is in the midst of words of a script that has spaces between them.
fn joins(letter: char) -> bool {
    match letter {
        '\'' | '’' | '-' => true,
        // Thai and Lao, Burmese, Khmer, kana, Han.
        '\u{E00}'..='\u{EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => false,
        _ => letter.is_alphanumeric(),
    }
}

impl Overview {
    /// Returns the sentences of a side.
    pub fn sentences(&self, side: Side) -> &[TracedSentence] {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }

    /// How many there are.
    pub fn count(&self, units: Units) -> usize {
        let sentences = self.sentences(units.side());
        if units.are_words() {
            sentences.iter().map(|sentence| sentence.tokens.len()).sum()
        } else {
            sentences.len()
        }
    }

    /// Returns where the words of a side are among its rows.
    pub fn words(&self, side: Side) -> WordIndex {
        let lengths = self
            .sentences(side)
            .iter()
            .map(|sentence| sentence.tokens.len());
        let ends = lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        WordIndex {
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Sentences that queries of sentence `own` may attend to in such a map, ascending.
    pub fn visible(
        &self,
        info: &MapInfo,
        own: usize,
    ) -> impl Iterator<Item = usize> + Clone + use<> {
        let (count, visible) = (self.sentences(info.keys.side()).len(), info.visible);
        let seen = if info.windowed {
            self.read_with(own)
        } else {
            0..count
        };
        let seen = seen.start..seen.end.min(count);
        seen.filter(move |&other| visible.includes(own, other))
    }

    /// Sentences that were read in one window with sentence `own`.
    fn read_with(&self, own: usize) -> Range<usize> {
        let windows = self.windows.iter();
        let windows = windows.filter(|window| (window.own..window.end).contains(&own));
        let read = windows.map(|window| (window.first, window.end));
        let read = read.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (first, end) = read.unwrap_or((0, self.source.len()));
        first..end
    }

    /// Whether the attention of a sentence was recorded.
    pub fn is_recorded(&self, sentence: usize) -> bool {
        self.part
            .as_ref()
            .is_none_or(|part| part.contains(&sentence))
    }

    /// Whether the trace is of this document: of the same sentences in the same order.
    pub fn is_of(&self, document: &Document) -> bool {
        let texts = document.sentences.iter().map(|sentence| &sentence.text);
        texts.eq(self.source.iter().map(|sentence| &sentence.text))
    }
}

/// From rows to words and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordIndex {
    /// First row of each sentence, then the number of rows.
    starts: Vec<usize>,
}

impl WordIndex {
    /// Returns the number of words of all sentences.
    pub fn num_words(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Rows of a sentence.
    pub fn rows(&self, sentence: usize) -> Range<usize> {
        self.starts[sentence]..self.starts[sentence + 1]
    }

    /// Sentence of a row, and the place of its token there; `None` after the last word.
    pub fn position(&self, row: usize) -> Option<(usize, usize)> {
        // Skips to the last of the sentences that start at the same row, since the others have no words.
        let sentence = self.starts.partition_point(|&start| start <= row) - 1;
        (row < self.num_words()).then(|| (sentence, row - self.starts[sentence]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_sees_code_and_no_tags() {
        let sentence = TracedSentence {
            text: "Type \u{E000}a \u{E101}\u{E200}.".to_owned(),
            points: vec![String::new(), "SUM()".to_owned()],
            ..TracedSentence::default()
        };
        assert_eq!(sentence.plain_text(), "Type a SUM().");
    }

    #[test]
    fn a_piece_tells_the_word_that_it_belongs_to() {
        let of = |tokens: &[&str], token: usize| {
            let tokens = tokens.iter().map(|&token| token.to_owned()).collect();
            let sentence = TracedSentence {
                tokens,
                ..TracedSentence::default()
            };
            sentence.word(token)
        };
        let tokens = ["▁Pr", "int", "ing", "▁it", ".", "<eos>"];
        for (token, word) in [
            (0, "Printing"),
            (1, "Printing"),
            (2, "Printing"),
            (3, "it"),
            (4, "."),
            (5, "<eos>"),
        ] {
            assert_eq!(of(&tokens, token).as_deref(), Some(word));
        }
        assert_eq!(of(&tokens, 6), None);
        assert_eq!(of(&["▁", "文書", "を"], 1).as_deref(), Some("文書"));
        assert_eq!(
            of(&["▁(", "e", "-", "mail", ")"], 3).as_deref(),
            Some("e-mail")
        );
    }

    #[test]
    fn rows_count_the_words_of_all_sentences() {
        let sentence = |tokens: usize| TracedSentence {
            tokens: vec!["x".to_owned(); tokens],
            ..TracedSentence::default()
        };
        let overview = Overview {
            source: [0, 2, 0, 0, 3, 0].map(sentence).into(),
            ..Overview::default()
        };
        let words = overview.words(Side::Source);
        assert_eq!(
            (words.num_words(), overview.count(Units::SourceWords)),
            (5, 5)
        );
        assert_eq!(overview.count(Units::SourceSentences), 6);
        assert_eq!(words.rows(4), 2..5);
        let places: Vec<_> = (0..6).map(|row| words.position(row)).collect();
        let expected = [(1, 0), (1, 1), (4, 0), (4, 1), (4, 2)].map(Some);
        assert_eq!(places[..5], expected);
        assert_eq!(places[5], None);
        assert_eq!(overview.words(Side::Target).position(0), None);
    }
}
