//! Units: runs of inline content of formats whose files cannot be shown as they are.
//!
//! Such a document's [`Document::original`] is a view of it: the text of its units one after the other, each code (a tag, a
//! field, a change of the font) spelt as a short tag. A format collects a unit with a [`Draft`] and writes it from its
//! translated [`Part`]s, in which every code of the unit occurs exactly once, well nested.

mod places;

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use places::Place;

use super::{
    document::{Document, Markup, Sentence},
    inline::Run,
    placeholder::Placeholder,
};

/// A run of inline content that the view shows.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// Bytes of the view.
    pub(super) view: Range<usize>,
    /// Its codes, in the order in which they were drafted.
    pub(super) codes: Vec<Code>,
    /// Its sentences; none where it holds no letter.
    pub(super) sentences: Range<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Code {
    /// Bytes of the view.
    view: Range<usize>,
    /// The other code of a pair.
    partner: Option<usize>,
    /// Whether it is the closing one of a pair.
    closes: bool,
    role: Role,
}

/// Whether translators see a code, and where it goes if they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Shown,
    /// Goes before the next code that is seen, or to the end of the sentence.
    Hidden,
    /// Goes to the place that corresponds to its own: where text `begins`, or else where it ends.
    Placed {
        begins: bool,
    },
}

impl Unit {
    /// Where the view shows a code.
    pub(super) fn view_of(&self, code: usize) -> Range<usize> {
        self.codes[code].view.clone()
    }
}

/// A piece of a translated unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// The code of this number.
    Code(usize),
}

/// A piece of a written paragraph; text that no translation replaces is named by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    /// Text of a translation.
    Text(String),
    /// Bytes of the unit in the view, from the unit's first one on; no code is in them.
    Source(Range<usize>),
    Code(usize),
}

/// A unit under construction.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pieces: Vec<Piece>,
    /// Bytes of the view.
    length: usize,
    num_codes: usize,
    holds_letter: bool,
}

#[derive(Debug)]
struct Piece {
    kind: Kind,
    /// The text of the view.
    shown: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Open,
    /// Closes the code of this number.
    Close(usize),
    Point,
    Space,
    LineBreak,
    Opaque,
    Hidden,
    Placed {
        begins: bool,
    },
}

impl Draft {
    /// Characters as a reader sees them.
    pub(crate) fn text(&mut self, text: &str) {
        self.length += text.len();
        self.holds_letter |= text.contains(char::is_alphabetic);
        match self.pieces.last_mut() {
            Some(last) if last.kind == Kind::Text => last.shown.push_str(text),
            _ => self.pieces.push(Piece {
                kind: Kind::Text,
                shown: text.to_owned(),
            }),
        }
    }

    /// The beginning of what `name` marks in the text; its code's number.
    pub(crate) fn open(&mut self, name: &str) -> usize {
        self.code(Kind::Open, format!("<{name}>"))
    }

    /// The end of what the code `open` began; its code's number.
    pub(crate) fn close(&mut self, open: usize, name: &str) -> usize {
        self.code(Kind::Close(open), format!("</{name}>"))
    }

    /// A code that shows a space, which a translation may have or not; the code itself goes
    /// where a hidden one does.
    pub(crate) fn space(&mut self, name: &str) -> usize {
        self.code(Kind::Space, format!("<{name}/>"))
    }

    /// A code without a partner that shows nothing.
    pub(crate) fn point(&mut self, name: &str) -> usize {
        self.code(Kind::Point, format!("<{name}/>"))
    }

    /// A line break; several in a row end a sentence.
    pub(crate) fn line_break(&mut self) -> usize {
        self.code(Kind::LineBreak, "<br/>".to_owned())
    }

    /// A code that stands for words and is not translated; `shown` is what a reader sees.
    pub(crate) fn opaque(&mut self, name: &str, shown: &str) -> usize {
        let shown = shown.replace('&', "&amp;").replace('<', "&lt;");
        self.code(Kind::Opaque, format!("<{name}>{shown}</{name}>"))
    }

    /// A code that translators of the sentence need not see: it goes before the next one that is seen, or to the end
    /// of the sentence.
    pub(crate) fn hidden(&mut self, name: &str) -> usize {
        self.code(Kind::Hidden, format!("<{name}/>"))
    }

    /// A code that translators need not see and that marks where text begins, or else where it ends: it goes to the place
    /// in the translation that corresponds to its own.
    pub(crate) fn placed(&mut self, name: &str, begins: bool) -> usize {
        self.code(Kind::Placed { begins }, format!("<{name}/>"))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// How many bytes of the view it takes.
    pub(crate) fn view_len(&self) -> usize {
        self.length
    }

    /// All of it as the view will show it.
    pub(crate) fn shown(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.shown.as_str())
            .collect()
    }

