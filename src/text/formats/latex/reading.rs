//! Finds the paragraphs of a LaTeX file.

use std::ops::Range;

use super::commands::{Command, Environment, command, environment};
use super::symbols::{accented, is_accent, symbol};
use crate::text::builder::{Builder, Context, Failure, MAX_DEPTH};
use crate::text::document::ParagraphKind;
use crate::text::formats::marked::{Collected, Place};

pub(super) struct Reader<'s, 'b> {
    source: &'s str,
    builder: &'b mut Builder,
    pub places: Vec<Place>,
    run: Collected,
    /// Footnotes of the paragraph: paragraphs of their own that follow it.
    notes: Vec<Range<usize>>,
    /// How many paragraphs have ended: a group that began in another one is no pair.
    paragraph: usize,
    /// The environments that are open.
    environments: Vec<Environment>,
    depth: usize,
}

impl<'s, 'b> Reader<'s, 'b> {
    pub fn new(source: &'s str, builder: &'b mut Builder) -> Self {
        Self {
            source,
            builder,
            places: Vec::new(),
            run: Collected::default(),
            notes: Vec::new(),
            paragraph: 0,
            environments: Vec::new(),
            depth: 0,
        }
    }

    /// Reads a file, or a part that another file includes.
    pub fn document(&mut self, start: usize) -> Result<(), Failure> {
        const BEGIN: &str = "\\begin{document}";
        let Some(begin) = self.find(BEGIN, start) else {
            if self.find("\\documentclass", start).is_some() {
                return Ok(());
            }
            return self.content(start..self.source.len());
        };
        for name in ["\\title", "\\subtitle"] {
            if let Some(title) = self.find(name, start).filter(|&title| title < begin) {
                let after = self.after_options(title + name.len());
                if let Some(argument) = self.group(after, b'{', b'}') {
                    self.nested(
                        argument.start + 1..argument.end - 1,
                        ParagraphKind::Title,
                        None,
                    )?;
                }
            }
        }
        let body = begin + BEGIN.len();
        self.content(body..self.source.len())
    }

    /// Where a command stands outside of comments.
    fn find(&self, command: &str, from: usize) -> Option<usize> {
        let goes_on = |place: usize| {
            command.ends_with(|c: char| c.is_ascii_alphabetic())
                && self.source[place + command.len()..]
                    .starts_with(|c: char| c.is_ascii_alphabetic())
        };
        self.source[from..]
            .match_indices(command)
            .map(|(place, _)| from + place)
            .find(|&place| !self.is_comment(place) && !goes_on(place))
    }

    fn is_comment(&self, place: usize) -> bool {
        let line = &self.source[..place];
        let line = &line[line.rfind('\n').map_or(0, |end| end + 1)..];
        line.match_indices('%')
            .any(|(percent, _)| !line[..percent].ends_with('\\'))
    }

    /// Paragraphs in a part of the file.
    fn content(&mut self, part: Range<usize>) -> Result<(), Failure> {
        self.inline(part)?;
        self.boundary()
    }

