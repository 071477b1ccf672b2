//! Lays translations back over the cues of their sentences.

use std::ops::Range;

use super::cues::{Block, Chain, Token};
use super::layout::{Glyph, Laid, SubtitleLayout};
use super::{CueFormat, newline};
use crate::builder::Failure;
use crate::document::{Document, Markup, Sentence};
use crate::formats::edits::Edits;
use crate::formats::{Encoding, WriteBack};
use crate::placeholder::{Placeholder, folded};
use crate::reading::BYTE_ORDER_MARK;
use crate::view::Translation;

/// A file of subtitles.
#[derive(Debug)]
pub(super) struct Subtitles {
    pub encoding: Encoding,
    pub format: &'static dyn CueFormat,
    /// Paragraphs of the document with the blocks that they come from.
    pub chains: Vec<(usize, Chain)>,
}

impl WriteBack for Subtitles {
    fn write(&self, document: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let sentences = translation.changed();
        let mut edits = Edits::default();
        for (paragraph, chain) in &self.chains {
            let range = document.paragraphs[*paragraph].sentences.clone();
            if range
                .clone()
                .any(|index| matches!(sentences.get(index), Some(Some(_))))
            {
                let mut page = Page::new(document, chain, self.format);
                page.fill(range, &sentences);
                page.write(&mut edits);
            }
        }
        let text = edits.applied(&document.original);
        match self.encoding.encode(&text) {
            // Nothing in the file says its encoding, and players know this one by its mark.
            Err(Failure::Unencodable { .. }) => Ok(format!("{BYTE_ORDER_MARK}{text}").into_bytes()),
            written => written,
        }
    }
}

/// The blocks of a chain as they are filled again.
struct Page<'d> {
    document: &'d Document,
    layout: SubtitleLayout,
    chain: &'d Chain,
    format: &'static dyn CueFormat,
    /// The new content of each block.
    filled: Vec<Vec<Glyph>>,
    is_changed: Vec<bool>,
}

impl<'d> Page<'d> {
    fn new(document: &'d Document, chain: &'d Chain, format: &'static dyn CueFormat) -> Self {
        Self {
            document,
            layout: document.subtitle_layout,
            chain,
            format,
            filled: vec![Vec::new(); chain.blocks.len()],
            is_changed: vec![false; chain.blocks.len()],
        }
    }

    fn fill(&mut self, sentences: Range<usize>, translations: &[Option<String>]) {
        let mut place = 0;
        for index in sentences {
            let sentence = &self.document.sentences[index];
            let Some(Some(translation)) = translations.get(index) else {
                continue;
            };
            self.keep(place..sentence.range.start);
            self.lay(sentence, translation);
            place = sentence.range.end;
        }
        self.keep(place..usize::MAX);
    }

    /// Keeps a part of the file.
    fn keep(&mut self, part: Range<usize>) {
        for (block, filled) in self.chain.blocks.iter().zip(&mut self.filled) {
            for (index, (range, token)) in block.tokens.iter().enumerate() {
                let kept = range.start.max(part.start)..range.end.min(part.end);
                if kept.start < kept.end {
                    self::keep(&self.document.original, block, index, token, kept, filled);
                }
            }
        }
    }

