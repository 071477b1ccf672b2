//! A document: a tree of sections, paragraphs and sentences over the text of one file.
//!
//! The tree is kept as three flat lists in reading order; each element names its parent by index. Byte ranges refer to
//! [`Document::original`], so that a translation can be written back into the very same file.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::formats::{Encoding, Kept};
use super::placeholder::{folded, visible};
use super::view::Unit;

pub use super::formats::{
    Column, Cuts, Format, ReadingChoice, ReadingOptions, SegmentEdit, SubtitleLayout,
};

/// One file as a tree of sections, paragraphs and sentences.
#[derive(Debug, Clone)]
pub struct Document {
    /// File name without its folder, or `-` for standard input.
    pub name: String,
    /// The format of the file.
    pub format: Format,
    /// How it was read.
    pub reading: ReadingOptions,
    /// The file's text, unchanged; of a format that cannot be shown as it is, the text of its paragraphs with short tags.
    pub original: String,
    /// `sections[0]` is the document itself; children come after their parents.
    pub sections: Vec<Section>,
    /// The paragraphs in reading order.
    pub paragraphs: Vec<Paragraph>,
    /// The sentences in reading order.
    pub sentences: Vec<Sentence>,
    /// How `original` spells text.
    pub(crate) syntax: Syntax,
    /// The units of a view.
    pub(crate) units: Vec<Unit>,
    /// How much room its translation has where it is shown as subtitles.
    pub subtitle_layout: SubtitleLayout,
    /// The header of a file for the exchange of translations.
    pub exchange: Option<Exchange>,
    /// The language that the file says it is written in.
    pub source_language: Option<String>,
    /// The language that a bilingual file says its translations are in.
    pub target_language: Option<String>,
    /// Translations of other texts that the file brings along, by their sources, as a reader sees them.
    pub(crate) matches: HashMap<String, String>,
    /// The encoding of a file that has no other way to write what this one lacks.
    pub(crate) encoding: Encoding,
    /// The parts of the file that the format keeps.
    pub(crate) kept: Option<Arc<Kept>>,
}

impl Document {
    /// A document without any text.
    pub fn empty(name: &str, format: Format) -> Self {
        Self {
            name: name.to_owned(),
            format,
            reading: ReadingOptions::default(),
            original: String::new(),
            sections: vec![Section::default()],
            paragraphs: Vec::new(),
            sentences: Vec::new(),
            syntax: Syntax::View,
            units: Vec::new(),
            subtitle_layout: SubtitleLayout::default(),
            exchange: None,
            source_language: None,
            target_language: None,
            matches: HashMap::new(),
            encoding: Encoding::Utf8,
            kept: None,
        }
    }

    /// The translation that the file brings along for a text without markup.
    pub fn matching(&self, text: &str) -> Option<&str> {
        self.matches.get(&folded(text)).map(String::as_str)
    }

    /// The languages that a bilingual file declares, its source and its target. A target that is the source itself, as
    /// in an empty template, declares nothing.
    pub fn declared_languages(&self) -> [Option<&str>; 2] {
        if !self.format.is_bilingual() {
            return [None, None];
        }
        let source = self.source_language.as_deref().filter(|code| is_code(code));
        let target = self.target_language.as_deref().filter(|code| is_code(code));
        let is_other = |target: &&str| !source.is_some_and(|it| it.eq_ignore_ascii_case(target));
        [source, target.filter(is_other)]
    }

    /// Forgets the translations that the file has, which are in another language than `target`.
    pub fn retarget(&mut self, target: &str) {
        self.target_language = Some(target.to_owned());
        self.matches.clear();
        for sentence in &mut self.sentences {
            sentence.known = None;
        }
    }

    /// The finished translations that the file has, with placeholders, by their sentences.
    pub fn finished(&self) -> BTreeMap<usize, String> {
        let sentences = self.sentences.iter().enumerate();
        let finished = sentences.filter_map(|(index, sentence)| {
            let known = sentence.known.as_ref().filter(|known| !known.is_draft())?;
            Some((index, known.text.clone()))
        });
        finished.collect()
    }

    /// Pairs of a text and its translation in the file, as a reader sees them: finished ones, and what it
    /// brings along to be looked up.
    pub fn known_pairs(&self) -> impl Iterator<Item = (String, String)> {
        let finished = self.finished().into_iter().map(|(index, text)| {
            let sentence = &self.sentences[index];
            (
                folded(&sentence.plain_text()),
                visible(&text, &sentence.points),
            )
        });
        let matches = self.matches.iter();
        finished.chain(matches.map(|(source, target)| (source.clone(), target.clone())))
    }
}

/// Whether a file names a language, not "undetermined", "several" or "none" of BCP 47.
fn is_code(code: &str) -> bool {
    let main = code.split(['-', '_', '@']).next().unwrap_or_default();
    let is_word = (2..=3).contains(&main.len()) && main.chars().all(|it| it.is_ascii_alphabetic());
    let is_none = |none: &&str| main.eq_ignore_ascii_case(none);
    is_word && !["und", "mul", "zxx", "mis"].iter().any(is_none)
}

/// The header of a file for the exchange of translations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// The name of the document that it was made of.
    pub original: String,
    /// When it was made.
    pub date: Option<jiff::Timestamp>,
}

/// How the text of [`Document::original`] is spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// In this encoding there may be characters that have to be written as references.
    Html {
        is_xml: bool,
        encoding: Encoding,
    },
    Markdown,
    Plain,
    /// Tags of subtitles show nothing.
    Subtitles,
    /// By its own code; codes are identified by their place.
    View,
}

