//! A translated document as something else than itself: for translation memories, for other tools, for reviewers.

mod docx;
mod html;
mod memory;

pub use memory::tmx_of_pairs;

use serde::{Deserialize, Serialize};

use jiff::Timestamp;

use super::document::{Document, Markup, Sentence};
use super::formats::escaped;
use super::placeholder::{Placeholder, visible};
use crate::error::Result;

/// A format for exports of translated documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// Sentences with their translations as a translation memory.
    Tmx,
    /// XLIFF for other tools, with a state for each segment.
    Xliff,
    /// Source and target side by side.
    BilingualHtml,
    /// Source and target side by side in a table of a Word document.
    BilingualDocx,
    /// Each paragraph with its translation below.
    Interleaved,
    /// A line for each sentence: source, tab, target.
    Tsv,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Tmx,
        Self::Xliff,
        Self::BilingualHtml,
        Self::BilingualDocx,
        Self::Interleaved,
        Self::Tsv,
    ];

    /// As it is named on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tmx => "tmx",
            Self::Xliff => "xliff",
            Self::BilingualHtml => "bilingual-html",
            Self::BilingualDocx => "bilingual-docx",
            Self::Interleaved => "interleaved",
            Self::Tsv => "tsv",
        }
    }

    /// Returns the name that lists show.
    pub fn label(self) -> &'static str {
        match self {
            Self::Tmx => "translation memory (TMX)",
            Self::Xliff => "XLIFF 1.2",
            Self::BilingualHtml => "page with source and target side by side (HTML)",
            Self::BilingualDocx => "table with source and target (Word document)",
            Self::Interleaved => "page with the target below each paragraph (HTML)",
            Self::Tsv => "table of sources and targets, a line for each sentence (TSV)",
        }
    }

    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Tmx => "tmx",
            Self::Xliff => "xlf",
            Self::BilingualHtml | Self::Interleaved => "html",
            Self::BilingualDocx => "docx",
            Self::Tsv => "tsv",
        }
    }
}

/// The languages of a translation, as codes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Languages {
    /// Code of the language of the document.
    pub source: String,
    /// Code of the language of the translation.
    pub target: String,
}

/// Where a translation comes from, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The name of the model that translated it.
    pub model: Option<String>,
    /// When it was written.
    pub time: Option<Timestamp>,
}

impl Document {
    /// The document with its translations as another format; `translations` belong to `self.sentences`, in order.
    ///
    /// A translation that the file has already is exported where there is no other.
    ///
    /// # Errors
    /// If an archive cannot be packed.
    pub fn exported(
        &self,
        translations: &[Option<String>],
        format: ExportFormat,
        languages: &Languages,
    ) -> Result<Vec<u8>> {
        self.exported_by(translations, &[], format, languages)
    }

    /// [`Self::exported`] with the origins of the translations of `self.sentences`, which TMX and XLIFF hold.
    ///
    /// # Errors
    /// As [`Self::exported`].
    pub fn exported_by(
        &self,
        translations: &[Option<String>],
        provenances: &[Provenance],
        format: ExportFormat,
        languages: &Languages,
    ) -> Result<Vec<u8>> {
        let export = Export {
            document: self,
            translations,
            provenances,
            languages,
        };
        match format {
            ExportFormat::Tmx => Ok(export.tmx().into_bytes()),
            ExportFormat::Xliff => Ok(export.xliff().into_bytes()),
            ExportFormat::BilingualHtml => Ok(export.side_by_side().into_bytes()),
            ExportFormat::Interleaved => Ok(export.interleaved().into_bytes()),
            ExportFormat::BilingualDocx => export.docx(),
            ExportFormat::Tsv => Ok(export.tsv().into_bytes()),
        }
    }
}

/// A document that is exported.
struct Export<'d> {
    document: &'d Document,
    translations: &'d [Option<String>],
    provenances: &'d [Provenance],
    languages: &'d Languages,
}

impl Export<'_> {
    /// The translation of a sentence.
    fn target(&self, index: usize) -> Option<&str> {
        let known = self.document.sentences[index].known_text();
        let given = self.translations.get(index).and_then(Option::as_deref);
        given.or(known).filter(|text| !text.trim().is_empty())
    }

    /// The model that translated a sentence.
    fn model(&self, index: usize) -> Option<&str> {
        self.provenances.get(index)?.model.as_deref()
    }

    /// When the translation of a sentence was written.
    fn time(&self, index: usize) -> Option<Timestamp> {
        self.provenances.get(index)?.time
    }

    /// A text as a reader sees it.
    fn shown(&self, index: usize, text: &str) -> String {
        let shown = visible(text, &self.document.sentences[index].points);
        shown
            .chars()
            .filter(|character| !character.is_control())
            .collect()
    }

    /// Text of a source and of its translation, which is empty where there is none.
    fn pair(&self, index: usize) -> (String, String) {
        let sentence = &self.document.sentences[index];
        let target = self
            .target(index)
            .map_or(String::new(), |text| self.shown(index, text));
        (self.shown(index, &sentence.text), target)
    }
}

/// How a kind of XML writes inline codes.
struct Codes {
    /// The attribute that numbers points.
    point: &'static str,
    /// Name of both ends of a pair.
    pair: &'static str,
}

/// A text with the markup of its sentence as codes, each once: what the text lacks is at its end.
fn coded(document: &Document, sentence: &Sentence, text: &str, codes: &Codes) -> String {
    let slice = |range: &std::ops::Range<usize>| escaped(&document.original[range.clone()]);
    let (point, pair) = (codes.point, codes.pair);
    let begin = |number: usize, open: &std::ops::Range<usize>| {
        format!("<bpt {pair}=\"{}\">{}</bpt>", number + 1, slice(open))
    };
    let end = |number: usize, close: &std::ops::Range<usize>| {
        format!("<ept {pair}=\"{}\">{}</ept>", number + 1, slice(close))
    };
    let single = |number: usize, range: &std::ops::Range<usize>| {
        format!("<ph {point}=\"{}\">{}</ph>", number + 1, slice(range))
    };
    let (mut written, mut plain, mut open) = (String::new(), String::new(), Vec::new());
    let mut is_used = vec![false; sentence.markup.len()];
    for character in text.trim().chars() {
        let Some(placeholder) = Placeholder::from_char(character) else {
            // What XML cannot hold shows nothing, either.
            if !character.is_control() || character.is_whitespace() {
                plain.push(character);
            }
            continue;
        };
        written += &escaped(&std::mem::take(&mut plain));
        match placeholder {
            Placeholder::Open(number) | Placeholder::Point(number) => {
                if is_used.get(number) != Some(&false) {
                    continue;
                }
                is_used[number] = true;
                match &sentence.markup[number] {
                    Markup::Pair { open: range, close } => {
                        written += &begin(number, range);
                        open.push((number, close));
                    }
                    Markup::Point { range } => written += &single(number, range),
                }
            }
            Placeholder::Close => {
                if let Some((number, close)) = open.pop() {
                    written += &end(number, close);
                }
            }
        }
    }
    written += &escaped(&plain);
    while let Some((number, close)) = open.pop() {
        written += &end(number, close);
    }
    for (number, markup) in sentence
        .markup
        .iter()
        .enumerate()
        .filter(|(number, _)| !is_used[*number])
    {
        match markup {
            Markup::Pair { open, close } => {
                written += &begin(number, open);
                written += &end(number, close);
            }
            Markup::Point { range } => written += &single(number, range),
        }
    }
    written
}