    fn lay(&mut self, sentence: &Sentence, translation: &str) {
        let glyphs = self.glyphs(sentence, translation);
        let text = &self.document.original;
        let part = |block: &Block| visible(text, block, &sentence.range);
        let touched: Vec<usize> = (0..self.chain.blocks.len())
            .filter(|&index| part(&self.chain.blocks[index]) > 0)
            .collect();
        let shares: Vec<usize> = touched
            .iter()
            .map(|&index| part(&self.chain.blocks[index]))
            .collect();
        let others = |index: usize| {
            let block = &self.chain.blocks[index];
            let length = |range: &Range<usize>| visible(text, block, range);
            let before = self.filled[index]
                .iter()
                .filter(|glyph| matches!(glyph, Glyph::Char(..)));
            before.count() + length(&(sentence.range.end..usize::MAX))
        };
        let held: Vec<usize> = touched.iter().map(|&index| others(index)).collect();
        let parts = match touched.as_slice() {
            [] => return,
            [_] => std::iter::once(0..glyphs.len()).collect(),
            _ => Laid::new(&glyphs).divided(&shares, &held, self.layout),
        };
        let parts = Self::parts(&touched, &glyphs, parts);
        // Pairs that are open where a cue ends continue in the next one.
        let mut open: Vec<Glyph> = Vec::new();
        for (&index, part) in touched.iter().zip(parts) {
            self.is_changed[index] = true;
            let filled = &mut self.filled[index];
            let is_empty = part.is_empty();
            if !is_empty {
                filled.extend(open.iter().cloned());
            }
            for glyph in part {
                match &glyph {
                    Glyph::Open(..) => open.push(glyph.clone()),
                    Glyph::Close => {
                        open.pop();
                    }
                    _ => {}
                }
                filled.push(glyph);
            }
            if !is_empty {
                filled.extend(open.iter().map(|_| Glyph::Close));
            }
        }
    }

    /// A translation with the tags of its sentence, each once.
    fn glyphs(&self, sentence: &Sentence, translation: &str) -> Vec<Glyph> {
        let original = &self.document.original;
        let markup = |number: usize| sentence.markup.get(number);
        let translation = folded(translation);
        let (mut glyphs, mut written) = (Vec::new(), String::new());
        let (mut used, mut depth) = (vec![false; sentence.markup.len()], 0);
        for (place, character) in translation.char_indices() {
            let following = &translation[place + character.len_utf8()..];
            match Placeholder::from_char(character) {
                None => {
                    let spelt = self.format.spelt(character, &written, following);
                    written += &spelt;
                    glyphs.push(Glyph::Char(character, spelt));
                }
                Some(Placeholder::Close) if depth > 0 => {
                    depth -= 1;
                    glyphs.push(Glyph::Close);
                }
                Some(Placeholder::Close) => {}
                Some(Placeholder::Open(number) | Placeholder::Point(number)) => {
                    if used.get(number) != Some(&false) {
                        continue;
                    }
                    used[number] = true;
                    written.clear();
                    match markup(number) {
                        Some(Markup::Pair { open, close }) => {
                            depth += 1;
                            let tag = |range: &Range<usize>| original[range.clone()].to_owned();
                            glyphs.push(Glyph::Open(tag(open), tag(close)));
                        }
                        Some(Markup::Point { range }) => glyphs.push(self.mark(range)),
                        None => {}
                    }
                }
            }
        }
        glyphs.extend((0..depth).map(|_| Glyph::Close));
        // What the translation has lost.
        for (number, _) in used.iter().enumerate().filter(|(_, is_used)| !**is_used) {
            match markup(number) {
                Some(Markup::Pair { open, close }) => {
                    let tags = format!("{}{}", &original[open.clone()], &original[close.clone()]);
                    glyphs.push(Glyph::Mark(tags, None));
                }
                Some(Markup::Point { range }) => glyphs.push(self.mark(range)),
                None => {}
            }
        }
        glyphs
    }

    /// A tag of the file, in its block.
    fn mark(&self, range: &Range<usize>) -> Glyph {
        let mut blocks = self.chain.blocks.iter();
        let block = blocks.position(|block| range.start < block.range.end);
        Glyph::Mark(self.document.original[range.clone()].to_owned(), block)
    }

