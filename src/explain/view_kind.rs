//! The views of a trace, the model or a sentence encoder.

use super::query::AttentionRole;
use crate::trace::Side;

/// One of the views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewKind {
    /// A tree over the sentences of the document.
    Tree,
    /// Words against sentences.
    Sentences,
    /// All sentences against all sentences.
    Document,
    /// Words against words of other sentences.
    Words,
    /// The sentences that were attended to most, as text.
    Context,
    /// Words by their share in the encodings of their sentences.
    Encoding,
    /// Cross-attention of the decoder.
    Cross,
    /// Self-attention of the encoder.
    Itself,
    /// Gates of the words.
    Gates,
    /// Exact zeros against length.
    Zeros,
    /// The worth of the translation without its context; the model answers, not the trace.
    Difference,
    /// The worth of the translation without each sentence of its context; the model answers, not the trace.
    LeaveOneOut,
    /// Where in its memory the translation was looked up; the model answers, not the trace.
    Memory,
    /// All sentences against each other by a sentence encoder, which answers, not the trace.
    Similarity,
}

/// Views of a sentence that the model itself answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelView {
    /// The translation without its context.
    Difference,
    /// The translation without each sentence of its context.
    LeaveOneOut,
    /// The memory's share in the translation.
    Memory,
}

impl ViewKind {
    /// Side of the queries: some views have no choice.
    pub fn side(self, wanted: Side) -> Side {
        match self {
            Self::Cross | Self::Difference | Self::LeaveOneOut | Self::Memory => Side::Target,
            Self::Encoding | Self::Itself | Self::Similarity => Side::Source,
            _ => wanted,
        }
    }

    /// Which of the model's views it is, unless it is one of a trace.
    pub fn model_view(self) -> Option<ModelView> {
        match self {
            Self::Difference => Some(ModelView::Difference),
            Self::LeaveOneOut => Some(ModelView::LeaveOneOut),
            Self::Memory => Some(ModelView::Memory),
            _ => None,
        }
    }

    /// Whether its maps can be side by side, a head each.
    pub fn has_heads_apart(self) -> bool {
        matches!(
            self,
            Self::Sentences | Self::Words | Self::Cross | Self::Itself
        )
    }

    /// Whether two traces can be shown side by side.
    pub fn has_room_for_two(self) -> bool {
        matches!(
            self,
            Self::Sentences | Self::Words | Self::Cross | Self::Itself | Self::Zeros
        )
    }

    /// Which attention it is about; gates belong to that of the context.
    pub fn role(self) -> AttentionRole {
        match self {
            Self::Cross => AttentionRole::Cross,
            Self::Itself => AttentionRole::Itself,
            Self::Encoding => AttentionRole::Encoding,
            _ => AttentionRole::Context,
        }
    }
}