    /// Its texts, and its codes by their numbers, in order.
    pub(crate) fn spelt(&self) -> impl Iterator<Item = (&str, Option<usize>)> {
        let mut codes = 0..self.num_codes;
        self.pieces.iter().map(move |piece| match piece.kind {
            Kind::Text => (piece.shown.as_str(), None),
            _ => ("", codes.next()),
        })
    }

    /// Whether there is anything to translate.
    pub(crate) fn holds_letter(&self) -> bool {
        self.holds_letter
    }

    fn code(&mut self, kind: Kind, shown: String) -> usize {
        self.length += shown.len();
        self.pieces.push(Piece { kind, shown });
        self.num_codes += 1;
        self.num_codes - 1
    }

    /// Appends the unit to the view; its sentences are still to be found in the run.
    pub(super) fn finish(self, view: &mut String) -> (Unit, Run) {
        let start = view.len();
        let (mut run, mut codes) = (Run::default(), Vec::<Code>::with_capacity(self.num_codes));
        for Piece { kind, shown } in self.pieces {
            let range = view.len()..view.len() + shown.len();
            view.push_str(&shown);
            let number = codes.len();
            match kind {
                Kind::Text => {
                    run.text(&shown, range.start);
                    continue;
                }
                Kind::Open => run.open(&number.to_string(), range.clone()),
                Kind::Close(open) => {
                    run.close(&open.to_string(), range.clone());
                    codes[open].partner = Some(number);
                }
                Kind::Point => run.tag(range.clone()),
                Kind::LineBreak => run.line_break(range.clone()),
                Kind::Opaque => run.opaque(range.clone()),
                Kind::Space => run.decoded(" ", range.clone()),
                Kind::Hidden | Kind::Placed { .. } => {}
            }
            let partner = match kind {
                Kind::Close(open) => Some(open),
                _ => None,
            };
            codes.push(Code {
                view: range,
                partner,
                closes: partner.is_some(),
                role: match kind {
                    Kind::Hidden | Kind::Space => Role::Hidden,
                    Kind::Placed { begins } => Role::Placed { begins },
                    _ => Role::Shown,
                },
            });
        }
        let unit = Unit {
            view: start..view.len(),
            codes,
            sentences: 0..0,
        };
        view.push('\n');
        (unit, run)
    }
}

/// The translations of a document's sentences, to be written.
#[derive(Debug)]
pub(crate) struct Translation<'t> {
    pub(super) document: &'t Document,
    /// In the order of the sentences; where it is shorter, or `None`, there is no translation.
    pub(super) sentences: &'t [Option<String>],
    /// Language of the translation; `None` if it stays, as in a pseudo-translation.
    pub(super) language: Option<&'t str>,
}

impl Translation<'_> {
    /// A unit with its translated sentences; `None` if there is nothing to write.
    ///
    /// A translation that is its source is written only if there is a language and the file has a place of its own for
    /// it, which says then that both are the same.
    pub(super) fn parts(&self, unit: usize) -> Option<Vec<Part>> {
        let start = self.document.units[unit].view.start;
        let view = &self.document.original;
        let mut parts = Vec::new();
        for span in self.spans(unit)? {
            let text = match span {
                Span::Code(number) => {
                    parts.push(Part::Code(number));
                    continue;
                }
                Span::Text(text) => text,
                Span::Source(range) => view[range.start + start..range.end + start].to_owned(),
            };
            match parts.last_mut() {
                Some(Part::Text(last)) => last.push_str(&text),
                _ => parts.push(Part::Text(text)),
            }
        }
        Some(parts)
    }

    /// The pieces of a written unit, with the places of text that stays.
    pub(super) fn spans(&self, unit: usize) -> Option<Vec<Span>> {
        let unit = &self.document.units[unit];
        let mut is_translated = false;
        let writes_same = self.language.is_some() && self.document.format.writes_same();
        let mut composer = Composer::new(unit, &self.document.original);
        let mut place = unit.view.start;
        for index in unit.sentences.clone() {
            let sentence = &self.document.sentences[index];
            let Some(Some(translation)) = self.sentences.get(index) else {
                continue;
            };
            if sentence.known_text() == Some(translation.as_str()) {
                // It is written already.
                continue;
            }
            let is_same = *translation == sentence.text;
            is_translated |= !is_same || writes_same;
            if is_same {
                continue;
            }
            composer.source(place..sentence.range.start);
            composer.sentence(sentence, translation);
            place = sentence.range.end;
        }
        composer.source(place..unit.view.end);
        is_translated.then(|| composer.balanced())
    }

    /// The translations that are not their source: what is equal stays as its author spelt it.
    pub(super) fn changed(&self) -> Vec<Option<String>> {
        let sentences = self.document.sentences.iter().zip(self.sentences);
        let changed = sentences.map(|(sentence, translation)| {
            translation
                .clone()
                .filter(|translation| *translation != sentence.text)
        });
        changed.collect()
    }
}

