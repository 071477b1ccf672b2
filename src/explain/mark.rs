//! Places of a picture and the part of it that is seen, so that a window can point at things.

use crate::trace::Side;
use canopy_chart::charts::Rect;

/// A word or sentence of a trace, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextPosition {
    /// Side of the sentence.
    pub side: Side,
    /// Number of the sentence.
    pub sentence: usize,
    /// Place in the sentence; `None` for the sentence itself.
    pub word: Option<usize>,
}

/// The meaning of a place of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HitArea {
    /// In pixels of the picture.
    pub place: Rect,
    /// The query.
    pub query: Option<TextPosition>,
    /// The key; of several sentences the first.
    pub key: Option<TextPosition>,
    /// The last sentence, where a node stands for several.
    pub last: usize,
    /// The weight there, if it has one.
    pub weight: Option<f32>,
    /// Node of a tree view, or change of a [`LeaveOneOut`](crate::LeaveOneOut).
    pub node: Option<usize>,
}

impl TextPosition {
    /// Points at a whole sentence.
    pub fn sentence(side: Side, sentence: usize) -> Self {
        Self {
            side,
            sentence,
            word: None,
        }
    }

    /// Points at a word of a sentence.
    pub fn word(side: Side, sentence: usize, word: usize) -> Self {
        Self {
            side,
            sentence,
            word: Some(word),
        }
    }

    /// Whether a place that stands for `self` also shows `other`: a sentence shows its words.
    pub fn shows(&self, other: &Self) -> bool {
        (self.side, self.sentence) == (other.side, other.sentence)
            && (self.word.is_none() || self.word == other.word)
    }
}

impl HitArea {
    pub(super) fn new(place: Rect) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// Whether it stands for `spot` on either axis.
    pub fn is_of(&self, spot: &TextPosition) -> bool {
        let covers = |key: &TextPosition| {
            let inside = key.word.is_none()
                && key.side == spot.side
                && (key.sentence..=self.last).contains(&spot.sentence);
            inside || key.shows(spot)
        };
        self.query.is_some_and(|query| query.shows(spot)) || self.key.as_ref().is_some_and(covers)
    }
}

/// The part of a picture's width that is seen: shares of what there is, `0 ≤ from < to ≤ 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// The left edge.
    pub from: f64,
    /// The right edge.
    pub to: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { from: 0.0, to: 1.0 }
    }
}

impl Viewport {
    /// The least share that is still shown.
    const LEAST: f64 = 1.0 / 4_096.0;

    /// How many times wider than the picture everything is.
    pub fn zoom(&self) -> f64 {
        1.0 / (self.to - self.from)
    }

    /// Returns whether the whole width is seen.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Shows `factor` as much, what is at `share` of the picture stays there.
    #[must_use]
    pub fn zoomed(self, share: f64, factor: f64) -> Self {
        let width = ((self.to - self.from) * factor).clamp(Self::LEAST, 1.0);
        let fixed = self.from + share * (self.to - self.from);
        Self::beginning(fixed - share * width, width)
    }

    /// Moved by a share of the picture.
    #[must_use]
    pub fn panned(self, share: f64) -> Self {
        let width = self.to - self.from;
        Self::beginning(self.from + share * width, width)
    }

    fn beginning(from: f64, width: f64) -> Self {
        let from = from.clamp(0.0, 1.0 - width);
        Self {
            from,
            to: from + width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_what_is_under_the_pointer_and_stays_inside() {
        let viewport = Viewport::default().zoomed(0.25, 0.5);
        assert!((viewport.from - 0.125).abs() < 1e-12 && (viewport.zoom() - 2.0).abs() < 1e-12);
        let moved = viewport.panned(5.0);
        assert!((moved.to - 1.0).abs() < 1e-12);
        assert!(moved.zoomed(0.9, 100.0).is_everything());
    }

    #[test]
    fn a_place_of_several_sentences_is_of_each_of_them_and_their_words() {
        let place = Rect {
            left: 0.0,
            top: 0.0,
            right: 1.0,
            bottom: 1.0,
        };
        let mark = HitArea {
            key: Some(TextPosition::sentence(Side::Source, 3)),
            last: 5,
            ..HitArea::new(place)
        };
        assert!(mark.is_of(&TextPosition::word(Side::Source, 5, 2)));
        assert!(!mark.is_of(&TextPosition::sentence(Side::Source, 6)));
        assert!(!mark.is_of(&TextPosition::sentence(Side::Target, 4)));
    }
}
