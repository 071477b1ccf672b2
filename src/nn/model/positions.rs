//! Multi-level positions: learned tables for token, sentence and paragraph, and for sections under headings, summed.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §1.2. A joint
//! table for each triple, also compatible with the text, would be unusably large.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::counting::{LEVELS, Place, place_under};
use super::packed_batch::PackedBatch;
use canopy_document::document::SectionNumbers;
use canopy_kernels::select_rows;

/// Counts the places of all documents of a batch from their beginnings, in windows that the tables hold: a window ends
/// where the next sentence, with `reserve` tokens for its translation, would not fit.
///
/// Counts places from the beginning of the document; `rows` has the sentence of the first token in its paragraph and its
/// paragraph, as [`PackedBatch::push`] puts them.
pub(super) fn count_absolutely(rows: &mut PackedBatch, sizes: Place, reserve: usize) {
    for document in rows.documents.clone() {
        let mut window: Option<Window> = None;
        for sentence in document {
            let of_text = rows.positions[sentence];
            let len = rows.sentences[sentence].len();
            let place = window
                .as_ref()
                .map(|window| window.place(sentence, &of_text));
            let fits = |place: &Place| {
                let others = place.iter().zip(sizes).skip(1);
                place[0] + len + reserve < sizes[0]
                    // A level without a table has no end.
                    && others.into_iter().all(|(place, size)| size == 0 || *place < size)
            };
            let place = place.filter(fits).unwrap_or_else(|| {
                let begun = Window::begin(sentence, of_text);
                let place = begun.place(sentence, &of_text);
                window = Some(begun);
                place
            });
            if let Some(window) = &mut window {
                window.read(len, of_text, place);
            }
            rows.positions[sentence] = place;
        }
    }
}

/// A window of a document that is counted from its beginning.
struct Window {
    first: usize,
    paragraph: usize,
    words: usize,
    /// Sections of each level that have begun.
    sections: SectionNumbers,
    /// The last sentence's place in its text, and as it was counted.
    last: (Place, Place),
}

impl Window {
    fn begin(sentence: usize, of_text: Place) -> Self {
        let begun = |level: usize| usize::from(of_text[level] > 0);
        let sections = std::array::from_fn(|level| begun(3 + level));
        Self {
            first: sentence,
            paragraph: of_text[2],
            words: 0,
            sections,
            last: (of_text, place_under([0; 3], sections)),
        }
    }

    /// The place of a sentence. A section is another one where its number, or that of one around it, is another; those of a
    /// level that have begun in the window are counted, and what is in none of them has 0.
    fn place(&self, sentence: usize, of_text: &Place) -> Place {
        let (last, counted) = &self.last;
        let paragraph = of_text[2].saturating_sub(self.paragraph);
        let sections = std::array::from_fn(|number| {
            let level = 3 + number;
            match of_text[level] {
                0 => 0,
                _ if of_text[3..=level] == last[3..=level] => counted[level],
                _ => self.sections[number] + 1,
            }
        });
        place_under([self.words, sentence - self.first, paragraph], sections)
    }

    /// Goes on behind a sentence of so many tokens.
    fn read(&mut self, tokens: usize, of_text: Place, place: Place) {
        self.words += tokens;
        for (begun, &section) in self.sections.iter_mut().zip(&place[3..]) {
            *begun = section.max(*begun);
        }
        self.last = (of_text, place);
    }
}

/// One table a level, each `[size, d_model]`.
#[derive(Module, Debug)]
pub struct PositionTables {
    /// Places of tokens in their sentence.
    pub words: Param<Tensor<2>>,
    /// Places of sentences in their paragraph.
    pub sentences: Param<Tensor<2>>,
    /// Places of paragraphs in their document.
    pub paragraphs: Param<Tensor<2>>,
    /// Of each level of headings, the outermost first; none where they are not read.
    pub headings: Vec<Param<Tensor<2>>>,
}

impl PositionTables {
    /// All tables, in the order of a [`Place`].
    pub fn tables(&self) -> impl Iterator<Item = &Param<Tensor<2>>> {
        let below = [&self.words, &self.sentences, &self.paragraphs];
        below.into_iter().chain(&self.headings)
    }

    /// Sizes of the tables; 0 of those that are not there.
    pub fn sizes(&self) -> Place {
        let mut sizes = [0; LEVELS];
        let tables = self.tables().map(|table| table.lazy_shape()[0]);
        sizes
            .iter_mut()
            .zip(tables)
            .for_each(|(to, size)| *to = size);
        sizes
    }

    /// The sum of the tables' rows for every place, all of them within the tables.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn forward(&self, positions: &[Place]) -> Tensor<2> {
        let sizes = self.sizes();
        let is_within = |position: &Place| {
            let mut levels = position.iter().zip(sizes);
            levels.all(|(&index, size)| size == 0 || index < size)
        };
        assert!(
            positions.iter().all(is_within),
            "a place is outside the tables of {sizes:?} entries"
        );
        let of_levels = self.tables().enumerate().map(|(level, table)| {
            let rows = positions.iter().map(|position| position[level]);
            select_rows(table.val(), &rows.collect())
        });
        let sum = of_levels.reduce(|sum, of_level| sum + of_level);
        sum.expect("there are tables")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document of headings: `1`, `1.1`, `1.2`, `2`, `2.1` with its paragraph, and `2.1.1`; two tokens a sentence.
    fn rows() -> PackedBatch {
        let mut rows = PackedBatch::default();
        let sections = [
            [0, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [1, 2, 0],
            [2, 0, 0],
            [2, 1, 0],
            [2, 1, 0],
            [2, 1, 1],
        ];
        for (number, section) in sections.into_iter().enumerate() {
            rows.push(&[5, 3], (0, number));
            rows.push_headings(section);
        }
        rows
    }

    fn sections(rows: &PackedBatch) -> Vec<SectionNumbers> {
        let places = rows.positions.iter();
        places
            .map(|&[_, _, _, first, second, third]| [first, second, third])
            .collect()
    }

    #[test]
    fn sections_of_a_level_are_counted_through_the_text() {
        let mut whole = rows();
        count_absolutely(&mut whole, [99, 99, 99, 99, 99, 99], 0);
        let expected = [
            [0, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [1, 2, 0],
            [2, 0, 0],
            [2, 3, 0],
            [2, 3, 0],
            [2, 3, 1],
        ];
        assert_eq!(sections(&whole), expected);
        assert_eq!(whole.positions[7][..3], [14, 7, 7]);
        // Where a table ends, a window begins: with the third section of the second level.
        let mut cut = rows();
        count_absolutely(&mut cut, [99, 99, 99, 99, 3, 99], 0);
        assert_eq!(sections(&cut)[5..], [[1, 1, 0], [1, 1, 0], [1, 1, 1]]);
        assert_eq!(cut.positions[5][..3], [0, 0, 0]);
        // Without tables of headings they end no window.
        let mut without = rows();
        count_absolutely(&mut without, [99, 99, 99, 0, 0, 0], 0);
        assert_eq!(without.positions[7][..3], [14, 7, 7]);
    }
}