/// Puts a translated unit together.
struct Composer<'d> {
    unit: &'d Unit,
    view: &'d str,
    spans: Vec<Span>,
    written: Vec<bool>,
}

impl<'d> Composer<'d> {
    fn new(unit: &'d Unit, view: &'d str) -> Self {
        Self {
            unit,
            view,
            spans: Vec::new(),
            written: vec![false; unit.codes.len()],
        }
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(Span::Text(last)) => last.push_str(text),
            _ => self.spans.push(Span::Text(text.to_owned())),
        }
    }

    /// Text of the view between codes.
    fn kept(&mut self, range: Range<usize>) {
        let start = self.unit.view.start;
        if !range.is_empty() {
            let range = range.start - start..range.end - start;
            self.spans.push(Span::Source(range));
        }
    }

    /// Each code once: a translation that repeats one does not.
    fn code(&mut self, number: usize) {
        if !std::mem::replace(&mut self.written[number], true) {
            self.spans.push(Span::Code(number));
        }
    }

    /// The numbers of the codes in a part of the view.
    fn codes(&self, range: &Range<usize>) -> Range<usize> {
        let codes = &self.unit.codes;
        let first = codes.partition_point(|code| code.view.start < range.start);
        let end = codes.partition_point(|code| code.view.start < range.end);
        first..end
    }

    /// A part of the view as it is.
    fn source(&mut self, range: Range<usize>) {
        let unit = self.unit;
        let mut place = range.start;
        for number in self.codes(&range) {
            let code = &unit.codes[number].view;
            self.kept(place..code.start);
            self.code(number);
            place = code.end;
        }
        self.kept(place..range.end);
    }

    /// Text that no translator sees stays before its code.
    fn shown_source(&mut self, sentence: &Sentence, range: Range<usize>) {
        for number in self.codes(&(sentence.range.start..range.start)) {
            if self.unit.codes[number].role == Role::Hidden {
                self.code(number);
            }
        }
        self.source(range);
    }

    /// Text of a translation with the codes that have their places in it.
    fn placed_text(
        &mut self,
        translation: &str,
        range: Range<usize>,
        places: &mut Peekable<IntoIter<Place>>,
    ) {
        let mut start = range.start;
        while let Some(Place { at, code }) = places.next_if(|place| place.at <= range.end) {
            // A place in text that is written already is here.
            let end = at.max(start);
            self.text(&translation[start..end]);
            self.code(code);
            start = end;
        }
        self.text(&translation[start..range.end]);
    }

    fn sentence(&mut self, sentence: &Sentence, translation: &str) {
        let translation = translation.trim();
        let numbers = self.codes(&sentence.range);
        let unit = self.unit;
        let places = places::places(
            sentence,
            translation,
            self.view,
            &unit.codes,
            numbers.clone(),
        );
        let mut places = places.into_iter().peekable();
        let (mut open, mut text_start) = (Vec::new(), 0);
        for (place, character) in translation.char_indices() {
            let Some(placeholder) = Placeholder::from_char(character) else {
                continue;
            };
            self.placed_text(translation, text_start..place, &mut places);
            text_start = place + character.len_utf8();
            match placeholder {
                Placeholder::Open(number) | Placeholder::Point(number) => {
                    match sentence.markup.get(number) {
                        Some(Markup::Pair { open: begin, close }) => {
                            self.shown_source(sentence, begin.clone());
                            open.push(close.clone());
                        }
                        Some(Markup::Point { range }) => {
                            self.shown_source(sentence, range.clone());
                        }
                        None => {}
                    }
                }
                Placeholder::Close => {
                    if let Some(close) = open.pop() {
                        self.source(close);
                    }
                }
            }
        }
        self.placed_text(translation, text_start..translation.len(), &mut places);
        while let Some(close) = open.pop() {
            self.source(close);
        }
        // What the translation has lost, and what was never shown.
        for number in numbers {
            self.code(number);
        }
    }

    /// Pairs that cross each other are closed later: the inner one first.
    fn balanced(self) -> Vec<Span> {
        let codes = &self.unit.codes;
        let mut spans = Vec::with_capacity(self.spans.len());
        let (mut open, mut due) = (Vec::new(), vec![false; codes.len()]);
        for span in self.spans {
            match span {
                Span::Code(number) if codes[number].closes => due[number] = true,
                Span::Code(number) if codes[number].partner.is_some() => {
                    open.push(number);
                    spans.push(span);
                }
                _ => spans.push(span),
            }
            while let Some(close) = open.last().and_then(|&open| codes[open].partner) {
                if !due[close] {
                    break;
                }
                open.pop();
                spans.push(Span::Code(close));
            }
        }
        spans
    }
}
