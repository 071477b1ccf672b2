//! From a translated [`Document`] back to its file.

use std::ops::Range;
use std::path::Path;

use super::{
    builder::Failure,
    document::{Document, Markup, Sentence, Syntax},
    escape::Escape,
    placeholder::Placeholder,
    reading::located,
    view::Translation,
};
use crate::error::Result;

impl Document {
    /// The file, translated: every byte that belongs to no translated sentence stays as it is.
    ///
    /// `translations` belong to `self.sentences`, in order; where it is shorter, or `None`, the source stays. Where the file
    /// says its language, or has a place of its own for it, that is `language` then; without one the language stays, and
    /// what is equal to its source is not written at all.
    ///
    /// # Errors
    /// If the format or its encoding cannot hold a translation's characters; nothing is written then.
    pub fn written(
        &self,
        translations: &[Option<String>],
        language: Option<&str>,
    ) -> Result<Vec<u8>> {
        let name = self.name.as_str();
        let _entered = tracing::info_span!("write document", name, language).entered();
        let translation = Translation {
            document: self,
            sentences: translations,
            language,
        };
        let written = translation.checked().and_then(|()| match &self.kept {
            Some(kept) => kept.write(self, &translation),
            None => Ok(self.translated(translations).into_bytes()),
        });
        written.map_err(|failure| located(failure, Path::new(&self.name)))
    }

    /// The text with every sentence that has a translation replaced by it; all other bytes stay as they are.
    ///
    /// `translations` belong to `self.sentences`, in order; where it is shorter, or `None`, the source stays.
    pub fn translated(&self, translations: &[Option<String>]) -> String {
        self.translated_part(0..self.original.len(), translations)
    }

    /// [`Self::translated`] of a part of the text.
    pub(super) fn translated_part(
        &self,
        part: Range<usize>,
        translations: &[Option<String>],
    ) -> String {
        let mut written = String::with_capacity(part.len() + part.len() / 4);
        let mut place = part.start;
        let first = self
            .sentences
            .partition_point(|sentence| sentence.range.start < part.start);
        let sentences = self.sentences.iter().zip(translations).skip(first);
        for (sentence, translation) in sentences {
            if sentence.range.start >= part.end {
                break;
            }
            let Some(translation) = translation else {
                continue;
            };
            written.push_str(&self.original[place..sentence.range.start]);
            written.push_str(&self.rendered(sentence, translation));
            place = sentence.range.end;
        }
        written.push_str(&self.original[place..part.end]);
        written
    }

    /// A translation of `sentence` as in the file: with the source's markup and escapes.
    ///
    /// A placeholder that the sentence does not have, and a closing one without opening one, is left out; what is not
    /// closed is closed at the end.
    pub fn rendered(&self, sentence: &Sentence, translation: &str) -> String {
        let mut renderer = Renderer {
            document: self,
            sentence,
            escape: Escape::new(self, sentence),
            written: String::new(),
            open: Vec::new(),
        };
        let translation = translation.trim();
        let mut text_start = 0;
        for (place, character) in translation.char_indices() {
            let Some(placeholder) = Placeholder::from_char(character) else {
                continue;
            };
            renderer.text(&translation[text_start..place], &translation[place..]);
            text_start = place + character.len_utf8();
            renderer.placeholder(placeholder);
        }
        renderer.text(&translation[text_start..], "");
        while !renderer.open.is_empty() {
            renderer.placeholder(Placeholder::Close);
        }
        renderer.written
    }
}

/// Whether no document can hold a character: those that control a terminal, and noncharacters.
pub fn is_unwritable(c: char) -> bool {
    c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

impl Translation<'_> {
    /// No format has characters that control a terminal, or none at all.
    fn checked(&self) -> Result<(), Failure> {
        let is_bad = |c: &char| is_unwritable(*c);
        let mut texts = self.sentences.iter().flatten();
        match texts.find_map(|text| text.chars().find(is_bad)) {
            Some(character) => Err(Failure::Unwritable { character }),
            None => Ok(()),
        }
    }
}

struct Renderer<'d> {
    document: &'d Document,
    sentence: &'d Sentence,
    escape: Escape,
    written: String,
    /// The closing tags that are due, with the place in `written` where the element's content begins.
    open: Vec<(usize, usize)>,
}

impl Renderer<'_> {
    fn text(&mut self, text: &str, following: &str) {
        self.escape.write(text, following, &mut self.written);
    }

    fn placeholder(&mut self, placeholder: Placeholder) {
        let original = &self.document.original;
        match placeholder {
            Placeholder::Open(number) | Placeholder::Point(number) => {
                match self.sentence.markup.get(number) {
                    Some(Markup::Pair { open, .. }) => {
                        self.written.push_str(&original[open.clone()]);
                        self.open.push((number, self.written.len()));
                    }
                    Some(Markup::Point { range }) => {
                        self.written.push_str(&original[range.clone()]);
                    }
                    None => {}
                }
            }
            Placeholder::Close => {
                let Some((number, start)) = self.open.pop() else {
                    return;
                };
                let Some(Markup::Pair { open, close }) = self.sentence.markup.get(number) else {
                    return;
                };
                let label = &original[open.end..close.start];
                let (open, close) = (&original[open.clone()], &original[close.clone()]);
                if self.document.syntax == Syntax::Markdown {
                    self.close_marks(start, open, label, close);
                } else {
                    self.written.push_str(close);
                }
            }
        }
    }

    /// Closes the marks of Markdown whose content began at `start`; `label` is what the source has between them.
    fn close_marks(&mut self, start: usize, open: &str, label: &str, close: &str) {
        let content = self.written.split_off(start);
        let is_emphasis = open.contains(['*', '_', '~', '^', '=']) && !open.contains(['<', '[']);
        let mut text = content.as_str();
        if text.trim().is_empty() && open.contains('[') {
            // Nobody could follow a link without words.
            text = label;
        } else if is_emphasis {
            // Such marks count only next to their words: space goes outside, and without words they go, too.
            text = text.trim();
            self.written.truncate(start - open.len());
            if !self.written.is_empty() {
                let before = content.len() - content.trim_start().len();
                self.written.push_str(&content[..before]);
            }
            if text.is_empty() {
                return;
            }
            self.written.push_str(open);
        }
        self.written.push_str(text);
        // `[label]` and `[label][]` name their link by the text that has just been translated.
        let names_itself = matches!(close, "]" | "][]");
        if names_itself && !text.split_whitespace().eq(label.split_whitespace()) {
            self.written.push_str("][");
            self.written.push_str(label);
            self.written.push(']');
        } else {
            self.written.push_str(close);
        }
        if is_emphasis {
            self.written.push_str(&content[content.trim_end().len()..]);
        }
    }
}
