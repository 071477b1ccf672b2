//! One head of one layer: which attention it is, and its rows.

use serde::{Deserialize, Serialize};

use super::row::MapRow;

/// The two languages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The language that is translated from.
    #[default]
    Source,
    /// The language that is translated into.
    Target,
}

/// The units that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Units {
    /// Subwords of the source.
    SourceWords,
    /// Subwords of the translation.
    TargetWords,
    /// Sentences of the source.
    SourceSentences,
    /// Sentences of the translation.
    TargetSentences,
}

impl Units {
    /// Returns the side of the units.
    pub fn side(self) -> Side {
        match self {
            Self::SourceWords | Self::SourceSentences => Side::Source,
            Self::TargetWords | Self::TargetSentences => Side::Target,
        }
    }

    /// Returns whether the units are words, not sentences.
    pub fn are_words(self) -> bool {
        matches!(self, Self::SourceWords | Self::TargetWords)
    }
}

/// Which attention of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapKind {
    /// Words of a source sentence to each other; with concatenated context also to the words before it.
    EncoderSelf,
    /// Words into the encoding of their own sentence: source2token.
    SentenceEncoding,
    /// Words of the translation to the words of their own source sentence.
    Cross,
    /// Source words to other or all sentences of the document, and to the words in them.
    Context,
    /// Words of the translation to other or all sentences of the document, and to the words in them.
    DecoderContext,
}

/// Sentences of the document that a query may attend to; what it may not see is masked, not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visible {
    /// Its own, or the one it translates.
    Own,
    /// All sentences.
    All,
    /// All but its own.
    Others,
    /// Sentences before its own.
    Earlier,
    /// A number of sentences before its own.
    Previous(usize),
    /// Its own and a number of sentences before it.
    OwnAndPrevious(usize),
}

impl Visible {
    /// Whether queries of sentence `own` may attend to sentence `other`.
    pub fn includes(self, own: usize, other: usize) -> bool {
        let within = |count: usize| other < own && own - other <= count;
        match self {
            Self::Own => other == own,
            Self::All => true,
            Self::Others => other != own,
            Self::Earlier => other < own,
            Self::Previous(count) => within(count),
            Self::OwnAndPrevious(count) => other == own || within(count),
        }
    }
}

/// The function that made weights of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normaliser {
    /// Every weight is positive: what is not in a row was dropped and is part of its rest.
    Softmax,
    /// Most weights are exactly 0: what is not in a row had no weight, as long as its rest is 0.
    Sparsemax,
}

/// The description of a map, without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapInfo {
    /// Which attention of the model it is.
    pub kind: MapKind,
    /// Layer of the encoder for its kinds, else of the decoder. Encoder layers are counted by their self-attention; a context
    /// layer after the last layer has the number of that one.
    pub layer: usize,
    /// Head of the layer, from 0.
    pub head: usize,
    /// A row each, in order: all of that side.
    pub queries: Units,
    /// The units that rows put weight on. With words as keys a row may have weights of their sentences too, see [`MapRow`].
    pub keys: Units,
    /// Sentences that a query may attend to.
    pub visible: Visible,
    /// Whether of these only the ones of its window, see [`Overview::windows`](super::Overview::windows).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub windowed: bool,
    /// Normaliser of the keys.
    pub normaliser: Normaliser,
    /// Normaliser of the sentences, where they were weighted before their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence_normaliser: Option<Normaliser>,
    /// Weights below it were dropped.
    pub threshold: f32,
    /// Whether its weights are shares of an attention that reads the query's own source sentence too: what that gets is part
    /// of each row's rest.
    #[serde(
        default,
        skip_serializing_if = "std::ops::Not::not",
        rename = "is_beside_own"
    )]
    pub includes_own: bool,
}

impl MapInfo {
    /// Such as `context, layer 2, head 3`, counted from 1 as people do.
    pub fn title(&self) -> String {
        let kind = match self.kind {
            MapKind::EncoderSelf => "encoder self-attention",
            MapKind::SentenceEncoding => "sentence encoding",
            MapKind::Cross => "cross-attention",
            MapKind::Context => "context",
            MapKind::DecoderContext => "decoder context",
        };
        format!("{kind}, layer {}, head {}", self.layer + 1, self.head + 1)
    }
}

/// One head of one layer with a row for every query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionMap {
    /// The description.
    #[serde(flatten)]
    pub info: MapInfo,
    /// `[queries]`
    pub rows: Vec<MapRow>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_sees_its_own_sentence_or_its_neighbours() {
        let seen = |visible: Visible| {
            let seen = (0..6).filter(|&other| visible.includes(3, other));
            seen.collect::<Vec<_>>()
        };
        assert_eq!(seen(Visible::Own), [3]);
        assert_eq!(seen(Visible::Others), [0, 1, 2, 4, 5]);
        assert_eq!(seen(Visible::Earlier), [0, 1, 2]);
        assert_eq!(seen(Visible::Previous(2)), [1, 2]);
        assert_eq!(seen(Visible::OwnAndPrevious(1)), [2, 3]);
        assert_eq!(seen(Visible::All).len(), 6);
    }
}