    fn inline(&mut self, part: Range<usize>) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH / 4 {
            return Err(Failure::TooDeep { offset: part.start });
        }
        let mut place = part.start;
        while place < part.end {
            place = self.step(place, part.end)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// A part that is a paragraph of its own.
    fn nested(
        &mut self,
        part: Range<usize>,
        kind: ParagraphKind,
        level: Option<u8>,
    ) -> Result<(), Failure> {
        let run = std::mem::take(&mut self.run);
        let notes = std::mem::take(&mut self.notes);
        let paragraph = self.paragraph;
        let environments = std::mem::take(&mut self.environments);
        self.inline(part)?;
        self.flush(Context {
            kind,
            level,
            ..Context::default()
        })?;
        (self.run, self.notes) = (run, notes);
        (self.paragraph, self.environments) = (paragraph, environments);
        Ok(())
    }

    fn boundary(&mut self) -> Result<(), Failure> {
        let kind = match self.environments.last() {
            Some(Environment::Table) => ParagraphKind::TableCell,
            Some(Environment::List) => ParagraphKind::ListItem,
            _ => ParagraphKind::Text,
        };
        self.flush(Context {
            kind,
            ..Context::default()
        })
    }

    /// Makes a paragraph of what has been collected.
    fn flush(&mut self, context: Context) -> Result<(), Failure> {
        let run = std::mem::take(&mut self.run);
        self.places.extend(run.unit(self.builder, context));
        self.paragraph += 1;
        for note in std::mem::take(&mut self.notes) {
            self.nested(note, ParagraphKind::Text, None)?;
        }
        Ok(())
    }

    /// Reads what begins at a byte, and says where to go on.
    fn step(&mut self, place: usize, end: usize) -> Result<usize, Failure> {
        let source = self.source;
        let rest = &source[place..end];
        let decoded = |this: &mut Self, shown: &str, length: usize| {
            this.run.decoded(shown, place..place + length);
            Ok(place + length)
        };
        match rest.as_bytes()[0] {
            b'\\' => return self.command(place, end),
            b'%' => return self.comment(place, end),
            b'\n' | b'\r' if self.is_blank_line(place, end) => {
                self.boundary()?;
                return Ok(place + 1);
            }
            b'{' if rest.starts_with("{}") => return decoded(self, "", 2),
            b'{' if matches!(rest.get(..3), Some("{[}" | "{]}" | "{*}")) => {
                return decoded(self, &rest[1..2], 3);
            }
            b'{' => {
                if let Some(group) = self
                    .group(place, b'{', b'}')
                    .filter(|group| group.end <= end)
                {
                    let declarations = self.declarations(group.start + 1, group.end - 1);
                    return self.pair("group", group.start..declarations, group.end - 1..group.end);
                }
                self.run.point("brace", place..place + 1);
            }
            b'}' => {
                self.run.point("brace", place..place + 1);
            }
            b'$' => {
                let length = math_length(rest);
                if length > 0 {
                    self.run
                        .opaque("math", &rest[..length], place..place + length);
                    return Ok(place + length);
                }
                self.run.text(source, place..place + 1);
            }
            b'&' => self.boundary()?,
            b'~' => return decoded(self, "\u{A0}", 1),
            b'`' if rest.starts_with("``") => return decoded(self, "“", 2),
            b'`' => return decoded(self, "‘", 1),
            b'\'' if rest.starts_with("''") => return decoded(self, "”", 2),
            b'-' if rest.starts_with("---") => return decoded(self, "—", 3),
            b'-' if rest.starts_with("--") => return decoded(self, "–", 2),
            _ => {
                let special = |c: char| "\\%\n\r{}$&~`'-".contains(c);
                let first = rest.chars().next().map_or(1, char::len_utf8);
                let length = rest[first..]
                    .find(special)
                    .map_or(rest.len(), |found| found + first);
                self.run.text(source, place..place + length);
                return Ok(place + length);
            }
        }
        Ok(place + 1)
    }

    /// A comment goes up to the first word of the next line.
    fn comment(&mut self, place: usize, end: usize) -> Result<usize, Failure> {
        let rest = &self.source[place..end];
        let line = rest.find('\n').map_or(rest.len(), |found| found + 1);
        let next = rest[line..].trim_start_matches([' ', '\t']);
        let range = place..end - next.len();
        if !self.run.is_empty() {
            self.run.hidden("comment", range.clone());
        }
        if next.starts_with(['\n', '\r']) {
            // The next line is blank.
            self.boundary()?;
        }
        Ok(range.end)
    }

    fn is_blank_line(&self, place: usize, end: usize) -> bool {
        let rest = self.source[place..end]
            .strip_prefix('\r')
            .unwrap_or(&self.source[place..end]);
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        rest.trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r'])
    }

    /// Words between two codes.
    fn pair(
        &mut self,
        name: &str,
        open: Range<usize>,
        close: Range<usize>,
    ) -> Result<usize, Failure> {
        let paragraph = self.paragraph;
        let begun = self.run.open(name, open.clone());
        self.inline(open.end..close.start)?;
        if self.paragraph == paragraph {
            self.run.close(begun, name, close.clone());
        } else if !self.run.is_empty() {
            self.run.point(name, close.clone());
        }
        Ok(close.end)
    }

    /// The end of the commands at the beginning of a group that tell what its words look like.
    fn declarations(&self, start: usize, end: usize) -> usize {
        let mut place = start;
        while self.source[place..end].starts_with('\\') {
            let name = self.name(place);
            if command(&self.source[place + 1..name]) != Command::Point {
                break;
            }
            let after = self.arguments(name, end);
            place = after + spaces(&self.source[after..end]);
        }
        place
    }

    /// The end of a command's name.
    fn name(&self, place: usize) -> usize {
        let rest = &self.source[place + 1..];
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let length = match length {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        place + 1 + length
    }

    /// A group with its brackets.
    fn group(&self, place: usize, open: u8, close: u8) -> Option<Range<usize>> {
        let bytes = self.source.as_bytes();
        if bytes.get(place) != Some(&open) {
            return None;
        }
        let (mut depth, mut braces, mut at) = (0_usize, 0_usize, place);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'%' => {
                    at = self.source[at..]
                        .find('\n')
                        .map_or(bytes.len(), |end| at + end);
                }
                b'{' if open != b'{' => braces += 1,
                b'}' if open != b'{' => {
                    if braces == 0 {
                        return None;
                    }
                    braces -= 1;
                }
                _ if byte == open && braces == 0 => depth += 1,
                _ if byte == close && braces == 0 => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(place..at + 1);
                    }
                }
                // No argument in brackets is that long.
                b'\n' if open == b'[' && at > place + 2_000 => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The place after a star and what stands in brackets.
    fn after_options(&self, place: usize) -> usize {
        let mut at = place;
        if self.source[at..].starts_with('*') {
            at += 1;
        }
        loop {
            let next = at + spaces(&self.source[at..]);
            match self.group(next, b'[', b']') {
                Some(group) => at = group.end,
                None if self.source[next..].starts_with('{') => return next,
                None => return at,
            }
        }
    }

    /// The end of all arguments that stand right behind a name.
    fn arguments(&self, place: usize, end: usize) -> usize {
        let mut at = place;
        if self.source[at..end].starts_with('*') {
            at += 1;
        }
        loop {
            let found = self
                .group(at, b'[', b']')
                .or_else(|| self.group(at, b'{', b'}'));
            match found {
                Some(group) if group.end <= end => at = group.end,
                _ => return at,
            }
        }
    }

    fn command(&mut self, place: usize, end: usize) -> Result<usize, Failure> {
        let source = self.source;
        let after = self.name(place).min(end);
        let name = &source[place + 1..after];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.sign(place, after, end);
        }
        if let Some(shown) = symbol(name) {
            let range = place..self.after_name(after, end);
            self.run.decoded(shown, range.clone());
            return Ok(range.end);
        }
        if name.len() == 1
            && is_accent(name.chars().next().unwrap_or_default())
            && let Some(next) = self.accent(place, after, end)
        {
            return Ok(next);
        }
        match (name, command(name)) {
            ("begin", _) => self.begin(place, after, end),
            // What follows is no part of the document.
            ("end", _) if source[after..].starts_with("{document}") => Ok(end),
            ("end", _) => {
                self.boundary()?;
                self.environments.pop();
                Ok(self
                    .group(after, b'{', b'}')
                    .map_or(after, |group| group.end))
            }
            ("char", _) if source[after..end].starts_with("34{}") => {
                self.run.decoded("\"", place..after + 4);
                Ok(after + 4)
            }
            (_, Command::Heading(level)) => {
                self.block(after, end, ParagraphKind::Heading, Some(level))
            }
            (_, Command::Block) => {
                // The first argument of this one is no text.
                let skipped = if name == "captionof" {
                    self.group(after, b'{', b'}').filter(|it| it.end <= end)
                } else {
                    None
                };
                self.block(
                    skipped.map_or(after, |group| group.end),
                    end,
                    ParagraphKind::Text,
                    None,
                )
            }
            (_, Command::Anchor) => Ok(self.anchor(place, after, end)),
            (_, Command::Marks(count)) => self.marks(name, place, after, count, end),
            (_, Command::Opaque) => {
                let next = self.arguments(after, end);
                let shown = shown(&source[place..next]);
                self.run.opaque(name, shown, place..next);
                Ok(next)
            }
            (_, Command::Point) => {
                let next = self.arguments(after, end);
                let next = if next == after {
                    next + spaces(&source[next..end])
                } else {
                    next
                };
                self.run.point(name, place..next);
                Ok(next)
            }
            (_, Command::Boundary) => {
                self.boundary()?;
                Ok(self.arguments(after, end))
            }
            (_, Command::Verbatim) => Ok(self.verbatim(place, after, end)),
            (_, Command::Item) => {
                self.boundary()?;
                if let Some(label) = self
                    .group(after, b'[', b']')
                    .filter(|label| label.end <= end)
                {
                    self.nested(
                        label.start + 1..label.end - 1,
                        ParagraphKind::ListItem,
                        None,
                    )?;
                    return Ok(label.end);
                }
                Ok(after)
            }
            (_, Command::Definition) => {
                self.boundary()?;
                Ok(self.definition(after, end))
            }
            (_, Command::Unknown) => self.unknown(name, place, after, end),
        }
    }

