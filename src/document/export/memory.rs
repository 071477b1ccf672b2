//! Sentences with their translations, for other tools: TMX and XLIFF.

use std::fmt::Write;

use jiff::Timestamp;

use super::{Codes, Export, Languages, coded};
use crate::formats::{escaped, escaped_attribute};

const TMX: Codes = Codes {
    point: "x",
    pair: "i",
};
const XLIFF: Codes = Codes {
    point: "id",
    pair: "id",
};

impl Export<'_> {
    /// TMX 1.4: every sentence that has a translation.
    pub(super) fn tmx(&self) -> String {
        let (source, target) = (
            escaped_attribute(&self.languages.source),
            escaped_attribute(&self.languages.target),
        );
        let mut written = tmx_head(&source);
        for (index, sentence) in self.document.sentences.iter().enumerate() {
            let Some(text) = self.target(index) else {
                continue;
            };
            let segment = |text: &str| coded(self.document, sentence, text, &TMX);
            let model = self.model(index).map_or(String::new(), |model| {
                format!("<prop type=\"x-mt-model\">{}</prop>\n", escaped(model))
            });
            let date = self.time(index).map_or(String::new(), |time| {
                format!(" creationdate=\"{}\"", tmx_date(time))
            });
            // Writing to a string does not fail.
            let _ = writeln!(
                written,
                "<tu{date}>\n<prop type=\"x-document\">{}</prop>\n{model}<tuv xml:lang=\"{source}\"><seg>{}</seg></tuv>\n\
                 <tuv xml:lang=\"{target}\"><seg>{}</seg></tuv>\n</tu>",
                escaped(&self.document.name),
                segment(&sentence.text),
                segment(text)
            );
        }
        written + "</body>\n</tmx>\n"
    }

    /// Every sentence as a reader sees it, a tab, and its translation where it has one.
    pub(super) fn tsv(&self) -> String {
        let line = |index: usize| {
            let (source, target) = self.pair(index);
            format!("{source}\t{target}\n")
        };
        (0..self.document.sentences.len()).map(line).collect()
    }

    /// XLIFF 1.2: every sentence, in a group for each paragraph.
    pub(super) fn xliff(&self) -> String {
        let document = self.document;
        let (source, target) = (
            escaped_attribute(&self.languages.source),
            escaped_attribute(&self.languages.target),
        );
        let mut written = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" \
             version=\"1.2\">\n<file original=\"{}\" date=\"{}\" source-language=\"{source}\" target-language=\"{target}\" \
             datatype=\"plaintext\">\n<body>\n",
            escaped_attribute(&document.name),
            // The text of the document at that time shows who has changed what when the file comes back.
            in_milliseconds(Timestamp::now())
        );
        for (number, paragraph) in document.paragraphs.iter().enumerate() {
            let _ = writeln!(written, "<group id=\"p{}\">", number + 1);
            for index in paragraph.sentences.clone() {
                let sentence = &document.sentences[index];
                let content = |text: &str| coded(document, sentence, text, &XLIFF);
                let _ = writeln!(
                    written,
                    "<trans-unit id=\"{}\" xml:space=\"preserve\">\n<source>{}</source>",
                    index + 1,
                    content(&sentence.text)
                );
                if let Some(text) = self.target(index) {
                    let text = content(text);
                    let _ = writeln!(
                        written,
                        "<target state=\"needs-review-translation\">{text}</target>"
                    );
                    if let Some(model) = self.model(index) {
                        let model = escaped(model);
                        let _ = writeln!(
                            written,
                            "<note from=\"Canopy\" annotates=\"target\">Translated by {model}</note>"
                        );
                    }
                }
                if let Some(note) = &paragraph.note {
                    let _ = writeln!(written, "<note>{}</note>", escaped(note));
                }
                written += "</trans-unit>\n";
            }
            written += "</group>\n";
        }
        written + "</body>\n</file>\n</xliff>\n"
    }
}

/// As TMX has it: `20260131T120000Z`.
fn tmx_date(time: Timestamp) -> String {
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn in_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

/// The beginning of a TMX file whose source language is spelt as in an attribute.
fn tmx_head(source: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n<header creationtool=\"Canopy\" \
         creationtoolversion=\"{}\" segtype=\"sentence\" o-tmf=\"Canopy\" adminlang=\"en\" srclang=\"{source}\" \
         datatype=\"plaintext\" creationdate=\"{}\"/>\n<body>\n",
        env!("CARGO_PKG_VERSION"),
        tmx_date(Timestamp::now())
    )
}

/// TMX 1.4 of plain texts of a document with this name and their translations.
pub fn tmx_of_pairs<'p>(
    document: &str,
    pairs: impl Iterator<Item = (&'p str, &'p str)>,
    languages: &Languages,
) -> String {
    let (source, target) = (
        escaped_attribute(&languages.source),
        escaped_attribute(&languages.target),
    );
    let mut written = tmx_head(&source);
    for (text, translation) in pairs {
        // Writing to a string does not fail.
        let _ = writeln!(
            written,
            "<tu>\n<prop type=\"x-document\">{}</prop>\n<tuv xml:lang=\"{source}\"><seg>{}</seg></tuv>\n\
             <tuv xml:lang=\"{target}\"><seg>{}</seg></tuv>\n</tu>",
            escaped(document),
            escaped(text),
            escaped(translation)
        );
    }
    written + "</body>\n</tmx>\n"
}