/// A heading with all below it, or, by default, the document itself (level 0, no heading).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Index of the section that holds it; none for the document.
    pub parent: Option<usize>,
    /// 0 for the document, 1 to 6 as in `h1` … `h6`.
    pub level: u8,
    /// The paragraph that is this section's heading.
    pub heading: Option<usize>,
}

/// Levels of sections whose numbers are known, from the outermost on.
pub const HEADING_LEVELS: usize = 3;

/// The numbers of a section, as in *section 2.3.1*: of the outermost section that it is in among those of the document, of the one
/// in that, and so on, counted from 1; 0 where it is in none of a level.
pub type SectionNumbers = [usize; HEADING_LEVELS];

/// The numbers of every section, by how the sections nest, whatever the names of their headings: a document may
/// begin with an `h2`.
pub fn section_numbers(sections: &[Section]) -> Vec<SectionNumbers> {
    let mut numbers: Vec<(SectionNumbers, usize)> = Vec::with_capacity(sections.len());
    let mut children = vec![0; sections.len()];
    for (number, section) in sections.iter().enumerate() {
        let Some(parent) = section.parent.filter(|&parent| parent < number) else {
            numbers.push(([0; HEADING_LEVELS], 0));
            continue;
        };
        children[parent] += 1;
        let (mut own, depth) = numbers[parent];
        if let Some(level) = own.get_mut(depth) {
            *level = children[parent];
        }
        numbers.push((own, depth + 1));
    }
    numbers.into_iter().map(|(numbers, _)| numbers).collect()
}

/// The kind of a paragraph in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParagraphKind {
    /// The title of the document.
    Title,
    /// The heading of a section.
    Heading,
    /// Running text.
    #[default]
    Text,
    /// An item of a list.
    ListItem,
    /// A cell of a table.
    TableCell,
}

/// A run of inline content: the unit that is aligned between languages.
#[derive(Debug, Clone)]
pub struct Paragraph {
    /// Index of its section.
    pub section: usize,
    /// The kind of the paragraph.
    pub kind: ParagraphKind,
    /// The `id` attribute of the HTML element, if it has one.
    pub id: Option<String>,
    /// The file's note about it to translators.
    pub note: Option<String>,
    /// How many characters its translation may have.
    pub max_chars: Option<usize>,
    /// The role of the paragraph in its file, if it is no running text.
    pub part: Option<Part>,
    /// Bytes of [`Document::original`].
    pub range: Range<usize>,
    /// Indices of its sentences in [`Document::sentences`].
    pub sentences: Range<usize>,
}

/// A part of a file that is no running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Subtitles: shown for a time.
    Cues(CueTime),
    /// Speaker notes of a slide.
    SpeakerNotes,
}

/// When a text is shown: in one cue, or in several one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CueTime {
    /// From the beginning of the first cue to the end of the last one, in milliseconds.
    pub start_ms: i64,
    /// The end of the last cue, in milliseconds from the start of the film.
    pub end_ms: i64,
    /// How long the cues are shown, in milliseconds.
    pub shown_ms: i64,
    /// Number of cues.
    pub num_cues: usize,
}

/// One sentence, or the part of it that the model translates at once.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Index of its paragraph.
    pub paragraph: usize,
    /// Bytes of [`Document::original`] that a translation replaces.
    pub range: Range<usize>,
    /// The text with white space folded, character references decoded and inline markup as placeholders
    /// (see [`super::placeholder`]).
    pub text: String,
    /// The markup behind the placeholders of `text`.
    pub markup: Vec<Markup>,
    /// The text of each of its points, by number: inline code its own, a line break a space, a tag nothing.
    pub points: Vec<String>,
    /// The translation that the file has for it already.
    pub known: Option<Known>,
}

/// A translation that a file has already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The translation, with placeholders.
    pub text: String,
    /// The state of the translation in the file.
    pub standing: Standing,
}

/// The state of a translation in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It needs a review: fuzzy, unfinished.
    Draft,
    /// It is translated, and neither in doubt nor approved.
    Translated,
    /// It is approved.
    Approved,
}

impl Sentence {
    /// The text of the translation that the file has for it already.
    pub fn known_text(&self) -> Option<&str> {
        self.known.as_ref().map(|known| known.text.as_str())
    }
}

impl Known {
    /// Returns whether the translation needs a review.
    pub fn is_draft(&self) -> bool {
        self.standing == Standing::Draft
    }
}

/// The meaning of one numbered placeholder: `markup[k]` belongs to the placeholders with number `k`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Markup {
    /// A pair of tags around text: bytes of the opening and of the closing one.
    Pair {
        /// Bytes of the opening tag.
        open: Range<usize>,
        /// Bytes of the closing tag.
        close: Range<usize>,
    },
    /// A tag without a partner in this sentence, or an opaque span such as inline code.
    Point {
        /// Bytes of the tag or span.
        range: Range<usize>,
    },
}

/// Where a sentence is on every level, all counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The section.
    pub section: usize,
    /// Paragraph within the document, and within its section.
    pub paragraph: usize,
    /// Paragraph within its section.
    pub paragraph_in_section: usize,
    /// Sentence within the document, and within its paragraph.
    pub sentence: usize,
    /// Sentence within its paragraph.
    pub sentence_in_paragraph: usize,
}

/// The first words of a sentence, for those who look for it in the document.
pub fn beginning(text: &str) -> String {
    const SHOWN: usize = 40;
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_known_by_its_beginning() {
        assert_eq!(beginning(" Open the file."), "Open the file.");
        let long = "Ändern Sie die Größe ".repeat(4);
        let expected = "Ändern Sie die Größe Ändern Sie die Größ …";
        assert_eq!(beginning(&long), expected);
    }
}
