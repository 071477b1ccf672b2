//! Markup that a model has lost, where nothing is known of its alignment: each tag goes to the words that stand about as far
//! in the sentence, or that are the same in both languages.

use canopy_document::editable::{Piece, Token, edited_pieces};

use crate::inference::markup_projection::{
    Alignment, Projected, StrippedSource, projected, word_ranges,
};

/// Standard deviation in words of a word's place from that of its counterpart.
const SPREAD: f32 = 1.5;

/// Puts the markup of a sentence, whose points show `points`, into an answer that has lost some of it.
pub(super) fn placed(stored: &str, points: &[String], edited: &str, language: &str) -> Projected {
    let source = StrippedSource::from_text(stored, points);
    let shown = edited_pieces(edited).into_iter().map(|piece| match piece {
        Piece::Text(text) => text,
        // Code and the like show where they go.
        Piece::Token(Token::Point(number)) => points.get(number).map_or("", String::as_str),
        Piece::Token(_) => "",
    });
    let target: String = shown.collect();
    let alignment = by_place(&source.text, &target);
    projected(&source, &target, &alignment, language)
}

/// Words of two texts, aligned by their place.
fn by_place(source: &str, target: &str) -> Alignment {
    let (source, target) = (word_ranges(source), word_ranges(target));
    let place = |index: usize, all: usize| (index as f32 + 0.5) / all as f32;
    let row = |index: usize| {
        let here = place(index, target.len());
        let weight = |other: usize| {
            let words = (place(other, source.len()) - here) * source.len() as f32 / SPREAD;
            (-words * words / 2.0).exp()
        };
        let weights: Vec<f32> = (0..source.len()).map(weight).collect();
        let sum: f32 = weights.iter().sum();
        weights.into_iter().map(|it| it / sum.max(1e-9)).collect()
    };
    Alignment {
        weights: (0..target.len()).map(row).collect(),
        source,
        target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_document::editable::tokens;

    #[test]
    fn every_mark_stands_once_and_near_its_words() {
        let source = "Click \u{E000}Save\u{E200} and wait for \u{E101}.";
        let points = [String::new(), "print()".to_owned()];
        let placed = |edited: &str| placed(source, &points, edited, "de").text;
        let text = placed("Klicken Sie auf Save und warten Sie auf print().");
        assert_eq!(
            text,
            "Klicken Sie auf \u{E000}Save\u{E200} und warten Sie auf \u{E101}."
        );
        for edited in ["Speichern anklicken.", "⟨1⟩⟨1⟩ Klicken ⟨2/⟩ auf.", "…"] {
            assert_eq!(tokens(&placed(edited)).len(), 3, "{edited}");
        }
    }
}
