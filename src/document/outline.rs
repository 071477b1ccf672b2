//! Finding one's way in a [`Document`].

use std::ops::Range;

use super::{
    document::{Document, Position, Sentence, beginning},
    placeholder::visible,
};

impl Document {
    /// Where sentence number `sentence` is on every level.
    pub fn position(&self, sentence: usize) -> Position {
        let paragraph = self.sentences[sentence].paragraph;
        let section = self.paragraphs[paragraph].section;
        Position {
            section,
            paragraph,
            paragraph_in_section: paragraph - self.paragraphs_of(section).start,
            sentence,
            sentence_in_paragraph: sentence - self.paragraphs[paragraph].sentences.start,
        }
    }

    /// The text of a section's heading; the document itself has its file's name.
    pub fn section_title(&self, section: usize) -> String {
        match self.sections[section].heading {
            Some(heading) => self.paragraph_text(heading),
            None => self.name.clone(),
        }
    }

    /// The sections around `section`, from the document down to itself.
    pub fn section_path(&self, section: usize) -> Vec<usize> {
        let mut path: Vec<_> =
            std::iter::successors(Some(section), |&section| self.sections[section].parent)
                .collect();
        path.reverse();
        path
    }

    /// How many sections are around `section`.
    pub fn section_depth(&self, section: usize) -> usize {
        self.section_path(section).len() - 1
    }

    /// `section` and all that are nested in it.
    pub fn sections_below(&self, section: usize) -> Range<usize> {
        let level = self.sections[section].level;
        let inner = self.sections[section + 1..]
            .iter()
            .take_while(|other| other.level > level)
            .count();
        section..section + 1 + inner
    }

    /// The paragraphs in `section` itself, its heading first.
    pub fn paragraphs_of(&self, section: usize) -> Range<usize> {
        self.first_paragraph(section)..self.first_paragraph(section + 1)
    }

    /// The paragraphs of `section` and of all sections nested in it.
    pub fn paragraphs_below(&self, section: usize) -> Range<usize> {
        self.first_paragraph(section)..self.first_paragraph(self.sections_below(section).end)
    }

    /// The sentences of `section` and of all sections nested in it.
    pub fn sentences_below(&self, section: usize) -> Range<usize> {
        let paragraphs = self.paragraphs_below(section);
        self.first_sentence(paragraphs.start)..self.first_sentence(paragraphs.end)
    }

    fn first_paragraph(&self, section: usize) -> usize {
        self.paragraphs
            .partition_point(|paragraph| paragraph.section < section)
    }

    fn first_sentence(&self, paragraph: usize) -> usize {
        self.paragraphs
            .get(paragraph)
            .map_or(self.sentences.len(), |paragraph| paragraph.sentences.start)
    }

    /// A paragraph's sentences as a reader sees them.
    pub fn paragraph_text(&self, paragraph: usize) -> String {
        let sentences = &self.sentences[self.paragraphs[paragraph].sentences.clone()];
        sentences
            .iter()
            .map(Sentence::plain_text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Words of all sentences.
    pub fn word_count(&self) -> usize {
        self.sentences.iter().map(Sentence::word_count).sum()
    }
}

impl Document {
    /// The sentences as a reader sees them.
    pub fn plain_texts(&self) -> Vec<String> {
        self.sentences.iter().map(Sentence::plain_text).collect()
    }

    /// A sentence as messages name it: its number, from 1, and its beginning.
    pub fn sentence_name(&self, sentence: usize) -> String {
        let text = self.sentences[sentence].plain_text();
        format!("{} (\"{}\")", sentence + 1, beginning(&text))
    }
}

impl Sentence {
    /// The text as a reader sees it, and as a corpus of such documents holds it.
    pub fn plain_text(&self) -> String {
        visible(&self.text, &self.points)
    }

    /// The number of words: runs between spaces that hold a letter or digit.
    pub fn word_count(&self) -> usize {
        self.text
            .split_whitespace()
            .filter(|word| word.contains(char::is_alphanumeric))
            .count()
    }
}