    /// The parts of a text, one for each of the blocks touched. What belongs to a block goes to its beginning or end where the
    /// translation has it earlier or later.
    fn parts(touched: &[usize], glyphs: &[Glyph], parts: Vec<Range<usize>>) -> Vec<Vec<Glyph>> {
        let home = |glyph: &Glyph| match glyph {
            Glyph::Mark(_, block) => touched.iter().position(|touched| Some(*touched) == *block),
            _ => None,
        };
        let mut found: Vec<Vec<Glyph>> = vec![Vec::new(); parts.len()];
        let mut early: Vec<Vec<Glyph>> = vec![Vec::new(); parts.len()];
        let mut late: Vec<Vec<Glyph>> = vec![Vec::new(); parts.len()];
        for (place, part) in parts.into_iter().enumerate() {
            for glyph in &glyphs[part] {
                match home(glyph) {
                    Some(home) if home > place => early[home].push(glyph.clone()),
                    Some(home) if home < place => late[home].push(glyph.clone()),
                    _ => found[place].push(glyph.clone()),
                }
            }
        }
        let all = early.into_iter().zip(found).zip(late);
        all.map(|((early, found), late)| [early, found, late].concat())
            .collect()
    }

    fn write(self, edits: &mut Edits) {
        let newline = newline(&self.document.original);
        let line_break = match self.format.line_break() {
            "\n" => newline,
            other => other,
        };
        let blocks = self
            .chain
            .blocks
            .iter()
            .zip(&self.filled)
            .zip(&self.is_changed);
        for ((block, filled), _) in blocks.filter(|(_, is_changed)| **is_changed) {
            let lines = Laid::new(filled).lines(self.layout);
            let mut open: Vec<&str> = Vec::new();
            let lines = lines
                .into_iter()
                .map(|line| written(&filled[line], &mut open));
            let lines: Vec<String> = lines.collect();
            edits.replace(block.range.clone(), lines.join(line_break));
        }
    }
}

/// A line without the space at its ends.
fn written<'g>(line: &'g [Glyph], open: &mut Vec<&'g str>) -> String {
    let is_space = |glyph: &Glyph| matches!(glyph, Glyph::Char(' ', _));
    let (first, last) = (
        line.iter()
            .position(|glyph| !is_space(glyph))
            .unwrap_or(line.len()),
        line.iter()
            .rposition(|glyph| !is_space(glyph))
            .map_or(0, |last| last + 1),
    );
    let mut text = String::new();
    for glyph in line.get(first..last).unwrap_or_default() {
        match glyph {
            Glyph::Char(_, spelt) | Glyph::Mark(spelt, _) => text += spelt,
            Glyph::Open(tag, close) => {
                text += tag;
                open.push(close);
            }
            Glyph::Close => text += open.pop().unwrap_or_default(),
        }
    }
    text
}

/// Adds what is in `kept` of a token.
fn keep(
    original: &str,
    block: &Block,
    index: usize,
    token: &Token,
    kept: Range<usize>,
    filled: &mut Vec<Glyph>,
) {
    let raw = &original[kept];
    match token {
        Token::Text => filled.extend(raw.chars().map(|c| Glyph::Char(c, c.to_string()))),
        Token::Decoded(shown) => {
            let mut spelt = raw.to_owned();
            for character in shown.chars() {
                filled.push(Glyph::Char(character, std::mem::take(&mut spelt)));
            }
        }
        Token::LineBreak if block.breaks_word(original, index) => {}
        Token::LineBreak => filled.push(Glyph::Char(' ', " ".to_owned())),
        Token::Open(_) | Token::Close(_) | Token::Tag => {
            filled.push(Glyph::Mark(raw.to_owned(), None));
        }
    }
}

/// How many characters of a block a reader sees in a part of the file.
fn visible(text: &str, block: &Block, part: &Range<usize>) -> usize {
    let length = |(range, token): &(Range<usize>, Token)| {
        let seen = range.start.max(part.start)..range.end.min(part.end);
        match token {
            Token::Text if seen.start < seen.end => text[seen].chars().count(),
            Token::Decoded(shown) if seen.start < seen.end => shown.chars().count(),
            _ => 0,
        }
    };
    block.tokens.iter().map(length).sum()
}
