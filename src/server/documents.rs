//! Texts of clients as documents, and their translations as texts again.

use std::path::Path;

use super::fields::Upload;
use super::job::TranslatedDocument;
use super::refusal::Refusal;
use super::results::TranslatedFile;
use crate::error::Result;
use canopy_document::document::{Document, Format, Paragraph, ParagraphKind, Sentence};
use canopy_document::placeholder::{Placeholder, folded};
use canopy_project::markup::{parsed, to_editable};

/// A text as a document; in HTML, markup is kept.
///
/// # Errors
/// If it is nested too deep, or has a line that no text has.
pub(super) fn text_document(text: String, is_html: bool) -> Result<Document> {
    let format = if is_html { Format::Html } else { Format::Text };
    Ok(Document::parse("text", format, text)?)
}

/// A document of sentences as clients segment them, whose markup is `⟨1⟩…⟨/1⟩`; `paragraphs` are the first sentences of its
/// paragraphs.
///
/// # Errors
/// If the markup of a sentence is not well nested.
pub(super) fn sentences_document(
    texts: &[String],
    paragraphs: &[usize],
) -> Result<Document, Refusal> {
    let mut document = Document::empty("sentences", Format::Text);
    for (index, text) in texts.iter().enumerate() {
        let text = parsed(text)
            .map_err(|problem| Refusal::wrong(format!("sentence {index}: {problem}")))?;
        add_sentence(
            &mut document,
            text,
            index == 0 || paragraphs.contains(&index),
        );
    }
    Ok(document)
}

/// A document of one sentence, with placeholders for its markup.
pub(super) fn stored_sentence_document(text: &str) -> Document {
    let mut document = Document::empty("segment", Format::Text);
    add_sentence(&mut document, folded(text), true);
    document
}

fn add_sentence(document: &mut Document, text: String, begins_paragraph: bool) {
    let index = document.sentences.len();
    if begins_paragraph {
        document.paragraphs.push(paragraph(index));
    }
    let numbers = text.chars().filter_map(Placeholder::from_char);
    let numbers = numbers.filter_map(|placeholder| match placeholder {
        Placeholder::Point(number) => Some(number + 1),
        _ => None,
    });
    let points = vec![String::new(); numbers.max().unwrap_or(0)];
    let paragraph = document.paragraphs.len() - 1;
    document.paragraphs[paragraph].sentences.end = index + 1;
    document.sentences.push(Sentence {
        paragraph,
        range: 0..0,
        text,
        markup: Vec::new(),
        points,
        known: None,
    });
}

fn paragraph(first: usize) -> Paragraph {
    Paragraph {
        section: 0,
        kind: ParagraphKind::Text,
        id: None,
        note: None,
        max_chars: None,
        part: None,
        range: 0..0,
        sentences: first..first,
    }
}

/// A file as a document.
///
/// # Errors
/// If it is in no format that is known, or damaged.
pub(super) fn file_document(file: Upload) -> Result<Document, Refusal> {
    let path = Path::new(&file.name);
    let format = Format::from_content(path, &file.bytes).ok_or_else(|| {
        Refusal::wrong("Invalid request: file format not supported; GET /frontend/settings lists those that are")
    })?;
    Ok(Document::from_bytes(&file.name, format, file.bytes)?)
}

impl TranslatedDocument {
    fn texts(&self) -> Vec<Option<String>> {
        let text = |index| {
            let sentence = self.sentences.get(&index)?;
            Some(sentence.translation.text.clone())
        };
        (0..self.document.sentences.len()).map(text).collect()
    }

    /// The translation of a text that came as such.
    ///
    /// # Errors
    /// If it cannot hold a character of the translation.
    pub(crate) fn text(&self) -> Result<String, Refusal> {
        let bytes = self.document.written(&self.texts(), None)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Other translations of such a text than `own`, the more probable ones first: each has the next one of every sentence, or its
    /// translation where there are no more. What the text cannot hold is left out.
    pub(crate) fn other_texts(&self, own: &str) -> Vec<String> {
        let counts = self.sentences.values().map(|it| it.alternatives.len());
        let count = counts.max().unwrap_or_default();
        let mut texts: Vec<String> = Vec::new();
        for number in 0..count {
            let text = |index| {
                let sentence = self.sentences.get(&index)?;
                let own = &sentence.translation.text;
                Some(sentence.alternatives.get(number).unwrap_or(own).clone())
            };
            let sentences: Vec<Option<String>> =
                (0..self.document.sentences.len()).map(text).collect();
            let Ok(bytes) = self.document.written(&sentences, None) else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if text != own && !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// The translated file.
    ///
    /// # Errors
    /// If its format cannot hold a character of the translation.
    pub(crate) fn file(&self, target: &str) -> Result<TranslatedFile, Refusal> {
        let bytes = self.document.written(&self.texts(), Some(target))?;
        let name = Path::new(&self.document.name);
        let stem = name.file_stem().unwrap_or_default().to_string_lossy();
        let ending = self.document.format.written_extension();
        let own = name.extension().unwrap_or_default().to_string_lossy();
        let is_own = self
            .document
            .format
            .endings()
            .contains(&own.to_lowercase().as_str())
            && ending == self.document.format.extension();
        let ending = if is_own { &*own } else { ending };
        let name = format!("{stem}.{target}.{ending}");
        Ok(TranslatedFile { name, bytes })
    }

    /// A sentence of the source, and its translation, as clients read them.
    pub(crate) fn pair(&self, index: usize) -> (String, Option<String>) {
        let sentence = &self.document.sentences[index];
        let translation = self.sentences.get(&index);
        let target = translation.map(|translated| translated.translation.text.as_str());
        let target = target.or(sentence.known_text());
        (to_editable(&sentence.text), target.map(to_editable))
    }
}