    /// A command of one sign.
    fn sign(&mut self, place: usize, after: usize, end: usize) -> Result<usize, Failure> {
        let source = self.source;
        let sign = source[place + 1..after].chars().next().unwrap_or_default();
        match sign {
            '\\' => {
                let next = self.arguments(after, end);
                // A group behind it is no argument.
                let next = if source[after..next].contains('{') {
                    after
                } else {
                    next
                };
                if self.environments.last() == Some(&Environment::Table) {
                    self.boundary()?;
                } else {
                    self.run.line_break(place..next);
                }
                return Ok(next);
            }
            '%' | '&' | '#' | '_' | '$' | '{' | '}' => {
                self.run.decoded(&source[place + 1..after], place..after);
            }
            ' ' | '\n' | '\t' => self.run.decoded(" ", place..after),
            ',' => self.run.decoded("\u{202F}", place..after),
            '-' | '/' | '@' => self.run.decoded("", place..after),
            '(' | '[' => {
                let close = if sign == '(' { "\\)" } else { "\\]" };
                if let Some(found) = source[after..end].find(close) {
                    let next = after + found + close.len();
                    self.run.opaque("math", &source[place..next], place..next);
                    return Ok(next);
                }
                self.run.point("math", place..after);
            }
            accent if is_accent(accent) => {
                if let Some(next) = self.accent(place, after, end) {
                    return Ok(next);
                }
                self.run.point("accent", place..after);
            }
            _ => {
                self.run.point("space", place..after);
            }
        }
        Ok(after)
    }

