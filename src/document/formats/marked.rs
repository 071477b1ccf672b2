//! Paragraphs of texts with markup of their own kind, such as LaTeX: what is not translated stays as its author spelt it.

use std::ops::Range;

use super::edits::Edits;
use crate::builder::{Builder, Context};
use crate::view::{Draft, Span};

/// A paragraph that was collected but is no unit yet.
#[derive(Debug, Default)]
pub(super) struct MarkedDraft {
    draft: Draft,
    codes: Vec<Range<usize>>,
    /// Codes that open and close each other.
    pairs: Vec<(usize, usize)>,
    texts: Vec<Text>,
    bytes: Option<Range<usize>>,
}

/// Text of the view and the bytes that spell it.
#[derive(Debug)]
struct Text {
    /// From the unit's first byte on.
    view: Range<usize>,
    source: Range<usize>,
}

/// A paragraph in its file.
#[derive(Debug)]
pub(super) struct MarkedPlace {
    pub unit: usize,
    pub bytes: Range<usize>,
    codes: Vec<Range<usize>>,
    pairs: Vec<(usize, usize)>,
    texts: Vec<Text>,
}

/// How a format spells what a paragraph is made of.
pub(super) trait Spelling {
    /// Appends text of a translation; `next` is what will follow it.
    fn text(&mut self, text: &str, next: Option<char>, written: &mut String);

    /// Appends the code of this number.
    fn code(&mut self, number: usize, code: &str, written: &mut String);

    /// Appends what stays as it is.
    fn source(&mut self, source: &str, written: &mut String) {
        written.push_str(source);
    }
}

impl MarkedDraft {
    /// Characters that stand for themselves.
    pub(super) fn text(&mut self, source: &str, range: Range<usize>) {
        self.decoded(&source[range.clone()], range);
    }

    /// Characters that are spelt otherwise than they are shown.
    pub(super) fn decoded(&mut self, shown: &str, range: Range<usize>) {
        let start = self.draft.view_len();
        self.draft.text(shown);
        self.covers(&range);
        self.texts.push(Text {
            view: start..self.draft.view_len(),
            source: range,
        });
    }

    pub(super) fn open(&mut self, name: &str, range: Range<usize>) -> usize {
        let code = self.draft.open(name);
        self.code(code, range)
    }

    pub(super) fn close(&mut self, open: usize, name: &str, range: Range<usize>) -> usize {
        let code = self.draft.close(open, name);
        self.pairs.push((open, code));
        self.code(code, range)
    }

    /// Words that are not translated.
    pub(super) fn opaque(&mut self, name: &str, shown: &str, range: Range<usize>) -> usize {
        let code = self.draft.opaque(name, shown);
        self.code(code, range)
    }

    pub(super) fn point(&mut self, name: &str, range: Range<usize>) -> usize {
        let code = self.draft.point(name);
        self.code(code, range)
    }

    pub(super) fn hidden(&mut self, name: &str, range: Range<usize>) -> usize {
        let code = self.draft.hidden(name);
        self.code(code, range)
    }

    pub(super) fn line_break(&mut self, range: Range<usize>) -> usize {
        let code = self.draft.line_break();
        self.code(code, range)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    pub(super) fn num_codes(&self) -> usize {
        self.codes.len()
    }

    /// Makes a unit of it, if there is anything to translate.
    pub(super) fn unit(self, builder: &mut Builder, context: Context) -> Option<MarkedPlace> {
        let unit = builder.unit_of_text(self.draft, context)?;
        Some(MarkedPlace {
            unit,
            bytes: self.bytes?,
            codes: self.codes,
            pairs: self.pairs,
            texts: self.texts,
        })
    }

    fn code(&mut self, code: usize, range: Range<usize>) -> usize {
        self.covers(&range);
        self.codes.push(range);
        code
    }

    fn covers(&mut self, range: &Range<usize>) {
        let bytes = self.bytes.get_or_insert_with(|| range.clone());
        *bytes = bytes.start.min(range.start)..bytes.end.max(range.end);
    }
}

impl MarkedPlace {
    /// Whether a code opens words, or closes them.
    pub(super) fn opens(&self, code: usize) -> bool {
        self.pairs.iter().any(|(open, _)| *open == code)
    }

    pub(super) fn closes(&self, code: usize) -> bool {
        self.pairs.iter().any(|(_, close)| *close == code)
    }

    /// The spans with marks that count only next to their words: space goes outside, and marks without words go.
    pub(super) fn hugged(&self, spans: Vec<Span>) -> Vec<Span> {
        let mut hugged: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match span {
                Span::Text(text) => {
                    let after_open =
                        matches!(hugged.last(), Some(Span::Code(code)) if self.opens(*code));
                    if !after_open {
                        hugged.push(Span::Text(text));
                        continue;
                    }
                    let inner = text.trim_start();
                    if inner.len() < text.len() {
                        hugged.insert(hugged.len() - 1, Span::Text(" ".to_owned()));
                    }
                    if !inner.is_empty() {
                        hugged.push(Span::Text(inner.to_owned()));
                    }
                }
                Span::Code(code) if self.closes(code) => {
                    let mut space = false;
                    if let Some(Span::Text(text)) = hugged.last_mut() {
                        let length = text.trim_end().len();
                        space = length < text.len();
                        text.truncate(length);
                    }
                    let is_hollow = matches!(hugged.last(), Some(Span::Code(open)) if self.pairs.contains(&(*open, code)));
                    if is_hollow {
                        hugged.pop();
                    } else {
                        hugged.push(Span::Code(code));
                    }
                    if space {
                        hugged.push(Span::Text(" ".to_owned()));
                    }
                }
                other => hugged.push(other),
            }
        }
        hugged
    }

    /// The translated paragraph as in the file; within its codes `edits` have been made.
    pub(super) fn written(
        &self,
        source: &str,
        spans: &[Span],
        edits: &Edits,
        spelling: &mut dyn Spelling,
    ) -> String {
        let mut written = String::new();
        for (index, span) in spans.iter().enumerate() {
            match span {
                Span::Text(text) => {
                    let next = spans
                        .get(index + 1)
                        .and_then(|next| self.first(source, next));
                    spelling.text(text, next, &mut written);
                }
                Span::Code(number) => {
                    let code = edits.slice(source, self.codes[*number].clone());
                    spelling.code(*number, &code, &mut written);
                }
                Span::Source(view) => spelling.source(&self.kept(source, view), &mut written),
            }
        }
        written
    }

    /// The first character that a span is written with.
    fn first(&self, source: &str, span: &Span) -> Option<char> {
        match span {
            Span::Text(text) => text.chars().next(),
            Span::Code(number) => source[self.codes[*number].clone()].chars().next(),
            Span::Source(view) => self.kept(source, view).chars().next(),
        }
    }

    /// The bytes that spell a part of the view.
    fn kept(&self, source: &str, view: &Range<usize>) -> String {
        let mut kept = String::new();
        for text in &self.texts {
            let shared = text.view.start.max(view.start)..text.view.end.min(view.end);
            let is_inside = if text.view.is_empty() {
                view.start < shared.start && shared.start < view.end
            } else {
                shared.start < shared.end
            };
            if !is_inside {
                continue;
            }
            let is_itself = text.view.len() == text.source.len();
            if is_itself {
                let offset = shared.start - text.view.start;
                let start = text.source.start + offset;
                kept += &source[start..start + shared.len()];
            } else if text.source.is_empty() {
                // A space that the file has not.
                kept.push(' ');
            } else if shared.start == text.view.start {
                kept += &source[text.source.clone()];
            }
        }
        kept
    }
}