    /// A letter with an accent; none if it is no such letter.
    fn accent(&mut self, place: usize, after: usize, end: usize) -> Option<usize> {
        let source = self.source;
        let accent = source[place + 1..after].chars().next()?;
        let start = after + spaces(&source[after..end]);
        let rest = &source[start..end];
        let (inner, next) = match self.group(start, b'{', b'}') {
            Some(group) if group.end <= end => (&source[group.start + 1..group.end - 1], group.end),
            _ if rest.starts_with("\\i") || rest.starts_with("\\j") => {
                let name = self.name(start);
                (&source[start..name], self.after_name(name, end))
            }
            // A name such as `\c` needs a space or a brace before the letter.
            _ if accent.is_ascii_alphabetic() && start == after => return None,
            _ => {
                let length = rest.chars().next()?.len_utf8();
                (&rest[..length], start + length)
            }
        };
        let letter = match inner.trim() {
            "\\i" => 'i',
            "\\j" => 'j',
            other => {
                let mut characters = other.chars();
                characters.next().filter(|_| characters.next().is_none())?
            }
        };
        let shown = accented(accent, letter)?;
        self.run
            .decoded(shown.encode_utf8(&mut [0; 4]), place..next);
        Some(next)
    }

    /// The place after a name and the space, or the empty group, that ends it.
    fn after_name(&self, after: usize, end: usize) -> usize {
        let rest = &self.source[after..end];
        if rest.starts_with("{}") {
            return after + 2;
        }
        after + spaces(rest)
    }

    fn begin(&mut self, place: usize, after: usize, end: usize) -> Result<usize, Failure> {
        let Some(group) = self
            .group(after, b'{', b'}')
            .filter(|group| group.end <= end)
        else {
            return Ok(after);
        };
        let name = &self.source[group.start + 1..group.end - 1];
        let kind = environment(name.trim_end_matches('*'));
        if matches!(kind, Environment::Verbatim | Environment::Math) {
            let close = format!("\\end{{{name}}}");
            let found = self.source[group.end..end].find(&close);
            let Some(next) = found.map(|found| group.end + found + close.len()) else {
                let line = self.source[..place].split('\n').count();
                return Err(Failure::Damaged {
                    part: format!("line {line}"),
                    reason: format!("{close} is missing"),
                });
            };
            if kind == Environment::Math {
                self.run
                    .opaque("math", &self.source[place..next], place..next);
            } else {
                self.boundary()?;
            }
            return Ok(next);
        }
        self.boundary()?;
        self.environments.push(kind);
        let next = self.arguments(group.end, end);
        if kind == Environment::Titled {
            let mut at = group.end;
            while at < next {
                let argument = self
                    .group(at, b'{', b'}')
                    .or_else(|| self.group(at, b'[', b']'));
                let Some(argument) = argument else { break };
                let inner = argument.start + 1..argument.end - 1;
                // Options of a slide are no text.
                if !self.source[inner.clone()].contains('=')
                    && self.source[inner.clone()].trim() != "fragile"
                {
                    self.nested(inner, ParagraphKind::Text, None)?;
                }
                at = argument.end;
            }
        }
        Ok(next)
    }

    /// Arguments that are paragraphs: also a short form in brackets.
    fn block(
        &mut self,
        after: usize,
        end: usize,
        kind: ParagraphKind,
        level: Option<u8>,
    ) -> Result<usize, Failure> {
        self.boundary()?;
        let mut at = after;
        if self.source[at..end].starts_with('*') {
            at += 1;
        }
        let bracket = at + spaces(&self.source[at..end]);
        if let Some(short) = self
            .group(bracket, b'[', b']')
            .filter(|short| short.end <= end)
        {
            self.nested(short.start + 1..short.end - 1, ParagraphKind::Text, None)?;
            at = short.end;
        }
        let brace = at + spaces(&self.source[at..end]);
        let Some(group) = self
            .group(brace, b'{', b'}')
            .filter(|group| group.end <= end)
        else {
            return Ok(at);
        };
        self.nested(group.start + 1..group.end - 1, kind, level)?;
        Ok(group.end)
    }

    /// A note: it has paragraphs of its own, and moves with the sentence.
    fn anchor(&mut self, place: usize, after: usize, end: usize) -> usize {
        let start = self.after_options(after);
        let Some(group) = self
            .group(start, b'{', b'}')
            .filter(|group| group.end <= end)
        else {
            self.run.point("note", place..after);
            return after;
        };
        self.run.point("note", place..group.end);
        self.notes.push(group.start + 1..group.end - 1);
        group.end
    }

    fn marks(
        &mut self,
        name: &str,
        place: usize,
        after: usize,
        count: usize,
        end: usize,
    ) -> Result<usize, Failure> {
        let mut at = self.after_options(after);
        for _ in 0..count {
            match self.group(at, b'{', b'}') {
                Some(group) => at = self.after_options(group.end),
                None => break,
            }
        }
        let Some(group) = self.group(at, b'{', b'}').filter(|group| group.end <= end) else {
            self.run.point(name, place..at.min(end));
            return Ok(at.min(end));
        };
        self.pair(name, place..group.start + 1, group.end - 1..group.end)
    }

    fn verbatim(&mut self, place: usize, after: usize, end: usize) -> usize {
        let source = self.source;
        let mut at = after;
        if source[at..end].starts_with('*') {
            at += 1;
        }
        if let Some(options) = self.group(at, b'[', b']').filter(|it| it.end <= end) {
            at = options.end;
        }
        if source[place..after].ends_with("mintinline")
            && let Some(language) = self.group(at, b'{', b'}').filter(|it| it.end <= end)
        {
            at = language.end;
        }
        let Some(mark) = source[at..end].chars().next() else {
            return after;
        };
        let close = if mark == '{' { '}' } else { mark };
        let start = at + mark.len_utf8();
        let Some(found) = source[start..end].find(close) else {
            return after;
        };
        let next = start + found + close.len_utf8();
        self.run
            .opaque("verb", &source[start..start + found], place..next);
        next
    }

    /// The end of a definition.
    fn definition(&self, after: usize, end: usize) -> usize {
        let mut at = after;
        loop {
            let rest = &self.source[at..end];
            let found = self
                .group(at, b'{', b'}')
                .or_else(|| self.group(at, b'[', b']'));
            if let Some(group) = found.filter(|group| group.end <= end) {
                at = group.end;
            } else if rest.starts_with(['*', '#', '='])
                || rest.starts_with(|c: char| c.is_ascii_digit())
            {
                at += 1;
            } else if rest.starts_with('\\') && at < after + 2 {
                at = self.name(at).min(end);
            } else {
                return at;
            }
        }
    }

    /// A command of the author's own: what reads like a sentence in its last argument is one.
    fn unknown(
        &mut self,
        name: &str,
        place: usize,
        after: usize,
        end: usize,
    ) -> Result<usize, Failure> {
        let source = self.source;
        let next = self.arguments(after, end);
        if next == after {
            // Without arguments it may show anything.
            self.run.opaque(name, "", place..after);
            return Ok(after);
        }
        let mut last = None;
        let mut at = after;
        while at < next {
            let group = self
                .group(at, b'{', b'}')
                .or_else(|| self.group(at, b'[', b']'));
            let Some(group) = group else { break };
            at = group.end;
            last = Some(group);
        }
        let is_prose = |text: &str| {
            let words = text
                .split_whitespace()
                .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
            words.count() > 1 && !text.contains('=')
        };
        match last {
            Some(group)
                if source[group.clone()].starts_with('{') && is_prose(&source[group.clone()]) =>
            {
                self.pair(name, place..group.start + 1, group.end - 1..group.end)
            }
            _ => {
                self.run
                    .opaque(name, shown(&source[place..next]), place..next);
                Ok(next)
            }
        }
    }
}

/// Returns the part of a command that a reader may see: its last argument.
fn shown(command: &str) -> &str {
    let inner = command.trim_end_matches('}');
    inner.rsplit_once('{').map_or("", |(_, argument)| argument)
}

/// White space up to the next word, but no blank line.
fn spaces(text: &str) -> usize {
    let space = text.len() - text.trim_start_matches([' ', '\t']).len();
    let rest = &text[space..];
    let line = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'));
    let Some(line) = line else {
        return space;
    };
    let inner = line.trim_start_matches([' ', '\t']);
    if inner.starts_with(['\n', '\r']) || inner.is_empty() {
        return space;
    }
    text.len() - inner.len()
}

/// How long mathematics between dollars is; 0 if it does not end in its paragraph.
fn math_length(text: &str) -> usize {
    let mark = if text.starts_with("$$") { "$$" } else { "$" };
    let bytes = text.as_bytes();
    let mut at = mark.len();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'$' if text[at..].starts_with(mark) => return at + mark.len(),
            b'\n'
                if text[at + 1..]
                    .trim_start_matches([' ', '\t', '\r'])
                    .starts_with('\n') =>
            {
                return 0;
            }
            _ => {}
        }
        at += 1;
    }
    0
}
